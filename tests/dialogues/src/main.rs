//! Runs the packetdrill scripts of folders and says which passed, failed or were refused, and why.
#![allow(clippy::print_stdout, clippy::print_stderr)] // a command speaks there

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use farlink_dialogues::{Outcome, play};

/// Runs TCP dialogues in packetdrill's notation.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    /// Scripts (`.pkt`), or folders that are searched for them.
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    /// Only the last line.
    #[arg(short, long)]
    quiet: bool,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let mut scripts = Vec::new();
    for path in &arguments.paths {
        if let Err(why) = collect(path, &mut scripts) {
            eprintln!("{}: {why}", path.display());
            return ExitCode::from(2);
        }
    }
    if scripts.is_empty() {
        eprintln!("no script (.pkt) in {}", arguments.paths[0].display());
        return ExitCode::from(2);
    }
    let (mut passed, mut failed, mut refused) = (0, 0, 0);
    for script in &scripts {
        let text = match fs::read(script) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(why) => {
                eprintln!("{}: {why}", script.display());
                return ExitCode::from(2);
            }
        };
        let line = match play(&text) {
            Outcome::Passed => {
                passed += 1;
                "passed".to_owned()
            }
            Outcome::Failed(mismatch) => {
                failed += 1;
                format!("failed: {mismatch}")
            }
            Outcome::Refused(refusal) => {
                refused += 1;
                format!("refused: {refusal}")
            }
        };
        if !arguments.quiet {
            println!("{}: {line}", script.display());
        }
    }
    println!("{passed} passed, {failed} failed, {refused} refused");
    ExitCode::from(u8::from(failed > 0))
}

/// Adds the scripts under `path`, in the order of their names.
fn collect(path: &Path, scripts: &mut Vec<PathBuf>) -> std::io::Result<()> {
    if !path.is_dir() {
        fs::metadata(path)?;
        scripts.push(path.to_owned());
        return Ok(());
    }
    let mut entries: Vec<PathBuf> =
        fs::read_dir(path)?.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
    entries.sort();
    for entry in entries {
        if entry.is_dir() || entry.extension().is_some_and(|extension| extension == "pkt") {
            collect(&entry, scripts)?;
        }
    }
    Ok(())
}
