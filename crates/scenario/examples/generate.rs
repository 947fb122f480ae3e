//! Writes the files made from the models: `schema/farlink.schema.json`, `python/farlink/_names.pyi` and
//! `docs/models.md`.
//!
//! Run it after adding or changing a model: `make docs`. A test fails while the files are stale.

#![expect(clippy::disallowed_methods, reason = "a tool reads and writes files; the engine does not")]

use std::fs;
use std::path::Path;

fn main() -> std::io::Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    fs::create_dir_all(root.join("schema"))?;
    fs::write(root.join("schema/farlink.schema.json"), farlink_scenario::schema())?;
    fs::write(root.join("python/farlink/_names.pyi"), farlink_scenario::python_names())?;
    fs::write(root.join("docs/models.md"), farlink_scenario::models_page())
}
