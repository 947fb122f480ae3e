//! ECN: what the ends agree on, what the receiver reports of marks, and the sender's answers (RFC 3168, RFC 8257, RFC 9768).

use farlink_kernel::Instant;

use super::accurate_ecn::{AccEcn, MARKS_PER_ACK, MARKS_WITHOUT_DATA};
use super::api::{Role, State, Transmit};
use super::cwr::Cwr;
use super::endpoint::Connection;
use super::transmit::Outlet;
use crate::config::EcnMode;
use crate::congestion::{EcnFeedback, EcnResponse};
use crate::recovery::Phase;
use crate::recovery::scoreboard::Delivery;
use crate::segment::{Ecn, Flags, Options, Segment};

/// Timeouts of a SYN with the flags of AccECN, and of a SYN/ACK, after which it has none (RFC 9768 sections 3.1.4.1 and
/// 3.2.3.2.2).
const ATTEMPTS: u32 = 2;

/// What an ACK reports of marks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Marks {
    /// Packets newly marked.
    pub(super) packets: f64,
    /// The ACK grows no window.
    pub(super) hold_growth: bool,
    /// The window is to be reduced once congestion control has seen the ACK.
    pub(super) reduce: bool,
}

impl Marks {
    pub(super) const NONE: Self = Self { packets: 0.0, hold_growth: false, reduce: false };
}

/// Agreement.
impl Connection {
    /// The feedback that this end asks for.
    pub(super) fn ecn_wanted(&self) -> EcnFeedback {
        match (self.config.ecn, self.ecn_response) {
            (EcnMode::Off, _) | (EcnMode::Auto, EcnResponse::Classic) => EcnFeedback::None,
            (EcnMode::Classic, _) | (EcnMode::Auto, EcnResponse::Dctcp) => EcnFeedback::Classic,
            (EcnMode::Accurate, _) | (EcnMode::Auto, EcnResponse::L4s) => EcnFeedback::Accurate,
        }
    }

    /// Both directions have this feedback; the peer's SYN or SYN/ACK arrived with `syn_ecn`.
    pub(super) fn agree_on_ecn(&mut self, feedback: EcnFeedback, syn_ecn: Ecn) {
        self.negotiated.ecn = feedback;
        if feedback == EcnFeedback::Accurate {
            let counters = AccEcn::new(syn_ecn);
            self.rcv.set_ecn_flags(counters.ace());
            self.acc_ecn = Some(Box::new(counters));
        }
        self.congestion.on_ecn_negotiated(feedback);
    }

    /// The flags of our SYN: those of RFC 3168 section 6.1.1, or of RFC 9768 section 3.1.1 until they may have been what
    /// keeps a SYN from arriving.
    pub(super) fn ecn_flags_of_syn(&self) -> Flags {
        match self.ecn_wanted() {
            EcnFeedback::Classic => Flags::ECE | Flags::CWR,
            EcnFeedback::Accurate if self.syn_timeouts < ATTEMPTS => Flags::ACE,
            EcnFeedback::None | EcnFeedback::Accurate => Flags(0),
        }
    }

    /// A SYN arrived: the mode of an end that responds (RFC 9768 section 3.1.2 table 2, section 3.1.3).
    pub(super) fn answer_ecn(&mut self, segment: &Segment, ecn: Ecn) {
        let feedback = match (self.ecn_wanted(), segment.flags.to_ace()) {
            (EcnFeedback::None, _) | (_, 0b000) => EcnFeedback::None,
            (EcnFeedback::Accurate, 0b011) => EcnFeedback::Classic,
            (EcnFeedback::Accurate, _) => EcnFeedback::Accurate,
            (EcnFeedback::Classic, _) if segment.flags.has(Flags::ECE | Flags::CWR) => EcnFeedback::Classic,
            (EcnFeedback::Classic, _) => EcnFeedback::None,
        };
        self.agree_on_ecn(feedback, ecn);
    }

