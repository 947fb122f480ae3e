//! Captures for other tools: packets at the flows' [`senders`], [`frames`] on shared channels, and traces of [`ns2`].

use std::fmt;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

pub(crate) mod frames;
mod ieee80211;
mod ip;
pub(crate) mod ns2;
mod ns2_routing;
mod pcap;
mod radiotap;
pub(crate) mod senders;

pub(crate) type Sink = Box<dyn Write + Send>;

pub(crate) trait Format: Send {
    fn into_sink(self) -> Sink;
}

/// A capture as the simulation sees it.
pub(crate) trait Recording: fmt::Debug + Send {
    fn has_failed(&self) -> bool;

    /// Ends the capture; returns why it failed, if it did.
    fn finish(&self) -> Option<String>;
}

/// A capture in progress: the world writes it, the simulation ends it.
pub(crate) struct Recorder<F>(Arc<Mutex<Writing<F>>>);

/// After a write failed nothing more is written.
enum Writing<F> {
    On(F),
    Failed(String),
}

impl<F: Format> Recorder<F> {
    fn new(begun: io::Result<F>) -> Self {
        Self(Arc::new(Mutex::new(match begun {
            Ok(file) => Writing::On(file),
            Err(fault) => Writing::Failed(fault.to_string()),
        })))
    }

    /// Writes, unless a write has failed.
    fn write(&self, write: impl FnOnce(&mut F) -> Result<(), String>) {
        let mut writing = self.lock();
        if let Writing::On(file) = &mut *writing
            && let Err(why) = write(file)
        {
            *writing = Writing::Failed(why);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Writing<F>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<F: Format> Recording for Recorder<F> {
    fn has_failed(&self) -> bool {
        matches!(*self.lock(), Writing::Failed(_))
    }

    fn finish(&self) -> Option<String> {
        match std::mem::replace(&mut *self.lock(), Writing::Failed("finished".into())) {
            Writing::On(file) => file.into_sink().flush().err().map(|fault| fault.to_string()),
            Writing::Failed(why) => Some(why),
        }
    }
}

impl<F> Clone for Recorder<F> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<F> fmt::Debug for Recorder<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Recorder")
    }
}
