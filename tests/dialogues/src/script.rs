//! A script: events in their order, with numbers as the script counts them.

use farlink_kernel::Duration;
use farlink_tcp::Flags;
use farlink_tcp::segment::Options;

use crate::header::Setting;

/// A script that was understood.
#[derive(Clone, Debug)]
pub struct Script {
    /// How to set up the connection.
    pub setting: Setting,
    /// What happens.
    pub events: Vec<Event>,
}

/// One line of a dialogue.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// Its line, from 1.
    pub line: usize,
    /// When it happens.
    pub when: When,
    /// What happens.
    pub action: Action,
}

/// A time: since the start, or since the event before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// `1.5`
    At(Duration),
    /// `+.5`
    After(Duration),
    /// `1.0~2.0`
    AtBetween(Duration, Duration),
    /// `+1.0~+2.0`
    AfterBetween(Duration, Duration),
    /// `*`
    Any,
}

/// What happens.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// A packet arrives.
    Inject(Packet),
    /// A router reports an error.
    Icmp(Icmp),
    /// A packet is sent.
    Expect(Packet),
    /// The application calls.
    Call(Call),
    /// A command of the shell changes the host.
    Command(String),
    /// The connection is looked at.
    Assert(Vec<Assertion>),
}

/// A TCP packet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packet {
    /// The ECN field, if it is given.
    pub ecn: Option<Ecn>,
    /// The control bits.
    pub flags: Flags,
    /// The first sequence number and the payload's length.
    pub seq: u32,
    /// Payload in bytes.
    pub len: u32,
    /// The acknowledgement number.
    pub ack: Option<u32>,
    /// The window field, if it is given.
    pub window: Option<u16>,
    /// The options; `None` for `<...>`: whatever they are.
    pub options: Option<Options>,
}

/// An ICMP message that arrives: `icmp unreachable frag_needed mtu 840 [0:1000(1000)]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Icmp {
    /// The next link's MTU, if the message says that fragmentation is needed; otherwise something is unreachable.
    pub mtu: Option<u64>,
    /// The error it sets.
    pub errno: &'static str,
    /// First sequence number of the TCP packet it is about; `None`: the oldest outstanding one.
    pub seq: Option<u32>,
}

/// The ECN field as scripts write it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ecn {
    /// `[noecn]`
    None,
    /// `[ect0]`
    Ect0,
    /// `[ect1]`
    Ect1,
    /// `[ect01]`: either; a packet that arrives has ECT(0)
    Ect,
    /// `[ce]`
    Ce,
}

/// A socket call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// When a call that blocks returns: a time like the event's.
    pub until: Option<Duration>,
    /// The function.
    pub name: String,
    /// What it is given.
    pub arguments: Vec<Expression>,
    /// What it returns.
    pub result: Expression,
    /// The error it sets.
    pub errno: Option<String>,
}

/// An argument or a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expression {
    /// `...`
    Any,
    /// A number.
    Integer(i64),
    /// A symbol, or several joined by `|`.
    Words(Vec<String>),
    /// A string.
    Text(String),
    /// `[a, b]`
    List(Vec<Expression>),
    /// `{..., 1000}` or `{fd=4, events=POLLIN}`: values with their names, which may be empty.
    Record(Vec<(String, Expression)>),
}

/// One `assert`: true when, of one of the outer members, all inner ones hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assertion {
    /// Its line, from 1.
    pub line: usize,
    /// As written.
    pub text: String,
    /// Comparisons joined by `and`, and these by `or`.
    pub any_of: Vec<Vec<Comparison>>,
}

/// `tcpi_snd_cwnd == 10`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// The field of `struct tcp_info`.
    pub field: Field,
    /// The bits that count: `(tcpi_options & TCPI_OPT_SYN_DATA)`.
    pub mask: i64,
    /// How it is compared.
    pub operator: Operator,
    /// With what.
    pub value: i64,
}

