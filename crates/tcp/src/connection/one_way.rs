//! Data without a handshake: the SYN is the first packet of the window and data follow it at once, as ns-2's
//! one-way agents send. Both ends know what a handshake would exchange: their options, which are the same, and the
//! initial number, which is the same for both directions. The receiver's direction has no SYN.

use farlink_kernel::Instant;

use super::api::{Event, Role, State};
use super::endpoint::{Connection, initial_ssthresh};
use crate::config::Handshake;
use crate::congestion::Ack;
use crate::discard::Discard;
use crate::recovery::Phase;
use crate::recovery::scoreboard::Delivery;
use crate::segment::{Ecn, Flags, Segment};

impl Connection {
    pub(super) fn is_one_way(&self) -> bool {
        self.config.handshake == Handshake::OneWay
    }

    /// Opens as if the peer had sent the SYN that this end would send.
    pub(super) fn agree_beforehand(&mut self) {
        let options = self.syn_options();
        self.take_syn(&Segment {
            seq: self.snd.number_of(0),
            flags: Flags::SYN,
            options,
            ..Segment::default()
        });
        self.agree_on_ecn(self.ecn_wanted(), Ecn::NotCapable);
        self.snd.open_window(self.rcv.offer_window());
        self.window.ssthresh = initial_ssthresh(&self.config);
        if self.role == Role::Passive {
            self.snd.board_mut().begin_at(1);
            self.rcv.expect_syn();
            self.begin();
        }
    }

    fn begin(&mut self) {
        self.state = State::Established;
        self.events.push(Event::Established);
    }

    /// The receiver's first segment arrived at the sender.
    #[cold]
    #[inline(never)]
    pub(super) fn on_first_answer(&mut self, now: Instant, segment: &Segment, ecn: Ecn) {
        let Some(start) = self.rcv.offset_of(segment.seq) else {
            return self.rcv.discard(Discard::OutsideWindow);
        };
        if !segment.flags.has(Flags::ACK) || segment.flags.has(Flags::RST) {
            return self.on_control(now, start, segment, ecn);
        }
        self.begin();
        let prior_flight = self.snd.in_flight();
        let mut delivery = Delivery::default();
        let has_syn = self.acknowledges_syn(segment);
        if has_syn {
            self.snd.acknowledge(1, &mut delivery);
            self.follow_recovery();
        }
        let clock = self.clock;
        let echo = || segment.options.timestamps.and_then(|timestamps| clock.age_of_echo(now, timestamps));
        let rtt = delivery.oldest_sent.map(|sent| now - sent).or_else(echo);
        if let Some(sample) = rtt.filter(|_| self.config.syn_rtt_sample) {
            self.rtt.observe(sample);
            self.rtt.update(sample, 1);
        }
        self.restart_rto_if_needed(now);
        self.congestion.on_start(&mut self.window, now, self.rtt.srtt());
        if has_syn {
            // The SYN counts as a packet.
            let flight = self.snd.segments(self.snd.in_flight());
            let ack = Ack {
                now,
                acked: 1.0,
                delivered: 1.0,
                rtt,
                srtt: self.rtt.srtt(),
                min_rtt: self.rtt.min(),
                flight,
                prior_flight: self.snd.segments(prior_flight).max(1.0 + flight),
                may_grow: self.phase != Phase::Fast,
                in_recovery: self.phase == Phase::Fast,
                round_start: true,
                one_way: None,
                rate: None,
                lost: 0.0,
                pacing_wait: self.pacer.wait(now),
                marked: 0.0,
                packet: None,
            };
            self.start.on_ack(&mut self.congestion, &mut self.window, &ack);
            self.snd.forget_room();
            self.accounts.acknowledged(now);
        }
        if !has_syn || self.snd.offset_of(segment.ack) > Some(1) {
            self.on_segment(now, segment, ecn);
        }
    }

    /// The SYN is a sequence number like any other: new once.
    #[cold]
    #[inline(never)]
    pub(super) fn on_syn_of_one_way(&mut self, now: Instant, start: u64, segment: &Segment) {
        self.rcv.on_data(now, start, segment, self.rtt.srtt());
        self.rcv.acknowledge_now();
        // It may be what was missing before all data and the FIN.
        if self.rcv.is_finished() {
            self.advance_close(now);
        }
    }
}
