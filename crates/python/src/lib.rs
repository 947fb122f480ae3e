//! The Python module `farlink._farlink`: converts, releases the GIL, maps errors. No logic.
//!
//! The modules; each imports only those below it:
//!
//! ```text
//! simulation   a run in slices
//! congestion   a Python class as congestion control
//! results      tables of a run
//! parameters   a resolved scenario by dotted path
//! scenario     text becomes a scenario, an error an exception
//! files        the files that a scenario names
//! bins         measures over time in bins
//! ```

use pyo3::prelude::*;

mod bins;
mod congestion;
mod files;
mod parameters;
mod results;
mod scenario;
mod simulation;

#[pymodule]
mod _farlink {
    use pyo3::types::PyDict;

    use super::{Bound, PyModule, PyModuleMethods, PyResult, Python, pyfunction};

    #[pymodule_export]
    use super::bins::{bin_edges, binned_mean, binned_rate, binned_share};
    #[pymodule_export]
    use super::congestion::View;
    #[pymodule_export]
    use super::results::Results;
    #[pymodule_export]
    use super::scenario::{Scenario, ScenarioError, ScenarioWarning, resolve_path, to_toml};
    #[pymodule_export]
    use super::simulation::Simulation;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", farlink_scenario::VERSION)?;
        module.add("__build__", farlink_scenario::BUILD)
    }

    /// The JSON Schema of a scenario file.
    #[pyfunction]
    fn schema() -> String {
        farlink_scenario::schema()
    }

    /// Every registered model, as JSON.
    #[pyfunction]
    fn models() -> String {
        farlink_scenario::models().to_string()
    }

    /// The built-in scenarios: name, summary, text.
    #[pyfunction]
    fn built_in() -> Vec<(&'static str, &'static str, &'static str)> {
        let parts = |one: &farlink_scenario::BuiltIn| (one.name, one.summary, one.text);
        farlink_scenario::built_in().iter().map(parts).collect()
    }

    /// The number and the unit of a quantity: `"600 ms"` is 0.6 and `s`.
    #[pyfunction]
    fn quantity(text: &str) -> Option<(f64, &'static str)> {
        farlink_scenario::quantity(text)
    }

    /// Every parameter of a resolved scenario by dotted path, as text, number or flag; `ValueError` if `resolved` is
    /// no TOML.
    #[pyfunction]
    fn flatten<'py>(py: Python<'py>, resolved: &str) -> PyResult<Bound<'py, PyDict>> {
        super::parameters::flatten(py, resolved)
    }
}