/// How two integers are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// `==`.
    Equal,
    /// `!=`.
    Unequal,
    /// `<`.
    Less,
    /// `<=`.
    LessOrEqual,
    /// `>`.
    Greater,
    /// `>=`.
    GreaterOrEqual,
}

impl Operator {
    /// The operator with its sides changed over.
    pub fn mirrored(self) -> Self {
        match self {
            Self::Equal | Self::Unequal => self,
            Self::Less => Self::Greater,
            Self::LessOrEqual => Self::GreaterOrEqual,
            Self::Greater => Self::Less,
            Self::GreaterOrEqual => Self::LessOrEqual,
        }
    }

    /// Whether `left` and `right` compare like this.
    pub fn holds(self, left: i64, right: i64) -> bool {
        match self {
            Self::Equal => left == right,
            Self::Unequal => left != right,
            Self::Less => left < right,
            Self::LessOrEqual => left <= right,
            Self::Greater => left > right,
            Self::GreaterOrEqual => left >= right,
        }
    }
}

/// The fields of Linux' `struct tcp_info` that a connection can answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// State of RFC 9293, in Linux' numbers.
    State,
    /// Whether losses are being repaired, in Linux' numbers: 0 no, 1 segments overtake others, 3 found by ACKs, 4 after a
    /// timeout.
    CaState,
    /// Congestion window in segments, floored.
    Cwnd,
    /// Slow start threshold in segments, floored; 2^31 - 1 when infinite.
    Ssthresh,
    /// Segments sent and not acknowledged.
    Unacked,
    /// Data segments retransmitted in all.
    TotalRetrans,
    /// Retransmission timeout in microseconds.
    Rto,
    /// Smoothed round-trip time in microseconds.
    Rtt,
    /// Payload of a full segment.
    SndMss,
    /// The MSS option of our SYN.
    AdvMss,
    /// Bytes acknowledged.
    BytesAcked,
    /// Bytes received in order.
    BytesReceived,
    /// Of the options, whether all data of the SYN were accepted.
    Options,
    /// Segments delivered, the SYN included.
    Delivered,
    /// Outstanding segments that were SACKed.
    Sacked,
    /// Outstanding segments taken for lost.
    Lost,
    /// Retransmitted segments that are outstanding.
    Retrans,
    /// Milliseconds since data arrived last.
    LastDataRecv,
    /// Time limited by the peer's window, in microseconds.
    RwndLimited,
    /// Time with data to send or to be acknowledged, in microseconds.
    BusyTime,
    /// Smallest round-trip time in microseconds.
    MinRtt,
}

impl Field {
    /// Every field and what scripts call it.
    pub const NAMES: [(&'static str, Self); 21] = [
        ("tcpi_state", Self::State),
        ("tcpi_ca_state", Self::CaState),
        ("tcpi_snd_cwnd", Self::Cwnd),
        ("tcpi_snd_ssthresh", Self::Ssthresh),
        ("tcpi_unacked", Self::Unacked),
        ("tcpi_total_retrans", Self::TotalRetrans),
        ("tcpi_rto", Self::Rto),
        ("tcpi_rtt", Self::Rtt),
        ("tcpi_snd_mss", Self::SndMss),
        ("tcpi_advmss", Self::AdvMss),
        ("tcpi_bytes_acked", Self::BytesAcked),
        ("tcpi_bytes_received", Self::BytesReceived),
        ("tcpi_options", Self::Options),
        ("tcpi_delivered", Self::Delivered),
        ("tcpi_sacked", Self::Sacked),
        ("tcpi_lost", Self::Lost),
        ("tcpi_retrans", Self::Retrans),
        ("tcpi_last_data_recv", Self::LastDataRecv),
        ("tcpi_rwnd_limited", Self::RwndLimited),
        ("tcpi_busy_time", Self::BusyTime),
        ("tcpi_min_rtt", Self::MinRtt),
    ];
}
