//! [`AccEcn`]: the counters of accurate ECN feedback (RFC 9768 section 3.2), as data receiver and as data sender.

use crate::accurate_ecn::{AccEcnOption, Order};
use crate::segment::{Ecn, Flags};

/// Initial value of the counters of CE packets (section 3.2.1).
const FIRST_CEP: u32 = 5;
/// Initial values of the counters of ECT(0), CE and ECT(1) bytes.
const FIRST_BYTES: [u32; 3] = [1, 0, 1];
const ECT0: usize = 0;
const CE: usize = 1;
const ECT1: usize = 2;
/// CE marks since the last ACK that call for another, with unacknowledged data and without (section 3.2.2.5.1).
pub(super) const MARKS_PER_ACK: u32 = 2;
pub(super) const MARKS_WITHOUT_DATA: u32 = 3;
/// The ACE field counts modulo 8, an option's field modulo 2^24.
const ACE_MASK: u64 = 7;
const FIELD_MASK: u32 = 0xff_ffff;

/// What the two directions of a connection in AccECN mode count.
#[derive(Clone, Debug)]
pub(super) struct AccEcn {
    received: Received,
    sent: Sent,
}

/// The data receiver's half: what arrived.
#[derive(Clone, Debug)]
struct Received {
    /// `r.cep`.
    cep: u32,
    /// `r.e0b`, `r.ceb`, `r.e1b`, and which of them ever changed.
    bytes: [u32; 3],
    has_changed: [bool; 3],
    /// A byte counter changed since the last option.
    is_option_due: bool,
    /// The latest packet was marked.
    was_marked: bool,
    /// The ECN field of the latest SYN or SYN/ACK of the peer.
    syn_ecn: Ecn,
    /// The SYN/ACK's ECN field is to be reflected by a pure ACK.
    reflects: bool,
}

/// The data sender's half: what the peer reported.
#[derive(Clone, Debug)]
struct Sent {
    /// `s.cep`, of which three bits are compared.
    cep: u32,
    /// `s.ceb`, modulo 2^24.
    ceb: u32,
    may_be_capable: bool,
    heeds_marks: bool,
    reads_options: bool,
    /// The ACK being processed has the handshake encoding, which is no counter.
    is_reflection: bool,
}

/// The handshake encoding of an ECN field (section 3.1.1 table 2, section 3.2.2.1 table 3).
pub(super) fn handshake_encoding(ecn: Ecn) -> u32 {
    match ecn {
        Ecn::NotCapable => 0b010,
        Ecn::Ect1 => 0b011,
        Ecn::Ect0 => 0b100,
        Ecn::Experienced => 0b110,
    }
}

/// The CE packets that an ACK of `packets` newly reports by its ACE field, where the sender knew of `cep` (section 3.2.2.5.2,
/// appendix A.2.1). Where the field may have wrapped, the safest likely number is taken, unless `ce_bytes`, which an option
/// reported, show that it did not (appendix A.2.2).
fn newly_marked(ace: u32, cep: u32, packets: u64, ce_bytes: Option<u64>, segment_size: u64) -> u64 {
    let least = u64::from(ace.wrapping_sub(cep)) & ACE_MASK;
    if packets <= ACE_MASK {
        return least;
    }
    let safe = packets - ((packets - least) & ACE_MASK);
    match ce_bytes {
        Some(0) => least,
        Some(bytes) if bytes <= least * segment_size && bytes < safe * segment_size / 2 => least,
        _ => safe,
    }
}

impl AccEcn {
    /// Counters at the begin of AccECN mode; `syn_ecn` was the ECN field of the peer's SYN or SYN/ACK.
    pub(super) fn new(syn_ecn: Ecn) -> Self {
        Self {
            received: Received {
                cep: FIRST_CEP,
                bytes: FIRST_BYTES,
                has_changed: [false; 3],
                is_option_due: false,
                was_marked: false,
                syn_ecn,
                reflects: false,
            },
            sent: Sent {
                cep: FIRST_CEP,
                ceb: FIRST_BYTES[CE],
                may_be_capable: true,
                heeds_marks: true,
                reads_options: true,
                is_reflection: false,
            },
        }
    }

    /// The ACE field of a segment sent now (section 3.2.2.2).
    pub(super) fn ace(&self) -> Flags {
        Flags::ace(self.received.cep)
    }

    /// The ECN field of the latest SYN or SYN/ACK, in the handshake encoding.
    pub(super) fn reflection(&self) -> Flags {
        Flags::ace(handshake_encoding(self.received.syn_ecn))
    }

    /// Another SYN arrived: the latest is reflected (section 3.1.5). A mark on it is not counted.
    pub(super) fn take_syn(&mut self, ecn: Ecn) {
        self.received.syn_ecn = ecn;
    }

    /// A SYN/ACK arrived: it is reflected by a pure ACK, and a mark is counted once (section 3.2.2.2).
    pub(super) fn take_syn_ack(&mut self, ecn: Ecn) {
        let received = &mut self.received;
        (received.syn_ecn, received.reflects) = (ecn, true);
        if ecn == Ecn::Experienced && received.cep == FIRST_CEP {
            received.cep += 1;
        }
    }

