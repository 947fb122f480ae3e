//! The files a scenario names: read once and hashed.

use std::collections::BTreeMap;
use std::sync::Arc;

use farlink_kernel::config::Diagnostic;

use crate::error::Sources;
use crate::hash::sha256;
use crate::located::Located;

/// Where the files a scenario names come from: this crate opens none itself.
pub trait Files {
    /// The content of the file at `path` as written in the scenario, or why it cannot be read.
    fn read(&self, path: &str) -> Result<Vec<u8>, String>;
}

/// Reads the files and keeps their hashes.
pub(crate) struct Reader<'a> {
    pub(crate) files: &'a dyn Files,
    pub(crate) sources: &'a mut Sources,
    pub(crate) hashes: BTreeMap<String, String>,
}

impl Reader<'_> {
    /// The text of a file, and where it begins in the sources.
    pub(crate) fn text(&mut self, path: &str) -> Result<(Arc<str>, usize), Fault> {
        let refuse = |why: String| Fault::File(format!("cannot read \"{path}\": {why}"), String::new());
        let bytes = self.files.read(path).map_err(refuse)?;
        self.hashes.insert(path.to_owned(), sha256(&bytes));
        let text = std::str::from_utf8(&bytes).map_err(|_| refuse("it is not UTF-8 text".into()))?;
        // Spreadsheets and editors of Windows begin a text with a byte order mark.
        let text: Arc<str> = text.strip_prefix('\u{feff}').unwrap_or(text).into();
        // The content of a file that was named by mistake is not shown.
        let start = self.sources.add_unquoted(path, Arc::clone(&text));
        Ok((text, start))
    }
}

pub(crate) enum Fault {
    /// The file as a whole: message and remedy.
    File(String, String),
    Line(Diagnostic),
}

impl Fault {
    /// The diagnostic of the file that `key` names in `table`.
    pub(crate) fn at<T>(self, table: &Located<T>, key: &str) -> Diagnostic {
        match self {
            Self::File(message, remedy) => table.refuse_at(key, message, remedy),
            Self::Line(diagnostic) => diagnostic.at(table.key_of(key)),
        }
    }
}
