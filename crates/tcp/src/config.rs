//! The options of a connection, orthogonal and typed, and the presets over them.
//!
//! Old papers ran other systems than today's TCP. What differs is an option here, never a copy of code.

use farlink_kernel::config::above;
use farlink_kernel::config::{Diagnostic, Kind, Node, Read};
use farlink_kernel::{Bytes, Duration, choice, config};

use crate::amount::Amount;
use crate::congestion::arithmetic::{RecoveryWindow, WindowArithmetic, WindowCounting};
use crate::congestion::hystart_plus_plus;
use crate::fast_open::FastOpen;
use crate::{congestion, recovery, route_failure};

mod ecn;

pub use ecn::EcnMode;

choice! {
    /// Where the defaults of all other options come from.
    pub enum Preset {
        /// Today's RFCs, real-valued windows.
        Rfc = "rfc",
        /// The classic agents of ns-2.35 (studies 000, 001, 004).
        Ns2 = "ns2",
        /// The TCP-Linux agent of ns-2.35 (studies 002, 003).
        Ns2Linux = "ns2_linux",
        /// Today's Linux kernel.
        Linux = "linux",
    }
}

choice! {
    /// What comes before data.
    pub enum Handshake {
        /// SYN and SYN/ACK (RFC 9293 section 3.5).
        ThreeWay = "three_way",
        /// Nothing: the SYN is the first packet of the window, data follow it at once, and both ends know each other's
        /// options beforehand (ns-2's one-way agents).
        OneWay = "one_way",
    }
}

choice! {
    /// When the receiver acknowledges.
    pub enum DelayedAck {
        /// Every segment at once.
        Off = "off",
        /// Every second full segment or after 200 ms (RFC 5681 section 4.2, RFC 9293 section 3.8.6.3).
        Rfc = "rfc",
        /// Every second segment or after 100 ms (ns-2 `DelAck`).
        Ns2 = "ns2",
        /// When more than a full segment arrived, as Linux 6.18 does it: at once the first 16, also after old data and after a
        /// pause of an RTO; the end of a burst (PSH) and a segment that is not full, when the reader takes them; and, with
        /// `receive_autotuning`, every segment that opens the window further. Else after 40 to 200 ms, as arrivals are apart.
        Linux = "linux",
    }
}

choice! {
    /// What the largest window bounds.
    pub enum MaxWindowOf {
        /// All that is sent and not acknowledged up to a hole, as a receiver's window does.
        Unacknowledged = "unacknowledged",
        /// What is in the network: what is SACKed or lost makes room for new data (ns-2 TCP-Linux).
        InFlight = "in_flight",
    }
}

choice! {
    /// How slow start ends before the first loss.
    pub enum SlowStart {
        /// At the threshold or the first loss.
        Standard = "standard",
        /// HyStart++ (RFC 9406): also when the round-trip time grows.
        HystartPlusPlus = "hystart_plus_plus",
    }
}

choice! {
    /// What the minimum RTO is applied to.
    pub enum MinRto {
        /// The whole of SRTT + 4 RTTVAR (RFC 6298 rule 2.4).
        Whole = "whole",
        /// The variance term only, which is the largest of a round trip and falls by a quarter per round trip (Linux,
        /// `tcp_rtt_estimator`).
        Variance = "variance",
    }
}

choice! {
    /// Which ACKs restart the retransmission timer.
    pub enum TimerRestart {
        /// Those that acknowledge new data (RFC 6298 rule 5.3).
        NewData = "new_data",
        /// Those that acknowledge new data, and those that SACK data sent before the first outstanding segment was sent
        /// last: its retransmission cannot be answered before them (Linux, `tcp_clean_rtx_queue`).
        EarlierSacks = "earlier_sacks",
        /// All, duplicates too (ns-2 TCP-Linux).
        EveryAck = "every_ack",
    }
}

choice! {
    /// What a loss reduces.
    pub enum ReduceFrom {
        /// Data sent and not acknowledged (RFC 5681 equation 4).
        FlightSize = "flight_size",
        /// The congestion window, within the maximum window (Linux, ns-2).
        Cwnd = "cwnd",
    }
}

choice! {
    /// Which ACKs give the retransmission timer a round-trip sample.
    pub enum RttSamples {
        /// Every ACK, weighted so that a round trip counts as one sample (RFC 7323 appendix G).
        Scaled = "scaled",
        /// Every ACK with full weight.
        EveryAck = "every_ack",
        /// Every ACK with full weight, duplicates too: they echo the timestamp from before the hole, so the
        /// smoothed round-trip time grows while a loss is repaired (ns-2 TCP-Linux).
        DuplicatesToo = "duplicates_too",
        /// One timed segment per round trip (RFC 6298 section 3 without timestamps).
        OncePerRtt = "once_per_rtt",
    }
}

