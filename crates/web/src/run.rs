//! One run, in slices, with its time series meanwhile.

use farlink_kernel::{Duration, Instant};
use farlink_scenario::{Record, Scenario, Simulation, UNDEFINED, Window};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::memory::Buffer;
use crate::results::Results;

/// A run in progress.
#[wasm_bindgen]
pub struct Run {
    simulation: Simulation,
    flows: Vec<String>,
    /// How many rows of the flows' and of the links' series were taken.
    taken: [usize; 2],
    /// How many of the flows' latest rows are not taken yet: most packets under way add to no earlier ones.
    held_back: usize,
    pcap: Buffer,
}

impl Run {
    pub(crate) fn new(scenario: &Scenario, seed: u64) -> Self {
        let simulation = Simulation::new(scenario, seed, Record { series: true });
        Self {
            simulation,
            flows: scenario.flow_labels.clone(),
            taken: [0; 2],
            held_back: 2 * scenario.flow_labels.len(),
            pcap: Buffer::default(),
        }
    }
}

#[wasm_bindgen]
impl Run {
    /// Captures the packets at the flows' senders. Before the first slice.
    pub fn capture(&mut self) {
        self.simulation.capture(Box::new(self.pcap.clone()));
    }

    /// Records the run for its animation, with frames between two times in s only. Before the first slice.
    pub fn animate(&mut self, start_s: f64, end_s: f64) {
        let [start, end] = [start_s, end_s].map(instant);
        self.simulation.animate(Window { start, end });
    }

    /// Runs until `until_s`, until `events` reaches `limit`, or to the end; true while there is more to do.
    pub fn advance(&mut self, until_s: f64, limit: f64) -> bool {
        let more = self.simulation.advance_events(instant(until_s), limit as u64);
        if !more {
            self.held_back = 0;
        }
        more
    }

    /// How many events were handled so far.
    #[wasm_bindgen(getter)]
    pub fn events(&self) -> f64 {
        self.simulation.events() as f64
    }

    /// The simulated time reached, in s.
    #[wasm_bindgen(getter, js_name = now)]
    pub fn now_s(&self) -> f64 {
        seconds(self.simulation.now().as_nanos())
    }

    /// The labels of the flows, in order.
    pub fn flows(&self) -> Vec<String> {
        self.flows.clone()
    }

    /// The names of the links, in order.
    pub fn links(&self) -> Vec<String> {
        self.simulation.link_names()
    }

    /// The rows of the flows' series since the last call, six numbers each: time in s, place of the flow, bytes
    /// delivered and bytes received in order so far, congestion window in segments, latest RTT in s. What is not
    /// defined is NaN.
    #[wasm_bindgen(js_name = takeFlowSamples)]
    pub fn take_flow_samples(&mut self) -> Vec<f64> {
        let (flows, _) = self.simulation.series();
        let end = flows.time_ns.len().saturating_sub(self.held_back).max(self.taken[0]);
        let first = std::mem::replace(&mut self.taken[0], end);
        let row = |row| {
            [
                seconds(flows.time_ns[row]),
                f64::from(flows.flow[row]),
                flows.delivered_bytes[row] as f64,
                flows.received_bytes[row] as f64,
                flows.cwnd_segments[row],
                seconds(flows.rtt_ns[row]),
            ]
        };
        (first..end).flat_map(row).collect()
    }

    /// All samples are taken anew, once the run is over: a packet that arrives adds to samples since it was sent, also
    /// to some that were taken.
    #[wasm_bindgen(js_name = retakeSamples)]
    pub fn retake_samples(&mut self) {
        self.taken = [0; 2];
    }

    /// The rows of the links' series since the last call, three numbers each: time in s, place of the link, packets
    /// that wait.
    #[wasm_bindgen(js_name = takeLinkSamples)]
    pub fn take_link_samples(&mut self) -> Vec<f64> {
        let (_, links) = self.simulation.series();
        let first = std::mem::replace(&mut self.taken[1], links.time_ns.len());
        let row =
            |row| [seconds(links.time_ns[row]), f64::from(links.link[row]), links.queue_packets[row] as f64];
        (first..links.time_ns.len()).flat_map(row).collect()
    }

    /// The results until now; the run is over.
    pub fn finish(self) -> Results {
        Results::new(self.simulation.finish(), self.pcap)
    }
}

fn instant(seconds: f64) -> Instant {
    Instant::ZERO + Duration::from_nanos((seconds * 1e9).round() as u64)
}

fn seconds(nanoseconds: u64) -> f64 {
    if nanoseconds == UNDEFINED { f64::NAN } else { nanoseconds as f64 * 1e-9 }
}
