//! `hashes` compares the results of all built-in scenarios with the hashes that are kept; `hashes write` keeps new ones
//! and prints what changed, ready for the message of the commit.

#![expect(clippy::disallowed_methods, reason = "a tool reads and writes files; the engine does not")]

use std::io::{Write, stdout};
use std::process::ExitCode;
use std::{env, fs};

use farlink_determinism::compare::Differences;
use farlink_determinism::{kept, run};

fn main() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let writes = match env::args().nth(1).as_deref() {
        None => false,
        Some("write") => true,
        Some(_) => return Err("usage: hashes [write]".into()),
    };
    let path = kept::path();
    let text = if path.exists() { fs::read_to_string(&path)? } else { kept::text(&run::Columns::new()) };
    let (before, after) = (kept::parse(&text)?, run::all());
    let differences = Differences::between(&before, &after);
    if writes {
        fs::write(&path, kept::text(&after))?;
        write!(stdout(), "{}", message(&differences))?;
        return Ok(ExitCode::SUCCESS);
    }
    if !differences.is_empty() {
        writeln!(stdout(), "{}results differ from {}", differences.report(), path.display())?;
        return Ok(ExitCode::FAILURE);
    }
    writeln!(stdout(), "{} columns have the hashes that are kept", after.len())?;
    Ok(ExitCode::SUCCESS)
}

/// The commit message, the cause left open.
fn message(differences: &Differences) -> String {
    if differences.changed.is_empty() && differences.removed.is_empty() {
        return format!("{} new columns, no hash changed\n", differences.added.len());
    }
    format!("determinism: keep new hashes\n\nCause: \n\n{}", differences.report())
}
