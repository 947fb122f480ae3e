//! The results of a run, as JSON text and as columns of bytes.

use farlink_scenario::{Change, Column, Table, explain};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};

#[pyclass(frozen, module = "farlink._farlink")]
pub(crate) struct Results {
    inner: farlink_scenario::RunResults,
}

impl Results {
    pub(crate) fn new(inner: farlink_scenario::RunResults) -> Self {
        Self { inner }
    }
}

/// Name, kind (`text`, `word`, `integer`, `number`) and values of a column.
type NamedColumn<'py> = (&'static str, &'static str, Bound<'py, PyAny>);

/// A change to be tried: path, TOML, present amount, proposed amount.
type ChangeTexts = (String, String, String, String);
/// The place, the cause and the number of dropped packets.
type Drops = (String, String, u64);
/// The explanation of a flow: its label, a text, the shares of its time, the bottleneck with its utilisation, a change
/// to be tried, and its drops.
type FlowExplanation =
    (String, String, Vec<(String, f64)>, Option<(String, f64)>, Option<ChangeTexts>, Vec<Drops>);

#[pymethods]
impl Results {
    /// One seed's part of the JSON document.
    fn json(&self) -> String {
        self.inner.to_json().to_string()
    }

    /// The columns of the flows' and of the links' time series; numbers are little-endian 64-bit words.
    fn series<'py>(&self, py: Python<'py>) -> PyResult<(Vec<NamedColumn<'py>>, Vec<NamedColumn<'py>>)> {
        let series = self.inner.series();
        Ok((columns(py, series.flows)?, columns(py, series.links)?))
    }

    /// The columns of the ledger's rows; without rows unless they were kept.
    fn ledger<'py>(&self, py: Python<'py>) -> PyResult<Vec<NamedColumn<'py>>> {
        columns(py, self.inner.ledger())
    }

    /// The columns of the flows of workloads; without rows unless a workload keeps them.
    fn arrivals<'py>(&self, py: Python<'py>) -> PyResult<Vec<NamedColumn<'py>>> {
        columns(py, self.inner.arrivals())
    }

    /// The recording for the animation, as JSON, if requested.
    fn animation(&self) -> Option<String> {
        self.inner.animation.as_ref().map(ToString::to_string)
    }

    /// Why the capture is incomplete, if it is.
    #[getter]
    fn capture_error(&self) -> Option<&str> {
        self.inner.capture_error.as_deref()
    }

    fn explain(&self) -> Vec<FlowExplanation> {
        let flows = explain(&self.inner).flows;
        let change = |change: Change| (change.path, change.value, change.from, change.to);
        let row = |flow: farlink_scenario::FlowExplanation| {
            let drops =
                flow.drops.into_iter().map(|drops| (drops.place, drops.cause, drops.packets)).collect();
            (flow.flow, flow.text, flow.limited_by, flow.bottleneck, flow.change.map(change), drops)
        };
        flows.into_iter().map(row).collect()
    }
}

fn columns(py: Python<'_>, table: Table) -> PyResult<Vec<NamedColumn<'_>>> {
    table.columns.into_iter().map(|(name, column)| named(py, name, column)).collect()
}

fn named<'py>(py: Python<'py>, name: &'static str, column: Column) -> PyResult<NamedColumn<'py>> {
    let words = |words: Vec<[u8; 8]>| PyBytes::new(py, words.as_flattened()).into_any();
    Ok(match column {
        Column::Text(values) => (name, "text", PyList::new(py, values)?.into_any()),
        Column::Word(places, values) => {
            let places = places.into_iter().flat_map(u32::to_le_bytes).collect::<Vec<u8>>();
            (name, "word", (PyBytes::new(py, &places), values).into_pyobject(py)?.into_any())
        }
        Column::Integer(values) => {
            (name, "integer", words(values.into_iter().map(u64::to_le_bytes).collect()))
        }
        Column::Number(values) => (name, "number", words(values.into_iter().map(f64::to_le_bytes).collect())),
    })
}