    /// True when a pure ACK is to reflect the SYN/ACK; asked for once.
    pub(super) fn take_reflects(&mut self) -> bool {
        std::mem::take(&mut self.received.reflects)
    }

    /// A packet with `payload` bytes arrived; true for data with a mark after a packet without, which are acknowledged at
    /// once (section 3.2.2.5.1).
    pub(super) fn on_packet(&mut self, ecn: Ecn, payload: u32) -> bool {
        let received = &mut self.received;
        let is_marked = ecn == Ecn::Experienced;
        let was_marked = std::mem::replace(&mut received.was_marked, is_marked);
        received.cep = received.cep.wrapping_add(u32::from(is_marked));
        let counter = match ecn {
            Ecn::NotCapable => None,
            Ecn::Ect0 => Some(ECT0),
            Ecn::Ect1 => Some(ECT1),
            Ecn::Experienced => Some(CE),
        };
        if let Some(counter) = counter.filter(|_| payload > 0) {
            received.bytes[counter] = received.bytes[counter].wrapping_add(payload);
            received.has_changed[counter] = true;
            received.is_option_due = true;
        }
        is_marked && !was_marked && payload > 0
    }

    /// True when the next ACK is to have an option: a byte counter changed since the last one (section 3.2.3.3).
    pub(super) fn is_option_due(&self) -> bool {
        self.received.is_option_due
    }

    /// The option for an ACK: every counter that ever changed (section 3.2.3.3).
    pub(super) fn option(&self) -> AccEcnOption {
        let changed = self.received.has_changed;
        let order = if changed[ECT1] && !changed[ECT0] { Order::One } else { Order::Zero };
        let last = if order == Order::One { changed[ECT0] } else { changed[ECT1] };
        self.option_with(order, if last { 3 } else { 1 + usize::from(changed[CE]) })
    }

    /// The option of the handshake, with all counters (section 3.2.3.2.1).
    pub(super) fn full_option(&self) -> AccEcnOption {
        self.option_with(Order::Zero, 3)
    }

    fn option_with(&self, order: Order, fields: usize) -> AccEcnOption {
        let [ect0, ce, ect1] = self.received.bytes;
        let counters = if order == Order::One { [ect1, ce, ect0] } else { [ect0, ce, ect1] };
        AccEcnOption::new(order, &counters[..fields])
    }

    /// The option left.
    pub(super) fn on_option_sent(&mut self) {
        self.received.is_option_due = false;
    }

    /// True when packets may be sent as ECN-capable.
    pub(super) fn may_be_capable(&self) -> bool {
        self.sent.may_be_capable
    }

    /// No packet is sent as ECN-capable from now on.
    pub(super) fn stop_capable(&mut self) {
        self.sent.may_be_capable = false;
    }

    /// The SYN/ACK says how our SYN, which was Not-ECT, arrived; true when it was marked, which calls for a response. Any
    /// change of Not-ECT shows that the path mangles the field (section 3.2.2.3).
    pub(super) fn take_reflected_syn(&mut self, ace: u32) -> bool {
        self.sent.may_be_capable &= matches!(ace, 0b010 | 0b101);
        ace == 0b110
    }

    /// The pure ACK of the SYN/ACK says how that arrived (section 3.2.2.1 table 4); true when it was marked.
    pub(super) fn take_reflected_syn_ack(&mut self, ace: u32) -> bool {
        let sent = &mut self.sent;
        sent.is_reflection = true;
        match ace {
            0b000 => (sent.may_be_capable, sent.heeds_marks) = (false, false),
            0b011 | 0b100 => sent.may_be_capable = false,
            0b110 => (sent.may_be_capable, sent.cep) = (false, FIRST_CEP + 1),
            _ => {}
        }
        ace == 0b110
    }

    /// False when the peer turned out not to report marks.
    pub(super) fn heeds_marks(&self) -> bool {
        self.sent.heeds_marks
    }

    /// The handshake's option: fields that are zero were tampered with (section 3.2.3.2.4).
    pub(super) fn check_first_option(&mut self, option: Option<AccEcnOption>) {
        let counters = option.map(|option| option.counters()).unwrap_or_default();
        self.sent.reads_options = counters.ect0 != Some(0) && counters.ect1 != Some(0);
    }

