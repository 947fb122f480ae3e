//! `networks [COUNT [FIRST]]` runs random networks and prints what it counted; `networks digests [COUNT [FIRST]]` prints a digest
//! of the results of each, to be compared with those of another build; `networks save FOLDER [COUNT [FIRST]]` writes their
//! scenarios instead, each in a folder of its own with the files it reads.

#![expect(
    clippy::disallowed_methods,
    reason = "a tool reads arguments and writes files; the engine does not"
)]

use std::io::{Write, stderr, stdout};
use std::path::Path;
use std::process::ExitCode;
use std::{env, fs};

use farlink_networks::campaign;
use farlink_networks::case::Case;

const COUNT: u64 = 2000;

fn main() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let mut arguments: Vec<String> = env::args().skip(1).collect();
    let folder = (arguments.len() > 1 && arguments[0] == "save").then(|| arguments.drain(..2).next_back());
    let digests = arguments.first().is_some_and(|word| word == "digests").then(|| arguments.remove(0));
    let number = |place: usize, default| arguments.get(place).map_or(Ok(default), |text| text.parse::<u64>());
    let (count, first) = (number(0, COUNT)?, number(1, 0)?);
    let seeds = first..first + count;
    if let Some(folder) = folder.flatten() {
        for seed in seeds {
            write_case(&Path::new(&folder).join(seed.to_string()), &Case::new(seed))?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    if digests.is_some() {
        for (seed, digest) in seeds.clone().zip(campaign::digests(&seeds)) {
            write!(stdout(), "{seed} ")?;
            digest?.iter().try_for_each(|byte| write!(stdout(), "{byte:02x}"))?;
            writeln!(stdout())?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    // A panic is a finding and is printed with its network.
    std::panic::set_hook(Box::new(|_| {}));
    match campaign::run(seeds) {
        Ok(report) => writeln!(stdout(), "{report}")?,
        Err(failure) => {
            writeln!(stderr(), "{failure}")?;
            return Ok(ExitCode::FAILURE);
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn write_case(folder: &Path, case: &Case) -> std::io::Result<()> {
    fs::create_dir_all(folder)?;
    fs::write(folder.join("network.toml"), &case.text)?;
    case.files.iter().try_for_each(|(name, text)| fs::write(folder.join(name), text))
}