/// The initial window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InitialWindow {
    /// min(10 MSS, max(2 MSS, 14600 B)) (RFC 6928).
    Rfc6928,
    /// min(4 MSS, max(2 MSS, 4380 B)) (RFC 3390).
    Rfc3390,
    /// So much.
    Fixed(Amount),
}

impl InitialWindow {
    /// The window in segments of `segment_size`.
    pub fn segments(self, segment_size: Bytes) -> f64 {
        let bytes = |limit: u64, most: u64| {
            let mss = segment_size.0;
            (most * mss).min(limit.max(2 * mss)) as f64 / mss as f64
        };
        match self {
            Self::Rfc6928 => bytes(14_600, 10),
            Self::Rfc3390 => bytes(4_380, 4),
            Self::Fixed(amount) => amount.segments(segment_size),
        }
    }
}

impl Read for InitialWindow {
    fn kind() -> Kind {
        Kind::AnyOf(vec![Kind::Choice(&["rfc6928", "rfc3390"]), Amount::kind()])
    }
    fn read(node: &Node) -> Result<Self, Diagnostic> {
        match node.as_text("an initial window such as \"rfc6928\" or \"2 packets\"")? {
            "rfc6928" => Ok(Self::Rfc6928),
            "rfc3390" => Ok(Self::Rfc3390),
            _ => Amount::read(node).map(Self::Fixed),
        }
    }
    fn show(&self) -> String {
        match self {
            Self::Rfc6928 => "\"rfc6928\"".into(),
            Self::Rfc3390 => "\"rfc3390\"".into(),
            Self::Fixed(amount) => amount.show(),
        }
    }
}

/// The threshold slow start begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InitialSsthresh {
    /// Arbitrarily high (RFC 5681 section 3.1).
    Infinite,
    /// The maximum window (ns-2's agents).
    MaxWindow,
    /// A packet-pair estimate of bandwidth times delay (J. Hoe, SIGCOMM 1996).
    Hoe,
    /// So much.
    Fixed(Amount),
}

impl Read for InitialSsthresh {
    fn kind() -> Kind {
        Kind::AnyOf(vec![Kind::Choice(&["infinite", "max_window", "hoe"]), Amount::kind()])
    }
    fn read(node: &Node) -> Result<Self, Diagnostic> {
        match node.as_text("a threshold such as \"infinite\" or \"20 packets\"")? {
            "infinite" => Ok(Self::Infinite),
            "max_window" => Ok(Self::MaxWindow),
            "hoe" => Ok(Self::Hoe),
            _ => Amount::read(node).map(Self::Fixed),
        }
    }
    fn show(&self) -> String {
        match self {
            Self::Infinite => "\"infinite\"".into(),
            Self::MaxWindow => "\"max_window\"".into(),
            Self::Hoe => "\"hoe\"".into(),
            Self::Fixed(amount) => amount.show(),
        }
    }
}

