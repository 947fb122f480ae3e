//! Measures over time in bins. Columns are little-endian 64-bit numbers, as those of series.

use farlink_scenario::bins;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// The edges of at most `most - 1` bins of equal width, none narrower than a sample.
#[pyfunction]
pub(crate) fn bin_edges(
    py: Python<'_>,
    from_s: f64,
    to_s: f64,
    samples: usize,
    most: usize,
) -> Bound<'_, PyBytes> {
    column(py, &bins::edges(from_s, to_s, samples, most))
}

/// The growth of a total per second in each bin.
#[pyfunction]
pub(crate) fn binned_rate<'py>(
    py: Python<'py>,
    edges: &[u8],
    time_s: &[u8],
    total: &[u8],
) -> Bound<'py, PyBytes> {
    column(py, &bins::rate(&numbers(edges), &numbers(time_s), &numbers(total)))
}

/// The growth of a part over that of the whole in each bin.
#[pyfunction]
pub(crate) fn binned_share<'py>(
    py: Python<'py>,
    edges: &[u8],
    time_s: &[u8],
    part: &[u8],
    whole: &[u8],
) -> Bound<'py, PyBytes> {
    column(py, &bins::share(&numbers(edges), &numbers(time_s), &numbers(part), &numbers(whole)))
}

/// The mean of the defined samples in each bin.
#[pyfunction]
pub(crate) fn binned_mean<'py>(
    py: Python<'py>,
    edges: &[u8],
    time_s: &[u8],
    values: &[u8],
) -> Bound<'py, PyBytes> {
    column(py, &bins::mean(&numbers(edges), &numbers(time_s), &numbers(values)))
}

fn numbers(bytes: &[u8]) -> Vec<f64> {
    bytes.as_chunks().0.iter().map(|word| f64::from_le_bytes(*word)).collect()
}

fn column<'py>(py: Python<'py>, numbers: &[f64]) -> Bound<'py, PyBytes> {
    let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    PyBytes::new(py, &bytes)
}
