//! Applications: when how many bytes are to be sent.

use farlink_kernel::{Bytes, Diagnostic, Instant, choice, registry};

pub mod bulk;
pub(crate) mod constant_bit_rate;
pub mod file;
pub(crate) mod on_off;
pub(crate) mod relay;
pub mod voice;

choice! {
    /// What carries an application's bytes.
    pub enum Protocol {
        /// A TCP connection.
        Tcp = "tcp",
        /// UDP datagrams, without retransmission.
        Udp = "udp",
    }
}

/// What an application wants now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Action {
    /// So many bytes are to be sent: more of a TCP stream, or one datagram.
    pub send: Bytes,
    /// Nothing follows.
    pub close: bool,
    /// When to be asked again; [`Instant::NEVER`]: not at all.
    pub wake: Instant,
}

/// More bytes than any run sends.
pub const ENDLESS: Bytes = Bytes(1 << 60);

/// The largest payload of a datagram: an IPv4 packet (65 535 B) without its headers (20 B + 8 B).
pub const LARGEST_DATAGRAM: Bytes = Bytes(65_507);

/// The role.
pub trait Application: std::fmt::Debug + Send {
    /// The flow starts, or the application asked to be woken now.
    fn on_wake(&mut self, now: Instant) -> Action;
}

/// What is asked about an application before a run.
pub trait Parameters {
    /// What it sends.
    fn traffic(&self) -> Traffic<'_>;

    /// What its receiver does with datagrams.
    fn receiver(&self) -> Receiver {
        Receiver::Counts
    }

    /// Refuses parameters that do not go together.
    ///
    /// # Errors
    /// At the key of a parameter.
    fn check(&self) -> Result<(), Diagnostic> {
        Ok(())
    }
}

/// What a receiver does with datagrams.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Receiver {
    /// Counts them, as all receivers do, and no more.
    Counts,
    /// Plays them.
    Plays(voice::Speech),
}

/// What the parameters of an application determine before a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Traffic<'a> {
    /// What carries its bytes.
    pub protocol: Protocol,
    /// Length of a datagram, or of what is written to the connection at once.
    pub write: Bytes,
    /// Mean number of these per second; infinite for writes that TCP alone delays.
    pub writes_per_second: f64,
    /// Its length in all.
    pub length: Length<'a>,
    /// The parameter that makes fewer packets if it is lower.
    pub lower: Option<&'static str>,
}

impl<'a> Traffic<'a> {
    /// A stream that TCP alone delays, of this length.
    pub fn stream(length: Length<'a>) -> Self {
        let (protocol, writes_per_second) = (Protocol::Tcp, f64::INFINITY);
        Self { protocol, write: ENDLESS, writes_per_second, length, lower: None }
    }
}

/// How much an application sends in all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length<'a> {
    /// It does not end by itself.
    Endless,
    /// So much, and then it closes.
    Bytes(Bytes),
    /// What another flow delivers to its node.
    Relayed {
        /// The label of that flow.
        flow: &'a str,
        /// Limit on the bytes written and not acknowledged.
        buffer: Bytes,
    },
}

/// What a member is made with.
#[derive(Clone, Copy, Debug)]
pub struct Setup {
    /// The run's seed.
    pub seed: u64,
    /// The flow's number, the key of its random stream.
    pub flow: u64,
}

registry! {
    /// Applications.
    Application(Setup) where Config: Parameters {
        /// Always has more to send.
        bulk::Bulk = Config,
        /// Sends one file and closes.
        file::File = Config,
        /// Alternates between bursts at a constant rate and pauses.
        on_off::OnOff,
        /// Sends packets of one size at one rate over UDP.
        constant_bit_rate::ConstantBitRate = Config,
        /// Sends what another flow delivers to its node: one connection split into two.
        relay::Relay = Config,
        /// A call in one direction: speech at a constant rate over UDP.
        voice::Voice = Config,
    }
}
