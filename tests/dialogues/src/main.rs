//! Runs the packetdrill scripts of folders and says which passed, failed or were refused, and why.

#![expect(clippy::disallowed_methods, reason = "a tool reads and writes files; the engine does not")]
#![allow(clippy::print_stdout, clippy::print_stderr)] // a command speaks there

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use farlink_dialogues::{Outcome, folder, play};

/// Runs TCP dialogues in packetdrill's notation.
///
/// Exit status: 0 when none failed, 1 when some did, 2 when there was nothing to run.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    /// Scripts, or folders that are searched for them (`.pkt`).
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    /// Only the last line.
    #[arg(short, long)]
    quiet: bool,
    /// A page in Markdown: what does not pass, where and why.
    #[arg(long, conflicts_with = "quiet")]
    page: bool,
}

/// How many scripts ended how.
#[derive(Default)]
struct Counts {
    passed: u32,
    refused: u32,
    failed: u32,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match run(&arguments) {
        Ok(counts) => {
            let Counts { passed, refused, failed } = counts;
            if !arguments.page {
                println!("{passed} passed, {refused} refused, {failed} failed");
            }
            ExitCode::from(u8::from(failed > 0))
        }
        Err(why) => {
            eprintln!("{why}");
            ExitCode::from(2)
        }
    }
}

fn run(arguments: &Arguments) -> Result<Counts, String> {
    let mut counts = Counts::default();
    for path in &arguments.paths {
        let scripts = folder::scripts(path).map_err(|why| format!("{}: {why}", path.display()))?;
        if scripts.is_empty() {
            return Err(format!("{}: no script (.pkt) is in it", path.display()));
        }
        let mut rows = Vec::new();
        for script in &scripts {
            let line = counts.add(script)?;
            if arguments.page {
                rows.extend(row(path, script, &line));
            } else if !arguments.quiet {
                println!("{line}");
            }
        }
        if arguments.page {
            print_page(&counts, &rows);
        }
    }
    Ok(counts)
}

/// A row of the page for a script under `root` that did not pass.
fn row(root: &Path, script: &Path, line: &str) -> Option<String> {
    let (outcome, rest) = line.split_once(' ').filter(|(outcome, _)| *outcome != "passed")?;
    let shown = script.strip_prefix(root).unwrap_or(script).display().to_string();
    let place = rest.trim_start().strip_prefix(&format!("{}:", script.display())).unwrap_or(rest);
    let (number, what) = place.split_once(": ").unwrap_or(("", place));
    let what = what.replace('`', "").replace('|', "\\|");
    let why = farlink_dialogues::reasons::reason(&format!("/{shown}")).unwrap_or("not known");
    Some(format!("| {shown}:{number} | {outcome} | `{what}` | {why} |"))
}

fn print_page(counts: &Counts, rows: &[String]) {
    let Counts { passed, refused, failed } = counts;
    println!("{} scripts: {passed} pass, {refused} are refused, {failed} fail.", passed + refused + failed);
    println!("\n| script:line | outcome | construct or what was seen | reason |\n|---|---|---|---|");
    for row in rows {
        println!("{row}");
    }
}

impl Counts {
    /// Plays a script and says how it ended.
    fn add(&mut self, path: &Path) -> Result<String, String> {
        let shown = path.display();
        let bytes = fs::read(path).map_err(|why| format!("{shown}: {why}"))?;
        Ok(match play(&String::from_utf8_lossy(&bytes)) {
            Outcome::Passed => {
                self.passed += 1;
                format!("passed  {shown}")
            }
            Outcome::Refused(refusal) => {
                self.refused += 1;
                format!("refused {shown}:{}: {}: {}", refusal.line, refusal.construct, refusal.why)
            }
            Outcome::Failed(mismatch) => {
                self.failed += 1;
                format!("failed  {shown}:{}: {}", mismatch.line, mismatch.what)
            }
        })
    }
}