config! {
    /// The options of a connection; both ends of a flow share them.
    pub struct Config {
        /// Where the defaults of all other options come from.
        pub preset: Preset = Preset::Rfc,
        /// What comes before data.
        pub handshake: Handshake = Handshake::ThreeWay,
        /// TCP Fast Open.
        pub fast_open: FastOpen = FastOpen::Off,
        /// How much may be in flight.
        pub congestion_control: congestion::Config = congestion::Config::Reno(congestion::reno::Config::default()),
        /// Which segment is sent next while losses are repaired.
        pub recovery: recovery::Config = recovery::Config::Sack(recovery::sack::Config::default()),
        /// The reaction to a broken route, where routing sends notices.
        pub route_failure: route_failure::Config = route_failure::Config::Ignore(route_failure::none::Config::default()),
        /// After a route failure a frozen sender scales window and threshold by the round trip of the new route over that of
        /// the old, once data sent afterwards are acknowledged: at the same rate a longer path holds more. The studies of
        /// route failures leave it open; off, the window stays.
        pub rescale_window: bool = false,
        /// SACK information survives a retransmission timeout (Linux) instead of being forgotten (RFC 2018).
        pub keep_sacked_on_timeout: bool = false,
        /// What a loss reduces: the flight (RFC 5681 equation 4) or the window (Linux, ns-2).
        pub reduce_from: ReduceFrom = ReduceFrom::FlightSize,
        /// A further timeout for the same segment reduces the threshold again (ns-2) instead of keeping it (RFC 5681
        /// section 3.1).
        pub repeated_timeouts_reduce: bool = false,
        /// A timeout while a loss is repaired reduces the threshold once more (RFC 5681 section 4.3). Linux keeps it, also while
        /// an ECN echo reduces the window (`tcp_enter_loss`).
        pub timeout_in_recovery_reduces: bool = true,
        /// Payload of a full segment (SMSS without options).
        pub segment_size: Bytes = Bytes(1448),
        /// Upper bound on what is sent without acknowledgement, whatever cwnd says.
        pub max_window: Option<Amount> = None,
        /// What `max_window` bounds.
        pub max_window_of: MaxWindowOf = MaxWindowOf::Unacknowledged,
        /// The window a connection starts with.
        pub initial_window: InitialWindow = InitialWindow::Rfc6928,
        /// The threshold slow start begins with. ns-2: the largest window, and 20 packets where a script changes `window_` of an
        /// agent with a radio after creating it.
        pub initial_ssthresh: InitialSsthresh = InitialSsthresh::Infinite,
        /// How slow start ends before the first loss.
        pub slow_start: SlowStart = SlowStart::Standard,
        /// How the window grows by parts of a segment.
        pub window_counting: WindowCounting = WindowCounting::Real,
        /// What the window is while a loss is repaired.
        pub window_in_recovery: RecoveryWindow = RecoveryWindow::Ssthresh,
        /// Most segments the window grows by per ACK in slow start (L of RFC 3465; HyStart++ has its own);
        /// `"none"`: no limit.
        pub slow_start_limit: Option<f64> = Some(1.0); in above(0.0),
        /// Selective acknowledgements offered and used (RFC 2018).
        pub sack: bool = true,
        /// Duplicates reported in a SACK block (RFC 2883).
        pub dsack: bool = true,
        /// Room left in the SACK option reports runs that were not reported lately (RFC 2018 section 4; not ns-2).
        pub sack_fill: bool = true,
        /// Timestamps offered and used (RFC 7323).
        pub timestamps: bool = true,
        /// Segments without timestamps are dropped once both ends have agreed to them (RFC 7323 section 3.2; Linux takes them).
        pub require_timestamps: bool = true,
        /// Tick of the clock that timestamps show (RFC 7323 section 5.4: 1 ms to 1 s; ns-2's has none, Linux may have 1 us).
        pub timestamp_clock: Duration = Duration::from_millis(1); in above(Duration::ZERO),
        /// Window scaling offered and used (RFC 7323).
        pub window_scaling: bool = true,
        /// Explicit congestion notification: `true` or `"classic"` (RFC 3168), `"accurate"` (AccECN, RFC 9768), `false`, or what
        /// the congestion control needs: that of `dctcp` and `prague`, and nothing for others.
        pub ecn: EcnMode = EcnMode::Auto,
        /// When the receiver acknowledges.
        pub delayed_ack: DelayedAck = DelayedAck::Rfc,
        /// While a hole is open, all ACKs after its first three wait for a millisecond, or a twentieth of a round trip if that
        /// is less, and one carries the SACK blocks of all (Linux, `tcp_comp_sack_delay_ns`; at most 44).
        pub sack_compression: bool = false,
        /// New data leave in bursts, of a millisecond's data at the sender's rate; their last segment has PSH (Linux with TSO
        /// or without, `tcp_tso_autosize`).
        pub segmentation_offload: bool = false,
        /// New data on the first two duplicate ACKs (RFC 3042).
        pub limited_transmit: bool = true,
        /// The window shrinks after an idle time (RFC 5681 section 4.1).
        pub idle_restart: bool = true,
        /// The window grows only when it was what limited the sender (RFC 9743 / RFC 7661 practice).
        pub grow_only_when_limited: bool = true,
        /// Packets are spaced over the round trip instead of leaving in bursts.
        pub pacing: bool = false,
        /// Data segments at the begin of a connection that leave without pacing (Linux: 10, the initial window).
        pub unpaced_segments: u64 = 0,
        /// A paced burst that leaves late lets the next leave earlier, by half of its time at most (Linux,
        /// `tcp_update_skb_after_send`).
        pub pacing_credit: bool = false,
        /// Which ACKs give the retransmission timer a round-trip sample. `scaled`: every ACK, weighted so that those of a round
        /// trip count as one (RFC 7323 appendix G); `every_ack`: every ACK with full weight, as in Linux; `once_per_rtt`: one
        /// segment per round trip (RFC 6298 section 3); `duplicates_too`: duplicate ACKs as well (ns-2's TCP-Linux).
        pub rtt_samples: RttSamples = RttSamples::Scaled,
        /// RTO before any sample (RFC 6298 rule 2.1).
        pub initial_rto: Duration = Duration::from_secs(1); in above(Duration::ZERO),
        /// Lower bound of the RTO (RFC 6298 rule 2.4: 1 s; Linux and ns-2: 200 ms).
        pub min_rto: Duration = Duration::from_secs(1),
        /// What the lower bound is applied to.
        pub min_rto_of: MinRto = MinRto::Whole,
        /// Which ACKs restart the retransmission timer.
        pub timer_restart: TimerRestart = TimerRestart::NewData,
        /// Upper bound of the RTO (RFC 6298 rule 2.5).
        pub max_rto: Duration = Duration::from_secs(60); in above(Duration::ZERO),
        /// Granularity G of the round-trip clock (RFC 6298).
        pub clock_granularity: Duration = Duration::from_millis(1),
        /// Round-trip times are whole ticks and the estimator is ns-2's integer one.
        pub rto_in_ticks: bool = false,
        /// A sample below the smoothed round-trip time raises the variance by an eighth of what it should (Linux's
        /// `tcp_rtt_estimator`, which ns-2's TCP-Linux has).
        pub damp_rtt_falls: bool = false,
        /// Timeouts of a SYN that wait equally long, before they double (Linux since 6.5: 4).
        pub syn_linear_timeouts: u32 = 0; in ..=100,
        /// Timeouts of a SYN after which the connection starts with one segment (RFC 5681 section 3.1; Linux: 2).
        pub syn_losses_reduce: u32 = 1; in 1..,
        /// The handshake gives the first round-trip sample.
        pub syn_rtt_sample: bool = true,
        /// Spurious timeouts found by F-RTO (RFC 5682).
        pub f_rto: bool = false,
        /// Spurious retransmissions found by timestamps (RFC 3522) and answered by RFC 4015.
        pub eifel: bool = false,
        /// Spurious retransmissions found by DSACK (RFC 3708) are undone.
        pub dsack_undo: bool = false,
        /// The sender's buffer: no more is written than it has room for, sent or not; with autotuning its upper bound. Each
        /// packet takes 832 bytes of it beside its payload. With segmentation offload a sender without pacing fills the
        /// window all the same. `"none"`: no limit. Linux: 4 MiB (`tcp_wmem[2]`).
        pub send_buffer: Option<Bytes> = None; in above(Bytes(0)),
        /// The sender's buffer has room for twice the window, in memory (Linux, `tcp_sndbuf_expand`).
        pub send_autotuning: bool = false,
        /// The receiver's buffer, in bytes of payload; with autotuning its upper bound. Linux 6.18: 20 MiB, five eighths of
        /// `tcp_rmem[2]`, for a packet of 1448 bytes takes 2304 of memory (`scaling_ratio`).
        pub receive_buffer: Bytes = Bytes(64 << 20),
        /// The receiver's buffer starts at 80 KiB less a segment, of which 64 KiB are offered at first. It grows with what the
        /// reader takes in a round trip, faster than slow start doubles (Linux 6.18).
        pub receive_autotuning: bool = false,
    }
    where min_rto <= max_rto
}

