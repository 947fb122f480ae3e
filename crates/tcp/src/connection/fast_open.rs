//! TCP Fast Open (RFC 7413 section 4.2): data with the SYN, and a server that accepts them before the handshake is complete.

use farlink_kernel::Instant;

use super::api::{Event, State};
use super::early::FastOpen;
use super::endpoint::Connection;
use crate::fast_open::{self, Cookie, FastOpenOption, Memory};
use crate::recovery::scoreboard::Delivery;
use crate::segment::{Flags, Segment};

/// Room that a SYN with data leaves for options which routers add (Linux, `MAX_TCP_OPTION_SPACE`).
const OPTION_SPACE: u64 = 40;

impl Connection {
    /// What the client remembers of earlier connections over the path, before it opens.
    pub fn remember_path(&mut self, memory: Memory) {
        self.fast_open.memory = memory;
    }

    /// What is to be remembered for the next connection over the path.
    pub fn path_memory(&self) -> Memory {
        self.fast_open.memory
    }

    /// The cookie that the server takes for valid (RFC 7413 section 4.1.2), made by its host from the client's address and
    /// a secret.
    pub fn take_cookie_for_valid(&mut self, cookie: Cookie) {
        self.fast_open.own_cookie = cookie;
    }

    /// True when all data of the SYN were accepted (Linux, `TCPI_OPT_SYN_DATA`).
    pub fn syn_data_accepted(&self) -> bool {
        self.fast_open.data_accepted
    }

    /// Most data that a SYN may carry; 0 when it may carry none, for want of a cookie.
    pub fn syn_data_limit(&self) -> u64 {
        let may_send = match self.config.fast_open {
            fast_open::FastOpen::Off => false,
            fast_open::FastOpen::Request | fast_open::FastOpen::Cookie => {
                self.fast_open.memory.cookie.is_some()
            }
            fast_open::FastOpen::WithoutCookie => true,
        };
        if !may_send {
            return 0;
        }
        let own = u64::from(self.syn_options().mss.unwrap_or(u16::MAX));
        let known = self.fast_open.memory.mss.map_or(own, u64::from);
        own.min(known).saturating_sub(OPTION_SPACE)
    }

    /// The client's first SYN gets the option and data (RFC 7413 section 4.2.1); a retransmission has neither.
    #[cold]
    pub(super) fn open_fast(&mut self, now: Instant, segment: &mut Segment) {
        if self.config.fast_open == fast_open::FastOpen::Off || self.state != State::SynSent {
            return;
        }
        if self.config.fast_open != fast_open::FastOpen::WithoutCookie {
            let option = self.fast_open.memory.option();
            self.fast_open.asked = Some(option);
            segment.options.set_fast_open(option);
        }
        let len = (self.snd.data_end() - 1).min(self.syn_data_limit());
        if len > 0 {
            let data = self.take_new(now, len);
            segment.len = data.len as u32;
            self.fast_open.syn_data_end = self.snd.nxt();
            self.counters.data_segments_sent += 1;
        }
    }

    /// A server's decision about the SYN it received (RFC 7413 section 4.2.2).
    pub(super) fn answer_fast_open(&mut self, now: Instant, segment: &Segment) {
        let option = segment.options.fast_open();
        let own = self.fast_open.own_cookie;
        let is_valid = match self.config.fast_open {
            fast_open::FastOpen::Off => return,
            fast_open::FastOpen::WithoutCookie => segment.len > 0 || option.is_some(),
            fast_open::FastOpen::Request | fast_open::FastOpen::Cookie => {
                option.is_some_and(|option| option.cookie == Some(own))
            }
        };
        if !is_valid {
            self.fast_open.answer = option.map(|asked| FastOpenOption { cookie: Some(own), ..asked });
            return;
        }
        self.fast_open.is_open_early = true;
        self.begin_sending(now);
        self.snd.open_window(u64::from(segment.window));
        self.events.push(Event::Established);
        self.fast_open.data_accepted = segment.len > 0;
        self.take_syn_payload(now, segment);
        self.rcv.offer_whole_window();
    }

    /// The Fast Open option of the SYN/ACK.
    pub(super) fn fast_open_answer(&self) -> Option<FastOpenOption> {
        self.fast_open.answer.filter(|_| self.state == State::SynReceived)
    }

    /// Data and FIN of a SYN or SYN/ACK are stream bytes like others (RFC 9293 section 3.4).
    pub(super) fn take_syn_payload(&mut self, now: Instant, segment: &Segment) {
        let flags = segment.flags.without(Flags::SYN);
        let payload = Segment { flags, ..*segment };
        if payload.seq_len() > 0 {
            self.rcv.on_data(now, 1, &payload, self.rtt.srtt());
            self.rcv.offer_first_window();
        }
    }

    /// The SYN/ACK answers a SYN with the option or with data: what it refused is sent anew, at once (RFC 7413 section
    /// 4.2.1). The window is not reduced, for nothing was lost.
    pub(super) fn conclude_fast_open(&mut self, now: Instant, segment: &Segment) {
        let FastOpen { asked, syn_data_end, .. } = self.fast_open;
        if asked.is_none() && syn_data_end == 0 {
            return;
        }
        let answer = segment.options.fast_open().filter(|_| asked.is_some());
        let vain = asked.filter(|_| syn_data_end == 0 && self.syn_timeouts == 0);
        self.fast_open.memory.learn(segment.options.mss, answer, vain);
        if self.snd.unsent() > 0 {
            // Data go with the ACK: an interactive connection (Linux, `tcp_rcv_synsent_state_process`).
            self.rcv.delay_acks();
        }
        if syn_data_end == 0 {
            return;
        }
        let ack = self.snd.offset_of(segment.ack).unwrap_or(1);
        if ack > 1 {
            self.snd.acknowledge(ack, &mut Delivery::default());
            self.snd.update_window(0, ack, self.snd.window().size());
        }
        self.fast_open.data_accepted = ack == syn_data_end;
        self.take_back();
        self.follow_recovery();
        if self.snd.is_all_acknowledged() {
            self.events.push(Event::AllAcknowledged);
        }
        self.accounts.acknowledged(now);
    }

    /// All that is outstanding was refused: it is sent anew, at once, and the window is not reduced, for nothing was lost.
    pub(super) fn take_back(&mut self) {
        let refused = self.snd.board().outstanding();
        if refused > 0 {
            self.counters.retransmissions += refused.div_ceil(self.snd.segment_size());
            self.snd.board_mut().take_back();
            self.timed.cancel();
        }
    }

    /// The SYN or SYN/ACK is lost, and nothing else.
    pub(super) fn lose_syn(&mut self) {
        if self.fast_open.is_open_early || self.fast_open.syn_data_end > 0 {
            self.snd.board_mut().lose_first();
        } else {
            self.snd.board_mut().lose_all(false);
        }
    }

    /// True until the handshake is complete, where there is one.
    pub(super) fn is_shaking_hands(&self) -> bool {
        matches!(self.state, State::SynSent | State::SynReceived) && !self.is_one_way()
    }
}
