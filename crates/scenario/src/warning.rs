//! The one warning of this crate: a valid scenario that probably does not say what is meant.

use std::fmt;

use crate::error::Error;

/// Where a valid scenario is implausible, why, and the likely remedy: the parts of an [`Error`] without an excerpt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning(Error);

impl Warning {
    pub(crate) fn new(error: Error) -> Self {
        Self(Error { excerpt: None, ..error })
    }

    /// File, line, column, key, message and remedy.
    pub fn parts(&self) -> &Error {
        &self.0
    }
}

/// One line.
impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
