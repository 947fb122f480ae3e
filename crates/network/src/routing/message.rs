//! [`Message`]: what nodes say to their neighbours for themselves, most of it routing.

/// A message of one of the protocols; that of ARP ends at stations, the others at routing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    /// Here I am: what a protocol sends to be heard, of whatever protocol.
    Greeting,
    /// Of ARP.
    Arp(crate::channel::arp::Message),
    /// Of AODV.
    Aodv(super::aodv::messages::Message),
    /// Of DSDV.
    Dsdv(super::dsdv::messages::Update),
    /// Of DSR, or what it adds to a packet of a flow.
    Dsr(super::dsr::messages::Message),
    /// Of FRN.
    Frn(super::frn::messages::Control),
    /// Of OLSR.
    Olsr(super::olsr::messages::Message),
}
