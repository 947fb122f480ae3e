//! Rows of the time series, as they are sampled.

use farlink_kernel::Instant;
use farlink_tcp::connection::Sample;

use crate::queue::Backlog;
use crate::results::{FlowSeries, LinkSeries};

impl FlowSeries {
    /// One flow at one time. `sample` is the sender's, `rcv_nxt` the receiver's.
    pub(crate) fn push(&mut self, now: Instant, flow: u32, sample: &Sample, rcv_nxt: u64, received: u64) {
        self.time_ns.push(now.as_nanos());
        self.flow.push(flow);
        self.phase.push(if sample.is_frozen { "frozen" } else { sample.phase.name() });
        self.cwnd_segments.push(sample.window.cwnd);
        self.ssthresh_segments.push(sample.window.ssthresh);
        self.srtt_ns.push(sample.srtt.as_nanos());
        self.rto_ns.push(sample.rto.as_nanos());
        self.flight_bytes.push(sample.flight_size.0);
        self.snd_una_bytes.push(sample.snd_una);
        self.snd_nxt_bytes.push(sample.snd_nxt);
        self.rcv_nxt_bytes.push(rcv_nxt);
        self.received_bytes.push(received);
    }
}

impl LinkSeries {
    /// One link direction at one time.
    pub(crate) fn push(&mut self, now: Instant, link: u32, backlog: &Backlog) {
        self.time_ns.push(now.as_nanos());
        self.link.push(link);
        self.queue_packets.push(backlog.packets);
        self.queue_bytes.push(backlog.bytes);
    }
}
