//! Writes the files made from the models: `schema/farlink.schema.json` and `python/farlink/_names.pyi`.
//!
//! Run it after adding or changing a model: `cargo run -p farlink-scenario --example generate`. A test fails
//! while the files are stale.

use std::fs;
use std::path::Path;

fn main() -> std::io::Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    fs::create_dir_all(root.join("schema"))?;
    fs::write(root.join("schema/farlink.schema.json"), farlink_scenario::schema())?;
    fs::write(root.join("python/farlink/_names.pyi"), farlink_scenario::python_names())
}
