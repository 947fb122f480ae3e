//! Radiotap: the header before a captured frame that describes its transmission (radiotap.org, version 0).

use farlink_kernel::BitRate;

/// Bits of the header's first word: the fields that follow.
const FLAGS: u32 = 1 << 1;
const RATE: u32 = 1 << 2;
const CHANNEL: u32 = 1 << 3;
const SIGNAL: u32 = 1 << 5;
const SENT_POWER: u32 = 1 << 10;

/// Bits of the field of flags.
const SHORT_PREAMBLE: u8 = 0x02;
const WITH_CHECK_SEQUENCE: u8 = 0x10;

/// Bits of the channel's flags.
pub(super) const CCK: u16 = 0x0020;
pub(super) const OFDM: u16 = 0x0040;
const BAND_2_GHZ: u16 = 0x0080;
const BAND_5_GHZ: u16 = 0x0100;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Channel {
    mhz: u16,
    flags: u16,
}

impl Channel {
    /// A carrier at `hertz`, if Radiotap can write it, with the modulation's flag.
    pub(super) fn new(hertz: f64, modulation: u16) -> Option<Self> {
        let mhz = libm::round(hertz / 1e6);
        let band = match mhz {
            2_400.0..2_500.0 => BAND_2_GHZ,
            4_900.0..6_000.0 => BAND_5_GHZ,
            _ => 0,
        };
        (1.0..=65_535.0).contains(&mhz).then_some(Self { mhz: mhz as u16, flags: band | modulation })
    }
}

/// A frame's power, and where it was measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Power {
    /// At its sender, in dBm.
    Sent(f64),
    /// At a receiver, in dBm.
    Received(f64),
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Header {
    /// Omitted unless a multiple of 500 kbit/s, the unit of Radiotap.
    pub(super) rate: BitRate,
    /// True for the short preamble of DSSS.
    pub(super) is_preamble_short: bool,
    /// `None` where the propagation model has no frequency.
    pub(super) channel: Option<Channel>,
    pub(super) power: Power,
}

impl Header {
    /// Appends the header to `out`, which is empty: fields are aligned to its beginning.
    pub(super) fn encode(&self, out: &mut Vec<u8>) {
        let rate = self.rate.as_bps();
        let halves = u8::try_from(rate / 500_000).ok().filter(|_| rate.is_multiple_of(500_000));
        let (power_field, dbm) = match self.power {
            Power::Sent(dbm) => (SENT_POWER, dbm),
            Power::Received(dbm) => (SIGNAL, dbm),
        };
        let optional = |field, is_present: bool| if is_present { field } else { 0 };
        let fields = FLAGS
            | optional(RATE, halves.is_some())
            | optional(CHANNEL, self.channel.is_some())
            | power_field;
        // Version, a byte of padding, and the length, which is known at the end.
        out.extend_from_slice(&[0, 0, 0, 0]);
        out.extend_from_slice(&fields.to_le_bytes());
        out.push(WITH_CHECK_SEQUENCE | if self.is_preamble_short { SHORT_PREAMBLE } else { 0 });
        out.extend(halves);
        if let Some(Channel { mhz, flags }) = self.channel {
            out.resize(out.len().next_multiple_of(2), 0);
            out.extend_from_slice(&mhz.to_le_bytes());
            out.extend_from_slice(&flags.to_le_bytes());
        }
        out.extend_from_slice(&(libm::round(dbm) as i8).to_le_bytes());
        let length = out.len() as u16;
        out[2..4].copy_from_slice(&length.to_le_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(bps: u64, channel: Option<Channel>, power: Power) -> Vec<u8> {
        let mut out = Vec::new();
        let rate = BitRate::from_bps(bps);
        Header { rate, is_preamble_short: false, channel, power }.encode(&mut out);
        out
    }

    #[test]
    fn fields_stand_in_the_order_of_their_bits_and_are_aligned() {
        let channel = Channel::new(2.412e9, CCK);
        let received = bytes(5_500_000, channel, Power::Received(-64.4));
        assert_eq!(received, [0, 0, 15, 0, 0x2e, 0, 0, 0, 0x10, 11, 0x6c, 0x09, 0xa0, 0, 192]);
        let sent = bytes(1_100, channel, Power::Sent(24.5));
        assert_eq!(sent, [0, 0, 15, 0, 0x0a, 4, 0, 0, 0x10, 0, 0x6c, 0x09, 0xa0, 0, 25]);
        assert_eq!(bytes(1_000_000, None, Power::Sent(0.0)), [0, 0, 11, 0, 6, 4, 0, 0, 0x10, 2, 0]);
    }
}
