//! The Python module `farlink._farlink`: converts, releases the GIL, maps errors. No logic.
//!
//! Read in this order: [`scenario`] (text becomes a scenario, a refusal an exception), [`files`] (the files that a
//! scenario names), [`simulation`] (a run
//! in slices), [`results`] (what was measured), [`congestion`] (a Python class as congestion control).

use pyo3::prelude::*;

mod congestion;
mod files;
mod results;
mod scenario;
mod simulation;

#[pymodule]
mod _farlink {
    use super::{Bound, PyModule, PyModuleMethods, PyResult, pyfunction};

    #[pymodule_export]
    use super::congestion::View;
    #[pymodule_export]
    use super::results::Results;
    #[pymodule_export]
    use super::scenario::{Scenario, ScenarioError};
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

    /// The ready scenarios: name, summary, text.
    #[pyfunction]
    fn ready() -> Vec<(&'static str, &'static str, &'static str)> {
        farlink_scenario::ready().iter().map(|ready| (ready.name, ready.summary, ready.text)).collect()
    }

    /// The number and the unit of a text that is a quantity: `"600 ms"` is 0.6 and `s`.
    #[pyfunction]
    fn quantity(text: &str) -> Option<(f64, &'static str)> {
        farlink_scenario::quantity(text)
    }
}