    /// The flags of our SYN/ACK, and in AccECN mode its option, which a retransmission has no more.
    pub(super) fn ecn_flags_of_syn_ack(&mut self, options: &mut Options) -> Flags {
        let Some(counters) = &mut self.acc_ecn else {
            return if self.negotiated.ecn == EcnFeedback::Classic { Flags::ECE } else { Flags(0) };
        };
        if self.syn_timeouts >= ATTEMPTS {
            // Section 3.1.5: the client may not be in AccECN mode.
            counters.stop_capable();
            return Flags(0);
        }
        if self.syn_timeouts == 0 && options.fast_open().is_none() {
            options.set_acc_ecn(counters.full_option());
        }
        counters.reflection()
    }

    /// The SYN/ACK arrived: the mode of an end that asked (RFC 9768 section 3.1.2 table 2). True when it reports a mark.
    pub(super) fn take_ecn_answer(&mut self, segment: &Segment, ecn: Ecn) -> bool {
        let (flags, answer) = (segment.flags, segment.flags.to_ace());
        let agrees = flags.has(Flags::ECE) && !flags.has(Flags::CWR);
        let feedback = match (self.ecn_wanted(), answer) {
            (EcnFeedback::Classic, _) if agrees => EcnFeedback::Classic,
            (EcnFeedback::Accurate, 0b001) => EcnFeedback::Classic,
            (EcnFeedback::Accurate, 0b010..=0b110) => EcnFeedback::Accurate,
            _ => EcnFeedback::None,
        };
        self.agree_on_ecn(feedback, ecn);
        let Some(counters) = &mut self.acc_ecn else { return false };
        counters.take_syn_ack(ecn);
        counters.check_first_option(segment.options.acc_ecn());
        self.rcv.set_ecn_flags(counters.ace());
        counters.take_reflected_syn(answer)
    }

    /// The first ACK completes the handshake of a server in AccECN mode. True when it reports a mark on the SYN/ACK.
    pub(super) fn take_ecn_reflection(&mut self, segment: &Segment) -> bool {
        let Some(counters) = self.acc_ecn.as_mut().filter(|_| !segment.flags.has(Flags::SYN)) else {
            return false;
        };
        counters.check_first_option(segment.options.acc_ecn());
        if segment.seq_len() > 0 || !segment.options.sack.is_empty() {
            return false;
        }
        let was_marked = counters.take_reflected_syn_ack(segment.flags.to_ace());
        if !counters.heeds_marks() {
            self.congestion.on_ecn_negotiated(EcnFeedback::None);
        }
        was_marked
    }

    /// Another SYN or SYN/ACK arrived. False when it asks for another mode than the first, which resets the connection
    /// (RFC 9768 section 3.1.5).
    pub(super) fn accepts_ecn_of_duplicate_syn(&mut self, segment: &Segment, ecn: Ecn) -> bool {
        let asked = segment.flags.to_ace();
        let is_answer = segment.flags.has(Flags::ACK);
        if self.state == State::SynReceived && self.role == Role::Passive && !is_answer {
            let mixes = match self.negotiated.ecn {
                EcnFeedback::None => false,
                EcnFeedback::Classic => self.ecn_wanted() == EcnFeedback::Accurate && asked == 0b111,
                EcnFeedback::Accurate => asked == 0b011,
            };
            if let Some(counters) = self.acc_ecn.as_mut().filter(|_| !mixes) {
                counters.take_syn(ecn);
                if asked == 0 {
                    counters.stop_capable();
                }
            }
            return !mixes;
        }
        if let Some(counters) = self.acc_ecn.as_mut().filter(|_| is_answer && asked != 0) {
            counters.take_syn_ack(ecn);
            self.rcv.set_ecn_flags(counters.ace());
        }
        true
    }
}

