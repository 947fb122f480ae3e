//! Files that a scenario names: regular files of bounded size.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use farlink_scenario::Files;
use pyo3::prelude::*;

/// The limit on bytes of a file. A parsed file of this size takes less than 2 GB of memory.
const MOST_BYTES: usize = 128 << 20;

/// Bytes read between two checks for a signal.
const SLICE: usize = 1 << 20;

/// The files beside a scenario.
pub(crate) struct Folder {
    path: PathBuf,
    interruption: Mutex<Option<PyErr>>,
}

impl Folder {
    pub(crate) fn new(path: PathBuf) -> Self {
        Self { path, interruption: Mutex::default() }
    }

    /// The exception of a signal handler while a file was read, or of Python while names were asked for.
    pub(crate) fn interruption(self) -> Option<PyErr> {
        self.interruption.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// The names that `names()` gives; none where it raises.
    pub(crate) fn names(&self, names: &Py<PyAny>) -> Vec<String> {
        let asked = Python::attach(|py| names.call0(py)?.extract(py));
        asked.unwrap_or_else(|error| {
            self.interrupt(error);
            Vec::new()
        })
    }

    fn interrupt(&self, error: PyErr) {
        *self.interruption.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
    }

    fn check_signals(&self) -> Result<(), String> {
        let checked = Python::attach(|py: Python<'_>| py.check_signals());
        checked.map_err(|error| {
            self.interrupt(error);
            "interrupted".into()
        })
    }

    fn read_all(&self, mut file: File) -> Result<Vec<u8>, String> {
        let (mut bytes, mut slice) = (Vec::new(), vec![0; SLICE]);
        loop {
            self.check_signals()?;
            // The size that the file system reports is no limit: a file may grow, and in /proc it is 0.
            match file.read(&mut slice) {
                Ok(0) => return Ok(bytes),
                Ok(length) => bytes.extend_from_slice(&slice[..length]),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(reason(&error)),
            }
            if bytes.len() > MOST_BYTES {
                return Err(format!("it has more than {} MiB, the limit for a file", MOST_BYTES >> 20));
            }
        }
    }
}

impl Files for Folder {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        let file = open(&self.path.join(path)).map_err(|error| reason(&error))?;
        let kind = file.metadata().map_err(|error| reason(&error))?.file_type();
        if !kind.is_file() {
            let what = if kind.is_dir() { "a directory" } else { "a pipe or a device" };
            return Err(format!("it is {what}, not a regular file"));
        }
        self.read_all(file)
    }
}

/// Opens a file; does not wait for a writer if it is a pipe.
fn open(path: &Path) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NONBLOCK | libc::O_NOCTTY);
    options.open(path)
}

fn reason(error: &std::io::Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => "there is no such file".into(),
        ErrorKind::PermissionDenied => "permission denied".into(),
        ErrorKind::IsADirectory => "it is a directory, not a regular file".into(),
        _ => error.to_string(),
    }
}
