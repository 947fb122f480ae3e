//! [`Located`]: a value of the document that knows its place in the text.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use farlink_kernel::config::{Diagnostic, Kind, Node, Read};

/// A value with the text it was read from, so that a later check can refuse it at its key.
#[derive(Clone, Debug)]
pub struct Located<T> {
    value: T,
    text: Arc<Node>,
    /// False for a value that follows from the text: a default, or what a topology lays out.
    is_written: bool,
}

impl<T> Located<T> {
    /// A value that nothing in the text says.
    pub fn absent(value: T) -> Self {
        Self { value, text: Arc::new(Node::text("")), is_written: false }
    }

    pub fn with<U>(&self, value: U) -> Located<U> {
        Located { value, text: Arc::clone(&self.text), is_written: self.is_written }
    }

    /// A value that follows from this one: it has no keys of its own.
    pub fn implied<U>(&self, value: U) -> Located<U> {
        Located { is_written: false, ..self.with(value) }
    }

    /// True when the value is written, not implied by another.
    pub fn is_written(&self) -> bool {
        self.is_written
    }

    /// True when the text has something under the dotted `path`.
    pub fn has(&self, path: &str) -> bool {
        self.is_written && path.split('.').try_fold(&*self.text, |node, key| node.get(key)).is_some()
    }

    pub fn refuse(&self, message: impl Into<String>, remedy: impl Into<String>) -> Diagnostic {
        self.text.refuse(message, remedy)
    }

    /// A diagnostic of what stands under the dotted `path` in the value.
    pub fn refuse_at(&self, path: &str, message: impl Into<String>, remedy: impl Into<String>) -> Diagnostic {
        self.text.refuse_at(path, message, remedy)
    }

    /// A diagnostic of a key relative to the value, or of the value as a whole, at its place in the text.
    pub fn place(&self, Diagnostic { key, message, remedy, .. }: Diagnostic) -> Diagnostic {
        if key.is_empty() { self.refuse(message, remedy) } else { self.refuse_at(&key, message, remedy) }
    }

    /// The dotted key of what stands under `path` in the value.
    pub fn key_of(&self, path: &str) -> Arc<str> {
        self.text.key_of(path)
    }
}

impl<T> Deref for Located<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T> DerefMut for Located<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.value
    }
}

impl<T: Read> Read for Located<T> {
    fn kind() -> Kind {
        T::kind()
    }
    fn read(node: &Node) -> Result<Self, Diagnostic> {
        Ok(Self { value: T::read(node)?, text: Arc::new(node.clone()), is_written: true })
    }
    fn show(&self) -> String {
        self.value.show()
    }
}
