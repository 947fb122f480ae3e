//! The inputs in the repository.

#![expect(clippy::disallowed_methods, reason = "a test reads files; the engine does not")]

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::seeds;

/// A name and what stands under it.
pub type Input = (String, Vec<u8>);

/// The inputs of `kind` (`corpus` or `regressions`) of a target, in the order of their names.
pub fn kept(kind: &str, target: &str) -> io::Result<Vec<Input>> {
    files(&Path::new(env!("CARGO_MANIFEST_DIR")).join(kind).join(target))
}

/// All that a fuzzer of the target begins with.
pub fn all(target: &str) -> io::Result<Vec<Input>> {
    let mut inputs = kept("corpus", target)?;
    inputs.extend(kept("regressions", target)?);
    inputs.extend(seeds::inputs(target).into_iter().map(|(name, text)| (name, text.into_bytes())));
    if target == "dialogue" {
        let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("../dialogues/scripts");
        for path in farlink_dialogues::folder::scripts(&scripts)? {
            inputs.push((name(&path), fs::read(path)?));
        }
    }
    Ok(inputs)
}

fn files(folder: &Path) -> io::Result<Vec<Input>> {
    if !folder.exists() {
        return Ok(Vec::new());
    }
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
    paths.sort();
    paths.into_iter().map(|path| Ok((name(&path), fs::read(&path)?))).collect()
}

fn name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}
