//! Helps fuzzers, and is one where there is no nightly toolchain.

#![expect(
    clippy::disallowed_methods,
    reason = "a tool reads and writes files and has a clock; the engine does not"
)]
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a tool talks to people")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::{Parser, Subcommand};
use farlink_fuzz::{TARGETS, Target, corpus, mutate, seeds, target};

/// Inputs between two looks at the clock.
const BATCH: u64 = 100;

/// Dictionaries, seeds, replay and blind mutation of the fuzz targets.
#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Print the names of the targets.
    Targets,
    /// Write DIR/TARGET.dict and DIR/TARGET/*, the inputs that come with the program, for every target.
    Prepare {
        /// Where to.
        dir: PathBuf,
    },
    /// Run a target over files.
    Replay {
        /// Its name.
        target: String,
        /// The files.
        files: Vec<PathBuf>,
    },
    /// Run a target over mutations of its corpus; the first input that breaks it is kept in DIR.
    Mutate {
        /// Its name.
        target: String,
        /// For how long.
        #[arg(long, default_value_t = 60)]
        seconds: u64,
        /// Where the random numbers start.
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// Where an input is kept.
        #[arg(long, default_value = "target/fuzz/artifacts")]
        dir: PathBuf,
    },
}

fn main() -> ExitCode {
    match run(Arguments::parse().command) {
        Ok(status) => status,
        Err(why) => {
            eprintln!("farlink-fuzz: {why}");
            ExitCode::from(2)
        }
    }
}

fn run(command: Command) -> Result<ExitCode, String> {
    match command {
        Command::Targets => TARGETS.iter().for_each(|target| println!("{}", target.name)),
        Command::Prepare { dir } => prepare(&dir).map_err(|why| why.to_string())?,
        Command::Replay { target, files } => {
            let target = named(&target)?;
            for file in files {
                let input = fs::read(&file).map_err(|why| format!("{}: {why}", file.display()))?;
                (target.run)(&input);
            }
        }
        Command::Mutate { target, seconds, seed, dir } => {
            return mutated(named(&target)?, Duration::from_secs(seconds), seed, &dir)
                .map_err(|why| why.to_string());
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn named(name: &str) -> Result<Target, String> {
    target(name).ok_or_else(|| format!("there is no target `{name}`; see farlink-fuzz targets"))
}

fn prepare(dir: &Path) -> std::io::Result<()> {
    for target in TARGETS {
        let folder = dir.join(target.name);
        fs::create_dir_all(&folder)?;
        fs::write(dir.join(format!("{}.dict", target.name)), seeds::dictionary(target.name))?;
        for (name, text) in corpus::all(target.name)? {
            fs::write(folder.join(name), text)?;
        }
    }
    Ok(())
}

fn mutated(target: Target, time: Duration, seed: u64, dir: &Path) -> std::io::Result<ExitCode> {
    let inputs: Vec<Vec<u8>> = corpus::all(target.name)?.into_iter().map(|(_, input)| input).collect();
    let words = seeds::words(target.name).into_iter().map(String::into_bytes).collect::<Vec<_>>();
    let (start, mut done) = (Instant::now(), 0);
    while start.elapsed() < time {
        if let Some(input) = mutate::campaign(target, &inputs, &words, seed + done, BATCH) {
            let path = dir.join(format!("{}-{}", target.name, seed + done));
            fs::create_dir_all(dir)?;
            fs::write(&path, input)?;
            eprintln!("{}: broken by {}", target.name, path.display());
            return Ok(ExitCode::FAILURE);
        }
        done += BATCH;
    }
    println!("{}: {done} inputs, 0 failures (blind mutation)", target.name);
    Ok(ExitCode::SUCCESS)
}