/// The data receiver.
impl Connection {
    /// Data arrived in classic mode: a mark is echoed.
    pub(super) fn take_mark(&mut self, now: Instant, segment: &Segment, ecn: Ecn) {
        let is_marked = ecn == Ecn::Experienced;
        if self.ecn_response != EcnResponse::Dctcp {
            return self.rcv.take_mark(is_marked, segment.flags.has(Flags::CWR));
        }
        // RFC 8257 section 3.2: every ACK echoes the state of what it acknowledges, so that what has the other state is
        // acknowledged before.
        if is_marked != self.rcv.ecn_flags().has(Flags::ECE) {
            if self.rcv.delays_ack() {
                self.ack_before_change = Some(Box::new(self.acknowledgement(now)));
            }
            self.rcv.set_ecn_flags(if is_marked { Flags::ECE } else { Flags(0) });
            self.rcv.acknowledge_now();
        }
    }

    /// A packet arrived in AccECN mode: it is counted, and acknowledged at once if the rules of RFC 9768 section 3.2.2.5.1 ask
    /// for it.
    #[inline(never)]
    pub(super) fn count_mark(&mut self, segment: &Segment, ecn: Ecn) {
        let Some(counters) = &mut self.acc_ecn else { return };
        if counters.on_packet(ecn, segment.len) {
            self.rcv.acknowledge_now();
        }
        self.is_acc_ecn_due = counters.is_option_due();
        if ecn == Ecn::Experienced {
            self.rcv.set_ecn_flags(counters.ace());
            let has_data = segment.len > 0 || self.rcv.has_unacknowledged();
            self.rcv.count_mark(if has_data { MARKS_PER_ACK } else { MARKS_WITHOUT_DATA });
        }
    }

    /// The ACKs that leave before anything else.
    #[inline(never)]
    pub(super) fn transmit_ecn_acks(&mut self, now: Instant, outlet: &mut dyn Outlet) {
        while let Some(transmit) = self.next_ecn_ack(now) {
            outlet.send(&transmit);
        }
    }

    /// An ACK that leaves before anything else: of what arrived before the state of RFC 8257 changed, or the pure ACK that
    /// reflects the SYN/ACK's ECN field (RFC 9768 section 3.2.2.1).
    pub(super) fn next_ecn_ack(&mut self, now: Instant) -> Option<Transmit> {
        if let Some(transmit) = self.ack_before_change.take() {
            return Some(*transmit);
        }
        if !self.acc_ecn.as_mut()?.take_reflects() {
            return None;
        }
        let mut transmit = self.acknowledgement(now);
        let counters = self.acc_ecn.as_mut()?;
        let segment = &mut transmit.segment;
        segment.flags = segment.flags.without(Flags::ACE) | counters.reflection();
        segment.options.set_acc_ecn(counters.full_option());
        counters.on_option_sent();
        self.is_acc_ecn_due = false;
        Some(transmit)
    }

    /// An ACK gets the option that is due, data only where the segment is not full.
    pub(super) fn add_acc_ecn_option(&mut self, segment: &mut Segment) {
        let Some(counters) = &mut self.acc_ecn else { return };
        let mut with_option = *segment;
        with_option.options.set_acc_ecn(counters.option());
        let len = with_option.header_len() - segment.header_len() + u64::from(segment.len);
        if segment.len == 0 || len <= self.snd.segment_size() {
            *segment = with_option;
            counters.on_option_sent();
            self.is_acc_ecn_due = false;
        }
    }
}

/// The data sender.
impl Connection {
    /// Data leave as ECN-capable. RFC 3168 section 6.1.5: retransmissions do not. Those of an L4S sender do: all of its
    /// data are to see the same queue (RFC 9331 section 4.1).
    #[inline(never)]
    pub(super) fn make_capable(&mut self, transmit: &mut Transmit) {
        let is_l4s = self.ecn_response == EcnResponse::L4s;
        let Some(counters) = &self.acc_ecn else {
            if !transmit.is_retransmission {
                transmit.ecn = Ecn::Ect0;
                if self.ecn.take_cwr() {
                    transmit.segment.flags |= Flags::CWR;
                }
            }
            return;
        };
        if counters.may_be_capable() && (is_l4s || !transmit.is_retransmission) {
            transmit.ecn = if is_l4s { Ecn::Ect1 } else { Ecn::Ect0 };
        }
    }

