//! Rows of the time series, as they are sampled.

use farlink_kernel::Instant;
use farlink_tcp::connection::Sample;

use crate::ids::FlowId;
use crate::metrics::jitter::Jitter;
use crate::queue::Backlog;
use crate::results::{FlowSeries, LinkSeries, UNDEFINED};

/// What was counted of a flow so far.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counts {
    pub(crate) sent: u64,
    pub(crate) delivered: u64,
    pub(crate) received_bytes: u64,
}

/// What only one transport protocol has.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Protocol<'a> {
    /// The sample of the sender, then that of the receiver.
    Tcp(&'a Sample, &'a Sample),
    Udp(&'a Jitter),
}

impl FlowSeries {
    /// One flow at one time. How many of its datagrams were lost is known at the end of the run only.
    pub(crate) fn push(&mut self, now: Instant, flow: FlowId, counts: Counts, protocol: Protocol<'_>) {
        self.time_ns.push(now.as_nanos());
        self.flow.push(flow.0);
        self.received_bytes.push(counts.received_bytes);
        self.packets_sent.push(counts.sent);
        self.packets_delivered.push(counts.delivered);
        match protocol {
            Protocol::Tcp(sender, receiver) => self.push_tcp(sender, receiver),
            Protocol::Udp(jitter) => {
                // Datagrams have no order.
                self.delivered_bytes.push(counts.received_bytes);
                self.push_udp(jitter);
            }
        }
    }

    fn push_tcp(&mut self, sample: &Sample, receiver: &Sample) {
        self.delivered_bytes.push(receiver.delivered);
        self.phase.push(Some(if sample.is_frozen { "frozen" } else { sample.phase.name() }));
        self.cwnd_segments.push(sample.window.cwnd);
        self.ssthresh_segments.push(sample.window.ssthresh);
        self.rtt_ns.push(sample.latest_rtt.as_nanos());
        self.srtt_ns.push(sample.srtt.as_nanos());
        self.rto_ns.push(sample.rto.as_nanos());
        self.flight_bytes.push(sample.flight_size.0);
        self.snd_una_bytes.push(sample.snd_una);
        self.snd_nxt_bytes.push(sample.snd_nxt);
        self.rcv_nxt_bytes.push(receiver.rcv_nxt);
        self.jitter_s.push(f64::NAN);
    }

    fn push_udp(&mut self, jitter: &Jitter) {
        self.jitter_s.push(jitter.smoothed_s().unwrap_or(f64::NAN));
        self.phase.push(None);
        self.cwnd_segments.push(f64::NAN);
        self.ssthresh_segments.push(f64::NAN);
        for column in [
            &mut self.rtt_ns,
            &mut self.srtt_ns,
            &mut self.rto_ns,
            &mut self.flight_bytes,
            &mut self.snd_una_bytes,
            &mut self.snd_nxt_bytes,
            &mut self.rcv_nxt_bytes,
        ] {
            column.push(UNDEFINED);
        }
    }
}

impl LinkSeries {
    pub(crate) fn push(&mut self, now: Instant, link: u32, backlog: &Backlog) {
        self.time_ns.push(now.as_nanos());
        self.link.push(link);
        self.queue_packets.push(backlog.packets);
        self.queue_bytes.push(backlog.bytes);
    }
}