impl Config {
    /// What comes with the counting of windows.
    pub(crate) fn window_rules(&self) -> WindowRules {
        let is_linux = self.window_counting == WindowCounting::Linux;
        WindowRules {
            grows_by_delivered: is_linux,
            grows_on_exit: is_linux,
            is_full_for_a_round: is_linux,
            has_proportional_cwr: is_linux,
            duplicates_deliver: is_linux,
            reduces_packets: is_linux,
        }
    }

    /// The arithmetic that the congestion control shares.
    pub fn window_arithmetic(&self) -> WindowArithmetic {
        WindowArithmetic {
            counting: self.window_counting,
            in_recovery: self.window_in_recovery,
            slow_start_limit: match (self.slow_start, self.slow_start_limit) {
                (_, None) => f64::INFINITY,
                (SlowStart::Standard, Some(limit)) => limit,
                (SlowStart::HystartPlusPlus, Some(_)) => hystart_plus_plus::slow_start_limit(self.pacing),
            },
        }
    }
}

/// What a connection does with its window besides arithmetic. No key sets these options one by one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WindowRules {
    /// Data grow the window when they are delivered, SACKed data too, and not when they are acknowledged.
    pub(crate) grows_by_delivered: bool,
    /// The ACK that ends a recovery grows the window.
    pub(crate) grows_on_exit: bool,
    /// The window limits the sender if it was full at any time during the last window of data (`tcp_cwnd_validate`), and not
    /// only before the ACK.
    pub(crate) is_full_for_a_round: bool,
    /// An ECN echo reduces the window over a round trip (`tcp_enter_cwr`), and not at once (RFC 3168 section 6.1.2).
    pub(crate) has_proportional_cwr: bool,
    /// See [`recovery::Setup::duplicates_deliver`].
    pub(crate) duplicates_deliver: bool,
    /// See [`recovery::Setup::reduces_packets`].
    pub(crate) reduces_packets: bool,
}