    /// The ACK may report marks. By an ACK with an echo no window grows (RFC 3168 section 6.1.2), nor while the reduction
    /// leads the window; an L4S sender decides itself.
    #[inline(never)]
    pub(super) fn on_ecn_feedback(
        &mut self,
        now: Instant,
        segment: &Segment,
        has_advanced: bool,
        delivery: &Delivery,
    ) -> Marks {
        self.end_cwr_if_due(now);
        let packets = self.newly_marked(segment, delivery);
        let has_marks = if self.negotiated.ecn == EcnFeedback::Classic {
            segment.flags.has(Flags::ECE)
        } else {
            packets > 0.0
        };
        match (self.ecn_response, self.negotiated.ecn) {
            (EcnResponse::L4s, EcnFeedback::Accurate) => {
                return Marks { packets, hold_growth: false, reduce: false };
            }
            (EcnResponse::Dctcp, _) if has_marks => {
                return Marks { packets, hold_growth: true, reduce: true };
            }
            _ => {}
        }
        if has_marks {
            self.on_ecn_echo(now);
        }
        self.reduce_in_cwr(has_advanced, delivery);
        Marks { packets, hold_growth: has_marks || self.ecn.is_in_cwr(), reduce: false }
    }

    /// Packets that the ACK newly reports as marked. A segment of classic mode with an echo reports all it delivers (RFC 8257
    /// section 3.3).
    fn newly_marked(&mut self, segment: &Segment, delivery: &Delivery) -> f64 {
        let Some(counters) = &mut self.acc_ecn else {
            return if segment.flags.has(Flags::ECE) { self.snd.segments(delivery.delivered) } else { 0.0 };
        };
        let segment_size = self.snd.segment_size();
        let packets = delivery.delivered.div_ceil(segment_size);
        let (ace, option) = (segment.flags.to_ace(), segment.options.acc_ecn());
        counters.take_feedback(ace, option, packets, segment_size) as f64
    }

    /// The ACK reported marks to a member that answers them by their share, which it has counted now (RFC 8257 section 3.3).
    pub(super) fn answer_marks_by_share(&mut self, now: Instant, has_advanced: bool, delivery: &Delivery) {
        self.on_ecn_echo(now);
        self.reduce_in_cwr(has_advanced, delivery);
    }

    /// An ECN echo reduced the window, which was `prior` segments: it follows what is delivered to its new size.
    pub(super) fn begin_cwr(&mut self, prior: f64) {
        let to = self.window.cwnd;
        if self.config.window_rules().has_proportional_cwr
            && to < prior
            && !self.congestion.controls_recovery()
        {
            self.ecn.begin_cwr(Cwr::new(prior as u64, to as u64, self.snd.nxt()));
            // No reduction of before can be undone any more (`undo_marker`).
            self.suspicion = None;
        }
    }

    /// The reduction is over when data beyond it are acknowledged, or when a loss takes its place.
    fn end_cwr_if_due(&mut self, now: Instant) {
        let is_past = self.ecn.is_past(self.snd.una());
        if self.phase != Phase::Open || is_past {
            self.end_cwr();
        }
        if self.phase == Phase::Open && is_past {
            self.congestion.on_recovery_end(&mut self.window, now);
        }
    }

    /// Ends it: the window is what it was to become, unless a timeout has set another.
    pub(super) fn end_cwr(&mut self) {
        if let Some(target) = self.ecn.end_cwr().filter(|_| self.phase != Phase::Timeout) {
            self.window.cwnd = target as f64;
        }
    }

    /// An ACK during the reduction.
    fn reduce_in_cwr(&mut self, has_advanced: bool, delivery: &Delivery) {
        let is_safe = has_advanced && delivery.lost == 0;
        if let Some(window) = self.ecn.window(self.snd.board(), delivery, is_safe) {
            self.window.cwnd = window as f64;
            self.snd.forget_room();
        }
    }
}
