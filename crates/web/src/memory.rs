//! Files without a file system.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use farlink_scenario::Files;

/// The files that a scenario may name, by path as written.
#[derive(Default)]
pub(crate) struct Folder(BTreeMap<String, Vec<u8>>);

impl Folder {
    pub(crate) fn add(&mut self, path: String, content: Vec<u8>) {
        self.0.insert(path, content);
    }
}

impl Files for Folder {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        self.0.get(path).cloned().ok_or_else(|| "there is no such file; add it to the scenario".into())
    }
}

/// Bytes that a capture writes and the page reads.
#[derive(Clone, Default)]
pub(crate) struct Buffer(Arc<Mutex<Vec<u8>>>);

impl Buffer {
    fn lock(&self) -> MutexGuard<'_, Vec<u8>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn take(&self) -> Vec<u8> {
        std::mem::take(&mut self.lock())
    }
}

impl Write for Buffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.lock().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
