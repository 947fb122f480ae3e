//! Measures over time in bins.

use farlink_scenario::bins;
use wasm_bindgen::prelude::wasm_bindgen;

/// The edges of at most `most - 1` bins of equal width, none narrower than a sample.
#[wasm_bindgen(js_name = binEdges)]
pub fn bin_edges(from_s: f64, to_s: f64, samples: usize, most: usize) -> Vec<f64> {
    bins::edges(from_s, to_s, samples, most)
}

/// The growth of a total per second in each bin.
#[wasm_bindgen(js_name = binnedRate)]
pub fn binned_rate(edges: &[f64], time_s: &[f64], total: &[f64]) -> Vec<f64> {
    bins::rate(edges, time_s, total)
}
