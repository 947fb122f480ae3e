//! What happens to copies, and what the ledger says of it.

use super::*;
use crate::ids::{FlowId, NodeId, PacketId};

/// A data packet of flow 0 from node 0 to node 1.
pub(crate) fn datagram(size: u32) -> Packet {
    Packet {
        number: 0,
        flow: FlowId(0),
        source: NodeId(0),
        destination: NodeId(1),
        to: End::Receiver,
        class: Class::Data,
        ecn: Ecn::NotCapable,
        hop_limit: 64,
        attempt: 0,
        is_attempt: false,
        is_retransmission: false,
        is_copied: false,
        place: Place::node(NodeId(0)),
        size,
        first_sent: Instant::ZERO,
        offset: 0,
        header: None,
        payload: Payload::Datagram(size - 28),
    }
}

/// All copies are held by a MAC of node 0, apart from references.
fn audit(packets: &Packets, held: &[PacketId], references: &[PacketId]) {
    let held: Vec<Held> =
        held.iter().map(|&packet| Held { packet, location: Location::Mac, node: NodeId(0) }).collect();
    packets.reconcile(&held, references.iter().copied());
}

#[test]
fn every_copy_has_one_end() {
    let mut packets = Packets::new(1);
    let first = packets.originate(datagram(100));
    let copy = packets.duplicate(first);
    packets.deliver(first);
    audit(&packets, &[copy], &[]);
    packets.discard(copy, Discard::Duplicate);
    let lost = packets.originate(datagram(100));
    packets.drop(lost, Cause::QueueFull);
    audit(&packets, &[], &[]);
    assert_eq!(packets.losses(0).drops[Cause::QueueFull as usize], 1);
}

#[test]
fn an_attempt_that_fails_is_no_drop() {
    let mut packets = Packets::new(1);
    let kept = packets.originate(datagram(100));
    let tried = packets.copy_for_attempt(kept);
    packets.drop(tried, Cause::Collision);
    packets.drop(kept, Cause::LinkFailure);
    audit(&packets, &[], &[]);
    let Losses { drops, failed_attempts } = packets.losses(0);
    assert_eq!((drops[Cause::LinkFailure as usize], drops.iter().sum::<u64>()), (1, 1));
    assert_eq!((failed_attempts[Cause::Collision as usize], failed_attempts.iter().sum::<u64>()), (1, 1));
}

#[test]
fn a_message_lives_as_long_as_the_last_copy_that_carries_it() {
    let mut packets = Packets::new(0);
    let first = packets.originate_message(NodeId(3), 1, 48, Message::Greeting, Instant::ZERO);
    let (copy, reference) = (packets.duplicate(first), packets.reference(first));
    packets.drop(first, Cause::Collision);
    packets.deliver_message(copy);
    assert_eq!(packets.message(reference), Some(&Message::Greeting));
    audit(&packets, &[], &[reference]);
    packets.forget(reference);
    assert!(packets.messages.is_empty());
    assert_eq!(packets.all_losses().drops[Cause::Collision as usize], 1);
    audit(&packets, &[], &[]);
}

#[test]
fn a_delivered_packet_gives_its_header_back() {
    let mut packets = Packets::new(1);
    let packet = packets.originate(datagram(100));
    packets.put_header(packet, Message::Greeting, 12);
    packets.deliver(packet);
    audit(&packets, &[], &[]);
}

#[test]
fn a_reference_outlives_its_packet_and_is_not_in_the_ledger() {
    let mut packets = Packets::new(1);
    let packet = packets.originate(datagram(100));
    let reference = packets.reference(packet);
    audit(&packets, &[packet], &[reference]);
    packets.deliver(packet);
    assert_eq!(packets[reference].size, 100);
    audit(&packets, &[], &[reference]);
    packets.forget(reference);
    audit(&packets, &[], &[]);
    let account = packets.account(Class::Data);
    assert_eq!((account.originated, account.begun(), account.delivered), (1, 1, 1));
}

#[test]
#[should_panic(expected = "0 copies are held but 1 are alive")]
fn a_forgotten_copy_is_found() {
    let mut packets = Packets::new(1);
    packets.originate(datagram(100));
    audit(&packets, &[], &[]);
}
