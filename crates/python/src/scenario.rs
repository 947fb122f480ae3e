//! A scenario's text and the values set over it become a validated scenario.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::OnceLock;

use farlink_scenario::{Amount, Draft, Error, Warning};
use pyo3::create_exception;
use pyo3::exceptions::{PyUserWarning, PyValueError};
use pyo3::prelude::*;

use crate::files::Folder;

create_exception!(
    farlink,
    ScenarioError,
    PyValueError,
    "A scenario was refused: file, line, column and key at fault, and what to write instead."
);

create_exception!(
    farlink,
    ScenarioWarning,
    PyUserWarning,
    "A scenario is valid but implausible: file, line, column and key, and what is probably meant."
);

/// The exception for `error`, with its parts as attributes.
fn exception(py: Python<'_>, error: &Error) -> PyErr {
    with_parts(py, ScenarioError::new_err(error.to_string()), error)
}

/// `exception` with the parts of `error` as attributes.
fn with_parts(py: Python<'_>, exception: PyErr, error: &Error) -> PyErr {
    let value = exception.value(py);
    let attributes = value
        .setattr("file", &error.file)
        .and_then(|()| value.setattr("line", error.line))
        .and_then(|()| value.setattr("column", error.column))
        .and_then(|()| value.setattr("key", &error.key))
        .and_then(|()| value.setattr("message", &error.message))
        .and_then(|()| value.setattr("remedy", &error.remedy));
    attributes.err().unwrap_or(exception)
}

#[pyclass(frozen, module = "farlink._farlink")]
pub(crate) struct Scenario {
    pub(crate) inner: farlink_scenario::Scenario,
    /// The estimates without time series and with them, computed once.
    estimates: [OnceLock<[Amount; 3]>; 2],
}

/// A value set over a text: path, value, and the call that messages show; without one they show `--set`.
type Setting = (String, String, Option<String>);

/// The draft of `text`, which messages call `origin`, with `settings` over it.
fn drafted(text: &str, origin: &str, settings: &[Setting]) -> Result<Draft, Error> {
    let mut draft = Draft::parse(text, origin)?;
    for (path, value, call) in settings {
        match call {
            None => draft.set(path, value)?,
            Some(call) => draft.set_by(call, path, value)?,
        }
    }
    Ok(draft)
}

/// The dotted `path` in the draft, with numbers in place of labels.
#[pyfunction]
#[allow(clippy::needless_pass_by_value)] // arguments from Python are owned
pub(crate) fn resolve_path(
    py: Python<'_>,
    text: &str,
    origin: &str,
    settings: Vec<Setting>,
    path: &str,
) -> PyResult<String> {
    py.detach(|| drafted(text, origin, &settings)?.path(path)).map_err(|error| exception(py, &error))
}

/// The draft as TOML, without defaults.
#[pyfunction]
#[allow(clippy::needless_pass_by_value)] // arguments from Python are owned
pub(crate) fn to_toml(py: Python<'_>, text: &str, origin: &str, settings: Vec<Setting>) -> PyResult<String> {
    py.detach(|| Ok(drafted(text, origin, &settings)?.to_toml())).map_err(|error| exception(py, &error))
}

#[pymethods]
impl Scenario {
    /// Reads `text`, which messages call `origin`, with `settings` over it; the files it names are in `folder`.
    /// `congestion_controls()` gives the names of those that the caller plugs in.
    #[new]
    #[allow(clippy::needless_pass_by_value)] // arguments from Python are owned
    #[pyo3(signature = (text, origin, folder, settings, congestion_controls = None))]
    fn new(
        py: Python<'_>,
        text: &str,
        origin: &str,
        folder: PathBuf,
        settings: Vec<Setting>,
        congestion_controls: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let files = Folder::new(folder);
        let names = || congestion_controls.as_ref().map_or_else(Vec::new, |names| files.names(names));
        py.detach(|| drafted(text, origin, &settings)?.validate_with(&files, names))
            .map(|inner| Self { inner, estimates: Default::default() })
            .map_err(|error| files.interruption().unwrap_or_else(|| exception(py, &error)))
    }

    #[getter]
    fn name(&self) -> &str {
        &self.inner.name
    }

    #[getter]
    fn duration_ns(&self) -> u64 {
        self.inner.duration().as_nanos()
    }

    /// How many samples a time series has.
    #[getter]
    fn samples(&self) -> u64 {
        self.inner.samples()
    }

    /// The estimate of a run: events, bytes, and bytes that do not depend on what happens in it.
    fn estimate(&self, py: Python<'_>, series: bool) -> [Amount; 3] {
        let estimate = || self.inner.estimate(series).amounts();
        py.detach(|| self.estimates[usize::from(series)].get_or_init(estimate).clone())
    }

    #[getter]
    fn default_seed(&self) -> u64 {
        self.inner.seed
    }

    #[getter]
    fn flow_labels(&self) -> Vec<String> {
        self.inner.flow_labels.clone()
    }

    /// The names of the congestion controls to be plugged in, by flow.
    #[getter]
    fn plugged(&self) -> BTreeMap<u32, String> {
        self.inner.plugged.clone()
    }

    /// The names of the nodes on each shared channel.
    #[getter]
    fn channels(&self) -> Vec<Vec<&str>> {
        self.inner.channels()
    }

    /// The names of the nodes, in order.
    #[getter]
    fn nodes(&self) -> Vec<&str> {
        self.inner.nodes()
    }

    /// The x and y coordinates of the nodes in metres, at the beginning of the run with `seed`.
    fn positions(&self, py: Python<'_>, seed: u64) -> Vec<[f64; 2]> {
        py.detach(|| self.inner.positions(seed))
    }

    /// What is implausible in it, and what was ignored in its files.
    #[getter]
    fn warnings<'py>(&self, py: Python<'py>) -> Vec<Bound<'py, PyAny>> {
        let made = |warning: &Warning| {
            let made = with_parts(py, ScenarioWarning::new_err(warning.to_string()), warning.parts());
            made.into_value(py).into_bound(py).into_any()
        };
        self.inner.warnings.iter().map(made).collect()
    }

    /// Canonical TOML with every default spelled out.
    #[getter]
    fn resolved(&self) -> &str {
        &self.inner.resolved
    }

    /// The movement of the nodes as a movement file of ns-2, shifted by `shift_m`; `ValueError` if ns-2 cannot
    /// represent it.
    fn ns2_movement(&self, seed: u64, shift_m: f64) -> PyResult<String> {
        self.inner.ns2_movement(seed, shift_m).map_err(PyValueError::new_err)
    }

    /// SHA-256 of every file read, by path.
    #[getter]
    fn file_hashes(&self) -> BTreeMap<String, String> {
        self.inner.file_hashes.clone()
    }
}