    /// The CE packets that an ACK newly reports, which delivered `packets`, as far as its sender tells.
    pub(super) fn take_feedback(
        &mut self,
        ace: u32,
        option: Option<AccEcnOption>,
        packets: u64,
        segment_size: u64,
    ) -> u64 {
        let sent = &mut self.sent;
        // Without progress the ACK may be superseded (appendix A.1): a later one has the counter, too.
        if std::mem::take(&mut sent.is_reflection) || packets == 0 {
            return 0;
        }
        let ce_bytes = option.filter(|_| sent.reads_options).map(|option| {
            // A field that is left out did not change (section 3.2.3).
            let ceb = option.counters().ce.unwrap_or(sent.ceb);
            let bytes = ceb.wrapping_sub(sent.ceb) & FIELD_MASK;
            sent.ceb = ceb;
            u64::from(bytes)
        });
        let marked = newly_marked(ace, sent.cep, packets, ce_bytes, segment_size);
        sent.cep = sent.cep.wrapping_add(marked as u32);
        if sent.heeds_marks { marked } else { 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MSS: u64 = 1000;

    #[test]
    fn the_ace_field_is_decoded_to_the_safest_likely_number() {
        // s.cep, ACE, packets; what an option adds is none here.
        for (cep, ace, packets, expected) in
            [(5, 6, 1, 1), (13, 2, 7, 5), (5, 4, 7, 7), (5, 6, 20, 17), (5, 5, 8, 8), (5, 5, 7, 0)]
        {
            assert_eq!(newly_marked(ace, cep, packets, None, MSS), expected, "{cep} {ace} {packets}");
        }
    }

    #[test]
    fn the_option_tells_how_often_the_field_wrapped() {
        let marked = |ce_bytes| newly_marked(6, 5, 20, Some(ce_bytes), MSS);
        assert_eq!([0, 500, 1000].map(marked), [1; 3], "no more than one segment");
        assert_eq!([1001, 17_000].map(marked), [17; 2]);
        // Many bytes per segment that are less than half of what 9 full segments have.
        assert_eq!(newly_marked(1, 0, 9, Some(900), MSS), 1);
    }

    fn ace(counters: &AccEcn) -> u32 {
        counters.ace().to_ace()
    }

    #[test]
    fn counters_begin_as_the_rfc_says_and_wrap_where_fields_do() {
        let mut counters = AccEcn::new(Ecn::NotCapable);
        assert_eq!(ace(&counters), 5);
        assert_eq!(counters.full_option(), AccEcnOption::new(Order::Zero, &[1, 0, 1]));
        for expected in [6, 7, 0, 1] {
            counters.on_packet(Ecn::Experienced, 0);
            assert_eq!(ace(&counters), expected);
        }
        assert!(!counters.is_option_due(), "packets without payload change no byte counter");
    }

    #[test]
    fn the_option_has_every_counter_that_ever_changed() {
        let fields = |arrivals: &[Ecn]| {
            let mut counters = AccEcn::new(Ecn::NotCapable);
            for &ecn in arrivals {
                counters.on_packet(ecn, 1000);
            }
            (counters.option().order(), counters.option().fields().len())
        };
        let (ect0, ect1, ce) = (Ecn::Ect0, Ecn::Ect1, Ecn::Experienced);
        assert_eq!(fields(&[ect0]), (Order::Zero, 1));
        assert_eq!(fields(&[ect0, ce]), (Order::Zero, 2));
        assert_eq!(fields(&[ce]), (Order::Zero, 2));
        assert_eq!(fields(&[ect1]), (Order::One, 1));
        assert_eq!(fields(&[ce, ect1]), (Order::One, 2));
        assert_eq!(fields(&[ect0, ect1]), (Order::Zero, 3));
    }

    #[test]
    fn only_one_marked_syn_ack_is_counted() {
        let mut counters = AccEcn::new(Ecn::NotCapable);
        counters.take_syn(Ecn::Experienced);
        assert_eq!(ace(&counters), 5, "a marked SYN is not counted");
        (0..3).for_each(|_| counters.take_syn_ack(Ecn::Experienced));
        assert_eq!((ace(&counters), counters.reflection().to_ace()), (6, 0b110));
    }

    #[test]
    fn the_pure_ack_of_the_syn_ack_has_the_meanings_of_table_4() {
        for (ace, cep, may_be_capable, heeds) in [
            (0b000, 5, false, false),
            (0b001, 5, true, true),
            (0b010, 5, true, true),
            (0b011, 5, false, true),
            (0b100, 5, false, true),
            (0b101, 5, true, true),
            (0b110, 6, false, true),
            (0b111, 5, true, true),
        ] {
            let mut counters = AccEcn::new(Ecn::NotCapable);
            assert_eq!(counters.take_reflected_syn_ack(ace), ace == 0b110);
            let sent = &counters.sent;
            assert_eq!(
                (sent.cep, sent.may_be_capable, sent.heeds_marks),
                (cep, may_be_capable, heeds),
                "{ace}"
            );
            assert_eq!(counters.take_feedback(ace, None, 1, MSS), 0, "it is no counter");
        }
    }

    #[test]
    fn options_that_were_zeroed_are_ignored() {
        let mut counters = AccEcn::new(Ecn::NotCapable);
        counters.check_first_option(Some(AccEcnOption::new(Order::Zero, &[0, 0, 0])));
        let option = Some(AccEcnOption::new(Order::Zero, &[0, 0, 0]));
        assert_eq!(counters.take_feedback(6, option, 20, MSS), 17);
    }
}
