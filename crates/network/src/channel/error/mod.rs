//! Error models: losses, corruption, duplication and reordering on one direction of a link.
//!
//! A model decides on the k-th packet offered to the link. Its random draw is a hash of (seed, link, k), so that it does not depend
//! on the packets before.

use farlink_kernel::{Duration, registry};

pub(crate) mod bit_error_rate;
pub(crate) mod gilbert_elliott;
pub mod impair;
pub(crate) mod list;
pub(crate) mod none;
pub(crate) mod packet_error_rate;

/// A packet on a link.
#[derive(Clone, Copy, Debug)]
pub struct Offer {
    /// Number of packets offered to the link, this one included.
    pub number: u64,
    /// Its size in bytes.
    pub size: u32,
    /// True when it carries payload.
    pub is_data: bool,
}

/// The decision on a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It arrives.
    Arrives,
    /// It is lost.
    Lost,
    /// It arrives with bit errors and is dropped.
    Corrupted,
    /// It arrives twice.
    Duplicated,
    /// It is delayed by this time; later packets may overtake it.
    Held(Duration),
}

/// An error model.
pub trait ErrorModel: std::fmt::Debug + Send {
    /// Decides on a packet. Called once per packet in the order of transmission.
    fn fate(&mut self, offer: &Offer) -> Fate;
}

/// What is asked about a model before a run.
pub trait Parameters {
    /// The errors that it makes.
    fn errors(&self) -> Errors;
}

/// The errors that the parameters of a model determine before a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Errors {
    /// None: every packet arrives.
    None,
    /// Losses of packets, independent and with this probability.
    Packets(f64),
    /// Errors of bits, independent and with this probability; a packet with one is lost.
    Bits(f64),
    /// Others.
    Other,
}

/// What a member is made from besides its parameters.
#[derive(Clone, Copy, Debug)]
pub struct Setup {
    /// The run's seed.
    pub seed: u64,
    /// The link direction's number, part of its draw keys.
    pub link: u64,
}

registry! {
    /// Error models of links.
    ErrorModel(Setup) where Config: Parameters {
        /// Every packet arrives.
        none::Perfect = Config,
        /// Independent bit errors; a packet with a bit error is lost.
        bit_error_rate::BitErrorRate,
        /// Independent packet losses.
        packet_error_rate::PacketErrorRate,
        /// Gilbert-Elliott: two states with their own loss probabilities.
        gilbert_elliott::GilbertElliott,
        /// Exactly the listed packets are lost.
        list::List,
        /// Random loss, reordering, duplication and corruption, for tests.
        impair::Impair,
    }
}
