//! [`Results`]: what a run gives. Nothing here depends on the machine the run ran on.

use farlink_kernel::{Bytes, Duration, Instant};

use crate::ids::NodeId;
use crate::packet::log::Row;

mod workloads;

pub use workloads::{ArrivedFlow, SizeClass, Times, WorkloadResult};

/// What a run gave.
#[derive(Clone, Debug, PartialEq)]
pub struct Results {
    /// One per flow, in the blueprint's order.
    pub flows: Vec<FlowResult>,
    /// One per workload, in the blueprint's order.
    pub workloads: Vec<WorkloadResult>,
    /// Two per link (forward, reverse), in the blueprint's order, then one per interface on a channel.
    pub links: Vec<LinkResult>,
    /// One per interface on a channel, in the same order.
    pub stations: Vec<StationResult>,
    /// One per station and neighbour it sent packets to, in the order of stations, then of nodes.
    pub hops: Vec<HopResult>,
    /// Packets that were dropped, by cause, of all flows and classes; copies that links made count, too. Causes
    /// that did not occur are left out.
    pub drops: Vec<(&'static str, u64)>,
    /// Those of them that were messages of routing and of ARP.
    pub message_drops: Vec<DropsAt>,
    /// Attempts to send a packet over one hop of a shared channel that failed while its sender kept it, by cause: it was
    /// tried again, or dropped as `link_failure`.
    pub failed_attempts: Vec<(&'static str, u64)>,
    /// What became of every copy of a packet, by flow and class; those without packets are left out.
    pub ledger: Vec<LedgerEntry>,
    /// Every copy of a packet, by packet, then copy; empty unless asked for
    /// ([`World::keep_ledger`](crate::World::keep_ledger)).
    pub ledger_rows: Vec<Row>,
    /// Windows, timers and sequence numbers over time; empty without `record.interval`.
    pub flow_series: FlowSeries,
    /// Queues over time; empty without `record.interval`.
    pub link_series: LinkSeries,
    /// The engine's own counters.
    pub engine: Engine,
}

/// What happened to one flow. Data packets are segments or datagrams that carry payload.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FlowResult {
    /// The flow's name.
    pub label: String,
    /// When its time began: it started, or, of a relay, had bytes to pass on; `None` when it did not begin.
    pub start: Option<Instant>,
    /// When it ended: everything delivered and acknowledged, or else the end of the run.
    pub end: Instant,
    /// Bits of data packets (IP size, copies included) that arrived, over the flow's time.
    pub throughput_bps: f64,
    /// Bits of payload that arrived in order for the first time, over the flow's time.
    pub goodput_bps: f64,
    /// Mean time from a data packet's first sending to its first arrival; `None` when none arrived.
    pub delay_mean: Option<Duration>,
    /// Median of the same, exact to 1/128 of its value (fixed logarithmic bins).
    pub delay_p50: Option<Duration>,
    /// 95th percentile of the same.
    pub delay_p95: Option<Duration>,
    /// 99th percentile of the same.
    pub delay_p99: Option<Duration>,
    /// Smallest round-trip sample; `None` without one.
    pub rtt_min: Option<Duration>,
    /// Mean round-trip sample.
    pub rtt_mean: Option<Duration>,
    /// Largest round-trip sample.
    pub rtt_max: Option<Duration>,
    /// Largest round-trip sample of the retransmission timer, which takes none of retransmitted segments without
    /// timestamps (RFC 6298 section 3) and, in ns-2's agents, one per round trip.
    pub timer_rtt_max: Option<Duration>,
    /// Data packets sent, retransmissions included.
    pub packets_sent: u64,
    /// Data packets that arrived and were not duplicates.
    pub packets_delivered: u64,
    /// Packets retransmitted: data, and SYN and FIN without data.
    pub packets_retransmitted: u64,
    /// Retransmissions that found their data at the receiver, or were followed there by the packet that they repeat.
    pub needless_retransmissions: u64,
    /// Data packets that arrived after one that was sent later.
    pub packets_reordered: u64,
    /// Packets of both directions that reached their transport and were discarded there, by cause; absent causes are
    /// left out.
    pub discarded: Vec<(&'static str, u64)>,
    /// Packets that came to the sender again, or after one sent later: the receiver's SYN/ACK and FIN.
    pub reverse_packets_repeated: u64,
    /// Delivered over sent; 0 when nothing was sent.
    pub delivery_ratio: f64,
    /// Expiries of the retransmission timer.
    pub timeouts: u64,
    /// Fast recoveries entered.
    pub fast_retransmits: u64,
    /// Reductions found to be mistakes and undone.
    pub spurious: u64,
    /// How often the sender was frozen because its route was broken.
    pub freezes: u64,
    /// Segments sent meanwhile to find out whether there is a route again.
    pub route_probes: u64,
    /// From start to the last acknowledgement of a transfer that ended; `None` otherwise.
    pub completion: Option<Duration>,
    /// Payload that arrived in order.
    pub bytes_received: Bytes,
    /// Dropped packets of the flow in both directions, by cause; absent causes are left out.
    pub drops: Vec<(&'static str, u64)>,
    /// The same by place.
    pub drops_by_place: Vec<DropsAt>,
    /// Attempts on shared channels that failed, as for all packets.
    pub failed_attempts: Vec<(&'static str, u64)>,
    /// Where the flow's time went, as fractions with sum 1; empty for flows without TCP.
    pub limited_by: Vec<(&'static str, f64)>,
    /// What is measured of datagrams only; `None` for TCP.
    pub datagrams: Option<Datagrams>,
    /// Of a call: what its listener hears.
    pub call: Option<Call>,
    /// Of a relay: what it passed on, over the whole chain of connections.
    pub end_to_end: Option<EndToEnd>,
    /// How loaded the interfaces on its path were over the flow's time: those of the path that routing knew at the
    /// flow's start, data first.
    pub path: Vec<PathLoad>,
    /// The bytes of the file to be sent, of a flow with stored payload.
    pub sent: Option<Vec<u8>>,
    /// The bytes that arrived, of a flow with stored payload.
    pub received: Option<Vec<u8>>,
}

/// What became of the copies of the packets of one flow and class. Counts of zero are left out.
///
/// `originated` and `duplicated` together are `delivered`, `discarded`, `dropped`, `failed_attempts` and
/// `in_flight` together.
#[derive(Clone, Debug, PartialEq)]
pub struct LedgerEntry {
    /// Place in [`Results::flows`], or after all of them in [`Results::workloads`]; `None` for the messages of routing
    /// and of ARP, which belong to no flow.
    pub flow: Option<u32>,
    /// `data`, `ack` or `routing`.
    pub class: &'static str,
    /// Packets that began.
    pub originated: u64,
    /// Copies made of packets in flight, by what made them.
    pub duplicated: Vec<(&'static str, u64)>,
    /// Copies that reached their destination's transport, or the routing that reads them.
    pub delivered: u64,
    /// Copies that ended because another one goes on or was there before, or because the transport of their
    /// destination discarded them, by reason.
    pub discarded: Vec<(&'static str, u64)>,
    /// Copies lost, by cause.
    pub dropped: Vec<(&'static str, u64)>,
    /// Copies lost whose senders kept another for a retransmission, by cause.
    pub failed_attempts: Vec<(&'static str, u64)>,
    /// Copies that some layer holds at the end, by location.
    pub in_flight: Vec<(&'static str, u64)>,
}

/// What is measured of a flow without TCP.
#[derive(Clone, Debug, PartialEq)]
pub struct Datagrams {
    /// Bits of payload that the application sent, over the flow's time.
    pub sent_bps: f64,
    /// Datagrams of which no copy arrived and none is under way at the end of the run.
    pub lost: u64,
    /// Mean of the absolute differences between the delays of consecutive arrivals: D(i-1, i) of RFC 3550, section
    /// 6.4.1, the IP packet delay variation of RFC 3393 for such pairs; `None` with fewer than two.
    pub delay_variation: Option<Duration>,
    /// Mean over the arrivals of the interarrival jitter J of RFC 3550, section 6.4.1, in seconds; `None` with fewer
    /// than two.
    pub jitter_mean_s: Option<f64>,
    /// Largest value of the same.
    pub jitter_max_s: Option<f64>,
}

/// What the listener of a call hears.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Call {
    /// Packets that arrived after their time of playout.
    pub late: u64,
    /// Mouth-to-ear delay: coding, the delay of the packet that arrived first, and the playout buffer; `None` when nothing arrived.
    pub mouth_to_ear: Option<Duration>,
    /// The rating R of ITU-T G.107; `None` without a delay, or for a codec whose impairment is not known.
    pub rating: Option<f64>,
    /// The mean opinion score that ITU-T G.107 estimates from R.
    pub mos: Option<f64>,
}

/// What a relay passed on, from the flow with data of its own to the relay's receiver.
#[derive(Clone, Debug, PartialEq)]
pub struct EndToEnd {
    /// Place in [`Results::flows`] of the flow with data of its own; time is from its start on.
    pub origin: u32,
    /// Payload that arrived in order at the relay's receiver.
    pub bytes: Bytes,
    /// Its bits over the time until the relay's transfer ended, or the run.
    pub goodput_bps: f64,
    /// Mean time from the first sending of a packet's first byte by the origin to the packet's first arrival at the
    /// relay's receiver.
    pub delay_mean: Option<Duration>,
    /// Median of the same.
    pub delay_p50: Option<Duration>,
    /// 95th percentile of the same.
    pub delay_p95: Option<Duration>,
    /// 99th percentile of the same.
    pub delay_p99: Option<Duration>,
    /// Until the last acknowledgement of a transfer that ended.
    pub completion: Option<Duration>,
}

/// Dropped packets at one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DropsAt {
    /// The node; what is lost on a link or a medium is dropped at its sender.
    pub node: NodeId,
    /// Place in [`Results::links`] if it was dropped at an interface of the node or behind it.
    pub link: Option<u32>,
    /// Of what class, as in the ledger.
    pub class: &'static str,
    /// Why.
    pub cause: &'static str,
    /// How many.
    pub packets: u64,
}

/// What an interface carries of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Carries {
    /// What goes from the flow's sender to its receiver.
    Data,
    /// What goes back.
    Acks,
}

/// How loaded an interface was over a flow's time, as shares of that time.
#[derive(Clone, Debug, PartialEq)]
pub struct PathLoad {
    /// Place in [`Results::links`].
    pub link: u32,
    /// What of the flow passes it.
    pub carries: Carries,
    /// Time spent sending.
    pub utilisation: f64,
    /// Time in which the shared medium was busy there: the station sent, or sensed others; `None` for links.
    pub medium: Option<f64>,
    /// Time in which packets waited at a station; 0 for links.
    pub backlogged: f64,
}

/// What happened at one direction of a link, or at one interface on a channel.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkResult {
    /// `ground->remote`, or `channel:node`.
    pub link: String,
    /// Time spent sending over the run's time.
    pub utilisation: f64,
    /// Mean number of packets waiting, over time; the one being sent does not wait.
    pub queue_mean_packets: f64,
    /// Largest number of packets waiting.
    pub queue_max_packets: u64,
    /// Packets offered to the link after its queue.
    pub packets: u64,
}

/// What happened at one interface on a channel. A frame tried twice is sent twice; frames are RTS, CTS
/// and acknowledgements, too.
#[derive(Clone, Debug, PartialEq)]
pub struct StationResult {
    /// The channel's name.
    pub channel: String,
    /// The node's name.
    pub node: String,
    /// Frames sent.
    pub frames_sent: u64,
    /// Those of them that repeat a request or a frame with packets.
    pub retries: u64,
    /// Those of them that carry two packets, data and an acknowledgement of TCP.
    pub frames_combined: u64,
    /// Frames received that were for it, or for everyone.
    pub frames_received: u64,
    /// Frames received that were for others.
    pub frames_overheard: u64,
    /// Duplicates addressed to it: discarded, or forwarded where no duplicates are detected.
    pub duplicates_received: u64,
    /// Attempts without an answer in its slot, with MAC `frn`.
    pub answers_missed: u64,
    /// Those of them whose answer was received later.
    pub answers_late: u64,
    /// Packets given back to routing because the neighbour did not answer.
    pub packets_given_up: u64,
    /// Why the attempts of those packets failed.
    pub given_up_attempts: Vec<(&'static str, u64)>,
    /// Frames sent to one neighbour that it did not receive, by cause.
    pub undelivered: Vec<(&'static str, u64)>,
    /// Signals that ended here and were not received, whatever their destination, by cause.
    pub missed: Vec<(&'static str, u64)>,
    /// Time it transmitted.
    pub transmitting: Duration,
    /// Time in which the medium was busy there: it transmitted, or sensed others.
    pub busy: Duration,
    /// What the radio consumed, in joules.
    pub energy_joules: f64,
}

impl StationResult {
    /// Signals that ended here, received or not.
    pub fn signals(&self) -> u64 {
        let missed: u64 = self.missed.iter().map(|(_, signals)| signals).sum();
        self.frames_received + self.frames_overheard + missed
    }
}

/// What happened from one station to one neighbour on a channel.
#[derive(Clone, Debug, PartialEq)]
pub struct HopResult {
    /// The channel's name.
    pub channel: String,
    /// The station's node.
    pub from: String,
    /// The neighbour.
    pub to: String,
    /// How often a packet was tried: a request, or the frame itself where none goes before it.
    pub attempts: u64,
    /// Those of them that failed, by why; causes that did not occur are left out.
    pub failed_attempts: Vec<(&'static str, u64)>,
    /// Packets given back to routing because the neighbour did not answer.
    pub packets_given_up: u64,
}

/// What stands in an integer column where it is not defined, such as sequence numbers of flows without TCP.
pub const UNDEFINED: u64 = u64::MAX;

/// A series of flows: one row per flow and sample, in order of time, then flow. What only TCP has is [`UNDEFINED`] or
/// NaN for other flows, and so is for TCP what only datagrams have.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FlowSeries {
    /// When the sample was taken, since the start of the run.
    pub time_ns: Vec<u64>,
    /// Place in [`Results::flows`].
    pub flow: Vec<u32>,
    /// `open`; which losses are being repaired (`fast`, `timeout`); or `frozen`, by a route failure. `None` without
    /// TCP.
    pub phase: Vec<Option<&'static str>>,
    /// Congestion window.
    pub cwnd_segments: Vec<f64>,
    /// Slow-start threshold; infinite when unknown.
    pub ssthresh_segments: Vec<f64>,
    /// The latest round-trip sample.
    pub rtt_ns: Vec<u64>,
    /// Smoothed round-trip time.
    pub srtt_ns: Vec<u64>,
    /// Retransmission timeout.
    pub rto_ns: Vec<u64>,
    /// Sent and not acknowledged.
    pub flight_bytes: Vec<u64>,
    /// Oldest unacknowledged offset (`SND.UNA`).
    pub snd_una_bytes: Vec<u64>,
    /// Next offset to be sent (`SND.NXT`).
    pub snd_nxt_bytes: Vec<u64>,
    /// Next offset the receiver expects (`RCV.NXT`).
    pub rcv_nxt_bytes: Vec<u64>,
    /// Payload that arrived so far, of TCP in order.
    pub received_bytes: Vec<u64>,
    /// Payload that arrived so far, each byte once, in order or not. The bytes of a packet count evenly over the time since
    /// the packet before it, or since it was first sent if that was later, so that they grow no faster than a link carries them.
    pub delivered_bytes: Vec<u64>,
    /// Data packets sent so far, retransmissions included.
    pub packets_sent: Vec<u64>,
    /// Data packets that arrived so far and were not duplicates.
    pub packets_delivered: Vec<u64>,
    /// Of the datagrams sent so far, those of which no copy arrived until the end of the run and none is under way
    /// then. Without loss, 0 in every row; [`UNDEFINED`] for TCP.
    pub packets_lost: Vec<u64>,
    /// Interarrival jitter J of RFC 3550, section 6.4.1, in seconds; NaN for TCP and before the second arrival.
    pub jitter_s: Vec<f64>,
}

/// A series of links: one row per link direction and sample, in order of time, then link.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LinkSeries {
    /// When the sample was taken, since the start of the run.
    pub time_ns: Vec<u64>,
    /// Place in [`Results::links`].
    pub link: Vec<u32>,
    /// Packets that wait.
    pub queue_packets: Vec<u64>,
    /// Their bytes.
    pub queue_bytes: Vec<u64>,
}

/// The engine's counters.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Engine {
    /// Events handled.
    pub events: u64,
    /// Packets that were delivered to a transport, of all flows and classes.
    pub deliveries: u64,
    /// Simulated time.
    pub simulated: Duration,
}
