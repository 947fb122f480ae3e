//! The results of a run, as JSON and as columns.

use farlink_scenario::{RunResults, Series, explain};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::columns::Columns;
use crate::memory::Buffer;

/// The results of a run.
#[wasm_bindgen]
pub struct Results {
    inner: RunResults,
    series: Series,
    pcap: Buffer,
}

impl Results {
    pub(crate) fn new(inner: RunResults, pcap: Buffer) -> Self {
        Self { series: inner.series(), inner, pcap }
    }
}

#[wasm_bindgen]
impl Results {
    /// One seed's part of the JSON document.
    pub fn json(&self) -> String {
        self.inner.to_json().to_string()
    }

    /// What limited each flow, as a JSON array.
    pub fn explanation(&self) -> String {
        explain(&self.inner).to_json().to_string()
    }

    /// The recording for the animation, as JSON, if requested.
    pub fn animation(&self) -> Option<String> {
        self.inner.animation.as_ref().map(ToString::to_string)
    }

    /// The time series of flows.
    #[wasm_bindgen(js_name = flowSeries)]
    pub fn flow_series(&self) -> Columns {
        Columns::new(self.series.flows.clone())
    }

    /// The time series of links.
    #[wasm_bindgen(js_name = linkSeries)]
    pub fn link_series(&self) -> Columns {
        Columns::new(self.series.links.clone())
    }

    /// The capture of the packets at the flows' senders, if requested.
    pub fn pcap(&self) -> Vec<u8> {
        self.pcap.take()
    }
}
