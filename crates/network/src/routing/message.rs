//! [`Message`]: what the routing protocols of neighbours say to each other.

/// A message of one of the protocols.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    /// Here I am: what a protocol sends to be heard, of whatever protocol.
    Greeting,
    /// Of AODV.
    Aodv(super::aodv::messages::Message),
    /// Of DSDV.
    Dsdv(super::dsdv::messages::Update),
    /// Of OLSR.
    Olsr(super::olsr::messages::Message),
}
