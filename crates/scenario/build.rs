//! Gives the engine its build id: the hash of its sources and of the versions it is built with, so that
//! results of another engine are never taken for this one's.

#![expect(clippy::disallowed_methods, reason = "what builds the engine reads its files")]

use std::path::{Path, PathBuf};
use std::{env, fs};

use sha2::{Digest, Sha256};

const ROOMS: [&str; 4] = ["kernel", "tcp", "network", "scenario"];

fn main() {
    // Asked when it runs: a checkout may be moved, or share its built files with another.
    let crates = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("set by cargo")).join("..");
    let mut files = vec![crates.join("../Cargo.lock")];
    for room in ROOMS {
        let sources = crates.join(room).join("src");
        println!("cargo:rerun-if-changed={}", sources.display());
        collect(&sources, &mut files);
    }
    let mut hash = Sha256::new();
    for file in files {
        hash.update(file.strip_prefix(&crates).expect("under crates").to_string_lossy().as_bytes());
        // An engine built as somebody's dependency has another lock file, or none.
        hash.update(fs::read(&file).unwrap_or_default());
    }
    let first = hash.finalize().iter().take(8).fold(0_u64, |id, byte| id << 8 | u64::from(*byte));
    println!("cargo:rustc-env=FARLINK_BUILD={first:016x}");
}

/// The Rust files under `folder`, in the order of their names.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let entries = fs::read_dir(folder).expect("a folder of sources");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("a readable folder").path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}
