//! Speech in RTP: H. Schulzrinne et al., "RTP: A Transport Protocol for Real-Time Applications", RFC 3550, 2003.
//!
//! Every packet has one frame of speech. `g711` has 64 kbit/s and 20 ms, the default of RFC 3551, section 4.2. `opus` has
//! frames of 20 ms and a constant 32 kbit/s: RFC 7587, section 3.1.1, recommends 28 to 40 kbit/s for full-band speech in such
//! frames. Left out: talk spurts, RTCP.

use farlink_kernel::config::above;
use farlink_kernel::{Bytes, Diagnostic, Duration, Instant, choice, config};

use super::{Action, Application, Length, Parameters, Protocol, Receiver, Traffic};

pub(super) const SOURCE: &str = "RFC 3550, ITU-T G.107";

/// The fixed header of RTP (RFC 3550, section 5.1).
const RTP_HEADER: u64 = 12;
/// Speech in a packet, of every codec here.
const FRAME: Duration = Duration::from_millis(20);

choice! {
    /// How speech becomes bytes.
    pub enum Codec {
        /// ITU-T G.711: 64 kbit/s.
        G711 = "g711",
        /// RFC 6716: full-band speech at 32 kbit/s.
        Opus = "opus",
    }
}

impl Codec {
    fn frame_bytes(self) -> u64 {
        match self {
            Self::G711 => 160,
            Self::Opus => 80,
        }
    }

    /// What the encoder needs to hear after a frame. `OPUS_GET_LOOKAHEAD` of libopus: 2.5 ms, and 4 ms to align its two layers.
    fn look_ahead(self) -> Duration {
        match self {
            Self::G711 => Duration::ZERO,
            Self::Opus => Duration::from_micros(6_500),
        }
    }

    /// Ie and Bpl of ITU-T G.113 (09/2024), Table I.4: of G.711 with loss concealment. Opus is not in the table.
    fn impairment(self) -> [Option<f64>; 2] {
        match self {
            Self::G711 => [Some(0.0), Some(25.1)],
            Self::Opus => [None; 2],
        }
    }
}

config! {
    /// Parameters of the voice.
    pub struct Config {
        /// The codec: `g711` sends 160 B of speech every 20 ms, `opus` 80 B, each with 12 B of RTP.
        pub codec: Codec = Codec::G711,
        /// How long the receiver holds the first packet before it plays it. A packet that arrives after its time of playout is lost to the listener.
        pub jitter_buffer: Duration = Duration::from_millis(60),
        /// Equipment impairment factor Ie of the codec (ITU-T G.113). Without it 0 for `g711`, and unknown for `opus`, which then has no R and no MOS.
        pub ie: Option<f64> = None; in 0.0..=95.0,
        /// Packet-loss robustness factor Bpl of the codec (ITU-T G.113). Without it 25.1 for `g711`, which is with loss concealment (4.3 without), and unknown for `opus`.
        pub bpl: Option<f64> = None; in above(0.0),
    }
}

/// What a receiver knows about the speech that it plays.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Speech {
    /// The time from the mouth to the packet: a frame and what its encoder needs to hear after it.
    pub coding: Duration,
    /// How long the packet that arrives first is held.
    pub buffer: Duration,
    /// How coding and losses impair the speech, if that is known.
    pub impairment: Option<Impairment>,
}

/// What ITU-T G.113 says about a codec.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Impairment {
    /// Equipment impairment factor.
    pub ie: f64,
    /// Packet-loss robustness factor.
    pub bpl: f64,
}

impl Parameters for Config {
    fn traffic(&self) -> Traffic<'_> {
        Traffic {
            protocol: Protocol::Udp,
            write: Bytes(RTP_HEADER + self.codec.frame_bytes()),
            writes_per_second: 1.0 / FRAME.as_secs_f64(),
            length: Length::Endless,
            lower: None,
        }
    }

    fn receiver(&self) -> Receiver {
        let [ie, bpl] = self.codec.impairment();
        let impairment = self.ie.or(ie).zip(self.bpl.or(bpl)).map(|(ie, bpl)| Impairment { ie, bpl });
        let coding = FRAME + self.codec.look_ahead();
        Receiver::Plays(Speech { coding, buffer: self.jitter_buffer, impairment })
    }

    fn check(&self) -> Result<(), Diagnostic> {
        let [ie, bpl] = self.codec.impairment();
        let (key, other) = match (self.ie.or(ie), self.bpl.or(bpl)) {
            (Some(_), None) => ("ie", "bpl"),
            (None, Some(_)) => ("bpl", "ie"),
            _ => return Ok(()),
        };
        let message = format!("R and MOS of `{}` need `{other}` as well as `{key}`", self.codec.word());
        Err(Diagnostic::new(0..0, message, format!("write {other} too, or remove {key}")).at(key))
    }
}

impl Application for Config {
    fn on_wake(&mut self, now: Instant) -> Action {
        let send = Bytes(RTP_HEADER + self.codec.frame_bytes());
        Action { send, close: false, wake: now.saturating_add(FRAME) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn g711_in_rtp_udp_and_ip_has_80_kbit_per_s() {
        // 160 B of speech, RTP 12 B, UDP 8 B and IP 20 B, 50 times a second.
        let traffic = Config::default();
        let Traffic { write, writes_per_second, .. } = traffic.traffic();
        assert_eq!((write.0 + 28) as f64 * 8.0 * writes_per_second, 80_000.0);
    }

    #[test]
    fn the_impairment_of_opus_is_known_only_from_the_user() {
        let of = |codec, ie, bpl| match (Config { codec, ie, bpl, ..Config::default() }).receiver() {
            Receiver::Plays(speech) => speech.impairment,
            Receiver::Counts => panic!("it plays nothing"),
        };
        assert_eq!(of(Codec::G711, None, None), Some(Impairment { ie: 0.0, bpl: 25.1 }));
        assert_eq!(of(Codec::G711, None, Some(4.3)), Some(Impairment { ie: 0.0, bpl: 4.3 }));
        assert_eq!(of(Codec::Opus, None, None), None);
        assert_eq!(of(Codec::Opus, Some(5.0), Some(20.0)), Some(Impairment { ie: 5.0, bpl: 20.0 }));
    }
}
