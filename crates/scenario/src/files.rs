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

/// How compressed files begin, and what decompresses them.
const COMPRESSED: [(&[u8], &str); 5] = [
    (b"\x1f\x8b", "gunzip"),
    (b"PK\x03\x04", "unzip"),
    (b"\xfd7zXZ", "unxz"),
    (b"BZh", "bunzip2"),
    (b"\x28\xb5\x2f\xfd", "unzstd"),
];

/// The columns of time and value that the header of a CSV names.
pub(crate) type Columns = [&'static str; 2];
/// Those of each trace with a header, by its path and the column that its quantity has without one.
pub(crate) type Headers = BTreeMap<(String, &'static str), Columns>;

/// Reads each file once, and keeps its hash.
pub(crate) struct Reader<'a> {
    files: &'a dyn Files,
    sources: &'a mut Sources,
    texts: BTreeMap<String, (Arc<str>, usize)>,
    pub(crate) hashes: BTreeMap<String, String>,
    pub(crate) headers: Headers,
    /// What is ignored in a file, or implausible there.
    pub(crate) warnings: Vec<Diagnostic>,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(files: &'a dyn Files, sources: &'a mut Sources) -> Self {
        let (texts, hashes, headers) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        Self { files, sources, texts, hashes, headers, warnings: Vec::new() }
    }

    /// The text of a file, and where it begins in the sources.
    pub(crate) fn text(&mut self, path: &str) -> Result<(Arc<str>, usize), Fault> {
        if let Some((text, start)) = self.texts.get(path) {
            return Ok((Arc::clone(text), *start));
        }
        let refuse = |why: String| Fault::File(format!("cannot read \"{path}\": {why}"), String::new());
        let bytes = self.files.read(path).map_err(refuse)?;
        if let Some((_, tool)) = COMPRESSED.iter().find(|(begin, _)| bytes.starts_with(begin)) {
            let message = format!("cannot read \"{path}\": it is compressed");
            return Err(Fault::File(message, format!("decompress it with {tool}, and name the result")));
        }
        self.hashes.insert(path.to_owned(), sha256(&bytes));
        let text = std::str::from_utf8(&bytes).map_err(|_| refuse("it is not UTF-8 text".into()))?;
        // Spreadsheets and editors of Windows begin a text with a byte order mark.
        let text: Arc<str> = text.strip_prefix('\u{feff}').unwrap_or(text).into();
        // The content of a file that was named by mistake is not shown.
        let start = self.sources.add_unquoted(path, Arc::clone(&text));
        self.texts.insert(path.to_owned(), (Arc::clone(&text), start));
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
