//! The parameters of a resolved scenario by dotted path, for tables and derived values.

use farlink_kernel::config::{Node, Value};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Every text, number and flag of `resolved`, in the order written. A table with a `name`, except an item of a list,
/// also stands at its own path, with the name as value: `flows.0.tcp.congestion_control` is `"cubic"`.
pub(crate) fn flatten<'py>(py: Python<'py>, resolved: &str) -> PyResult<Bound<'py, PyDict>> {
    let refused = |error: farlink_kernel::config::Diagnostic| PyValueError::new_err(error.message);
    let root = farlink_scenario::read_document(resolved, 0).map_err(refused)?;
    let found = PyDict::new(py);
    collect(&found, "", &root)?;
    Ok(found)
}

fn collect(found: &Bound<'_, PyDict>, path: &str, node: &Node) -> PyResult<()> {
    let py = found.py();
    let inner = |key: &str| if path.is_empty() { key.to_string() } else { format!("{path}.{key}") };
    let value = match &node.value {
        Value::Table(entries) => {
            let is_item = path.rsplit('.').next().is_some_and(|key| key.parse::<usize>().is_ok());
            let name = entries.iter().find(|entry| entry.key == "name" && !path.is_empty() && !is_item);
            if let Some(name) = name {
                collect(found, path, &name.node)?;
            }
            for entry in entries.iter().filter(|entry| name.is_none() || entry.key != "name") {
                collect(found, &inner(&entry.key), &entry.node)?;
            }
            return Ok(());
        }
        Value::List(items) => {
            for (place, item) in items.iter().enumerate() {
                collect(found, &inner(&place.to_string()), item)?;
            }
            return Ok(());
        }
        Value::Bool(flag) => flag.into_bound_py_any(py)?,
        Value::Integer(number) => number.into_bound_py_any(py)?,
        Value::Float(number) => number.into_bound_py_any(py)?,
        Value::Text(text) => text.into_bound_py_any(py)?,
    };
    found.set_item(path, value)
}
