//! The scripts of a folder.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The scripts (`.pkt`) under `path` and the folders in it, in the order of their names; a file is taken
/// whatever its name.
pub fn scripts(path: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    collect(path, &mut found)?;
    Ok(found)
}

fn collect(path: &Path, found: &mut Vec<PathBuf>) -> io::Result<()> {
    if !fs::metadata(path)?.is_dir() {
        found.push(path.to_owned());
        return Ok(());
    }
    let mut entries: Vec<PathBuf> =
        fs::read_dir(path)?.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
    entries.sort();
    for entry in entries {
        // A link may lead back to where it stands.
        let is_folder = entry.is_dir() && !entry.is_symlink();
        if is_folder || entry.extension().is_some_and(|extension| extension == "pkt") {
            collect(&entry, found)?;
        }
    }
    Ok(())
}
