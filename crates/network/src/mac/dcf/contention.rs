//! [`Contention`]: when a station may begin (IEEE 802.11-1999, 9.2.5).
//!
//! The medium must have been idle for DIFS, or EIFS after a signal that could not be made out. Who found it busy,
//! or has just sent, also lets a number of slots pass, and counts only those that were idle. No event is
//! needed for a slot: what remains is computed when the medium becomes busy.

use farlink_kernel::random::{draw, name_key};
use farlink_kernel::{Duration, Instant};

use super::Rules;
use crate::phy::antenna::Carrier;

/// Lengths that do not change.
#[derive(Clone, Copy, Debug)]
pub struct Spaces {
    /// A slot.
    pub slot: Duration,
    /// After a signal that was made out.
    pub difs: Duration,
    /// After one that was not.
    pub eifs: Duration,
}

/// A station's place in the contention.
#[derive(Clone, Debug)]
pub struct Contention {
    rules: Rules,
    spaces: Spaces,
    /// Key of its luck, and how often it drew.
    luck: (u64, u64),
    draws: u64,
    window: u32,
    windows: (u32, u32),
    /// Slots that are still to pass; `None`: it may begin when the medium was idle long enough.
    backoff: Option<u32>,
    /// From when on idle slots count; [`Instant::NEVER`] while the medium is busy.
    counts_from: Instant,
    /// Since when the medium was idle as far as is known here.
    idle_since: Instant,
    /// A signal that can be made out would make slots count sooner (9.2.3.4).
    may_come_sooner: bool,
    /// Until when the station itself has promised to keep still.
    promised_until: Instant,
}

impl Contention {
    /// A station that has not sent yet. `windows` are the smallest and the largest.
    pub fn new(rules: Rules, spaces: Spaces, windows: (u32, u32), (seed, interface): (u64, u64)) -> Self {
        Self {
            rules,
            spaces,
            luck: (seed, name_key("dcf") ^ interface),
            draws: 0,
            window: windows.0,
            windows,
            backoff: None,
            counts_from: Instant::NEVER,
            idle_since: Instant::ZERO,
            may_come_sooner: false,
            promised_until: Instant::ZERO,
        }
    }

    /// True when somebody else has reserved the medium.
    pub fn is_reserved(&self, now: Instant, carrier: &Carrier) -> bool {
        now < self.reserved_until(carrier)
    }

    /// In ns-2 every signal that is not made out reserves the medium for EIFS.
    fn reserved_until(&self, carrier: &Carrier) -> Instant {
        let reserved_until = self.promised_until.max(carrier.reserved_until);
        match self.rules {
            Rules::Ns2 if carrier.disturbed_at > Instant::ZERO => {
                reserved_until.max(carrier.disturbed_at + self.spaces.eifs)
            }
            _ => reserved_until,
        }
    }

    /// The station keeps still.
    pub fn promise(&mut self, until: Instant) {
        self.promised_until = self.promised_until.max(until);
    }

    /// True while slots are to pass.
    pub fn is_counting(&self) -> bool {
        self.backoff.is_some()
    }

    /// When the station may begin, as things stand.
    pub fn access_at(&self) -> Instant {
        match self.counts_from {
            Instant::NEVER => Instant::NEVER,
            from => from + self.spaces.slot * u64::from(self.backoff.unwrap_or(0)),
        }
    }

    /// The station wants to begin a frame. Who finds the medium idle need not draw.
    pub fn on_request(&mut self, now: Instant, carrier: &Carrier) {
        if self.access_at() <= now {
            self.backoff = None;
        }
        if self.backoff.is_some() {
            return;
        }
        self.resume(carrier);
        let is_idle = !carrier.is_busy && !self.is_reserved(now, carrier);
        if self.rules == Rules::Ns2 && is_idle {
            self.counts_from = now + self.spaces.difs;
        }
        if self.rules == Rules::Ns2 || !is_idle {
            self.backoff = Some(self.draw());
        }
    }

    /// From when on the station must know of the carrier: what comes and goes before slots count, stops none.
    pub fn watches_from(&self, has_frame: bool) -> Instant {
        match (self.counts_from, self.backoff) {
            _ if self.may_come_sooner => Instant::ZERO,
            (Instant::NEVER, _) | (_, None) => Instant::ZERO,
            (_, Some(0)) if !has_frame => Instant::ZERO,
            (from, Some(_)) => from,
        }
    }

    /// Learns what came and went while nobody [watched](Self::watches_from).
    pub fn catch_up(&mut self, carrier: &Carrier) {
        if self.counts_from == Instant::NEVER {
            return;
        }
        if carrier.idle_since > self.idle_since {
            self.wait_after(carrier);
        }
        if carrier.is_busy && carrier.hears_since < self.counts_from {
            self.counts_from = Instant::NEVER;
        }
    }

    /// The medium is idle again, or still, after the station's own frame.
    pub fn resume(&mut self, carrier: &Carrier) {
        if carrier.is_busy {
            self.counts_from = Instant::NEVER;
        } else {
            self.wait_after(carrier);
        }
    }

    /// Slots count some time after the last signal and reservation.
    fn wait_after(&mut self, carrier: &Carrier) {
        let Spaces { difs, eifs, .. } = self.spaces;
        self.may_come_sooner = self.rules == Rules::Standard && carrier.was_garbled;
        let after_signals = carrier.idle_since + if self.may_come_sooner { eifs } else { difs };
        self.counts_from = after_signals.max(self.reserved_until(carrier) + difs);
        self.idle_since = carrier.idle_since;
    }

    /// The medium is busy, or the station sends itself: only slots that have passed count. With a frame to
    /// send the station has to draw now at the latest.
    pub fn freeze(&mut self, now: Instant, has_frame: bool) {
        if self.counts_from <= now {
            let passed = (now - self.counts_from).as_nanos() / self.spaces.slot.as_nanos();
            self.backoff = self.backoff.map(|slots| slots - slots.min(passed as u32));
        }
        self.counts_from = Instant::NEVER;
        if has_frame && self.backoff.is_none() {
            self.backoff = Some(self.draw());
        } else if !has_frame && self.backoff == Some(0) {
            self.backoff = None;
        }
    }

    /// The station begins its frame.
    pub fn on_begin(&mut self) {
        self.backoff = None;
        self.counts_from = Instant::NEVER;
    }

    /// The frame was answered, or given up.
    pub fn on_done(&mut self, now: Instant, carrier: &Carrier) {
        self.window = self.windows.0;
        self.begin_backoff(now, carrier);
    }

    /// The frame was not answered.
    pub fn on_failure(&mut self, now: Instant, carrier: &Carrier) {
        self.window = (2 * self.window + 1).min(self.windows.1);
        self.begin_backoff(now, carrier);
    }

    /// Whatever happens, a station that has sent lets slots pass before its next frame.
    fn begin_backoff(&mut self, now: Instant, carrier: &Carrier) {
        self.backoff = Some(self.draw());
        self.resume(carrier);
        let earliest = match self.rules {
            Rules::Standard => now,
            Rules::Ns2 => now + self.spaces.difs,
        };
        self.counts_from = self.counts_from.max(earliest);
    }

    fn draw(&mut self) -> u32 {
        self.draws += 1;
        let bound = match self.rules {
            Rules::Standard => u64::from(self.window) + 1,
            Rules::Ns2 => u64::from(self.window),
        };
        let bits = draw(self.luck.0, self.luck.1, self.draws, 0);
        ((u128::from(bits) * u128::from(bound)) >> 64) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SLOT: u64 = 20;
    const DIFS: u64 = 50;
    const EIFS: u64 = 364;

    fn at(micros: u64) -> Instant {
        Instant::ZERO + Duration::from_micros(micros)
    }

    fn idle(since: u64) -> Carrier {
        let (was_garbled, disturbed_at, reserved_until) = (false, at(0), at(0));
        Carrier {
            is_busy: false,
            idle_since: at(since),
            hears_since: Instant::NEVER,
            was_garbled,
            disturbed_at,
            reserved_until,
        }
    }

    fn busy() -> Carrier {
        Carrier { is_busy: true, ..idle(0) }
    }

    fn station(rules: Rules) -> Contention {
        let [slot, difs, eifs] = [SLOT, DIFS, EIFS].map(Duration::from_micros);
        Contention::new(rules, Spaces { slot, difs, eifs }, (31, 1023), (1, 7))
    }

    fn slots(station: &Contention) -> u64 {
        u64::from(station.backoff.expect("it counts"))
    }

    #[test]
    fn who_finds_the_medium_idle_for_difs_begins_at_once() {
        let mut station = station(Rules::Standard);
        station.on_request(at(1000), &idle(900));
        assert!(station.access_at() <= at(1000));
        station.on_request(at(1000), &idle(980));
        assert_eq!(station.access_at(), at(980 + DIFS));
    }

    #[test]
    fn backoff_freezes_while_the_medium_is_busy() {
        let mut station = station(Rules::Standard);
        station.on_request(at(1000), &busy());
        let drawn = slots(&station);
        assert!(drawn > 3 && station.access_at() == Instant::NEVER);
        station.resume(&idle(2000));
        assert_eq!(station.access_at(), at(2000 + DIFS + drawn * SLOT));
        // Two slots and a half pass before the next frame: two count.
        station.freeze(at(2000 + DIFS + 50), true);
        assert_eq!((slots(&station), station.access_at()), (drawn - 2, Instant::NEVER));
        // A frame that begins within DIFS takes none.
        station.resume(&idle(3000));
        station.freeze(at(3000 + DIFS - 1), true);
        assert_eq!(slots(&station), drawn - 2);
        station.resume(&idle(4000));
        assert_eq!(station.access_at(), at(4000 + DIFS + (drawn - 2) * SLOT));
    }

    #[test]
    fn a_garbled_signal_is_followed_by_eifs_and_a_reservation_by_difs() {
        let mut station = station(Rules::Standard);
        station.on_request(at(0), &busy());
        let drawn = slots(&station);
        station.resume(&Carrier { was_garbled: true, ..idle(1000) });
        assert_eq!(station.access_at(), at(1000 + EIFS + drawn * SLOT));
        station.resume(&Carrier { reserved_until: at(5000), ..idle(1000) });
        assert_eq!(station.access_at(), at(5000 + DIFS + drawn * SLOT));
    }

    #[test]
    fn windows_double_up_to_the_largest_and_fall_back() {
        let mut station = station(Rules::Standard);
        let mut windows = Vec::new();
        for _ in 0..7 {
            windows.push(station.window);
            station.on_failure(at(0), &busy());
        }
        assert_eq!(windows, [31, 63, 127, 255, 511, 1023, 1023]);
        station.on_done(at(0), &busy());
        assert_eq!(station.window, 31);
    }

    #[test]
    fn draws_are_uniform_from_zero_to_the_window() {
        for (rules, count) in [(Rules::Standard, 32), (Rules::Ns2, 31)] {
            let mut station = station(rules);
            let mut bins = [0; 33];
            (0..32_000).for_each(|_| bins[station.draw() as usize] += 1);
            let (inside, outside) = bins.split_at(count);
            assert!(inside.iter().all(|&n| (850..1200).contains(&n)), "{bins:?}");
            assert!(outside.iter().all(|&n| n == 0), "{bins:?}");
        }
    }

    #[test]
    fn in_ns2_a_signal_that_was_not_made_out_is_a_reservation() {
        let mut station = station(Rules::Ns2);
        station.on_request(at(0), &busy());
        let drawn = slots(&station);
        let carrier = Carrier { disturbed_at: at(900), ..idle(1000) };
        station.resume(&carrier);
        assert_eq!(station.access_at(), at(900 + EIFS + DIFS + drawn * SLOT));
        assert!(station.is_reserved(at(1200), &carrier) && !station.is_reserved(at(1264), &carrier));
    }

    #[test]
    fn in_ns2_an_idle_medium_is_no_reason_not_to_draw() {
        let mut station = station(Rules::Ns2);
        station.on_request(at(1000), &idle(0));
        assert_eq!(station.access_at(), at(1000 + DIFS + slots(&station) * SLOT));
    }

    #[test]
    fn what_comes_and_goes_before_slots_count_is_learnt_later() {
        // Told of everything, and only from when it matters: two frames within a reservation, then a third.
        let reserved = Carrier { reserved_until: at(5000), ..idle(1000) };
        let again = Carrier { idle_since: at(2500), ..reserved };
        for rules in [Rules::Standard, Rules::Ns2] {
            let (mut told, mut left) = (station(rules), station(rules));
            for each in [&mut told, &mut left] {
                each.on_request(at(0), &busy());
                each.resume(&reserved);
            }
            assert_eq!(left.watches_from(true), at(5000 + DIFS));
            told.freeze(at(2000), true);
            told.resume(&again);
            left.catch_up(&again);
            assert_eq!(left.access_at(), told.access_at());
            // The third comes when a slot has passed; or it came before and is still there.
            let mut earlier = left.clone();
            told.freeze(at(5000 + DIFS + SLOT), true);
            left.catch_up(&Carrier { is_busy: true, hears_since: at(5000 + DIFS + SLOT), ..again });
            left.freeze(at(5000 + DIFS + SLOT), true);
            assert_eq!((left.backoff, left.counts_from), (told.backoff, told.counts_from));
            earlier.catch_up(&Carrier { is_busy: true, hears_since: at(5000), ..again });
            assert_eq!((slots(&earlier), earlier.access_at()), (slots(&told) + 1, Instant::NEVER));
        }
    }

    #[test]
    fn while_a_good_frame_would_end_the_longer_space_everything_matters() {
        let mut station = station(Rules::Standard);
        station.on_request(at(0), &busy());
        station.resume(&Carrier { was_garbled: true, ..idle(1000) });
        assert_eq!(station.watches_from(true), Instant::ZERO);
        station.resume(&idle(1200));
        assert_eq!(station.watches_from(true), at(1200 + DIFS));
    }

    #[test]
    fn slots_that_pass_after_a_frame_need_no_event() {
        let mut station = station(Rules::Standard);
        station.on_done(at(1000), &idle(1000));
        let over = 1000 + DIFS + slots(&station) * SLOT;
        assert_eq!(station.access_at(), at(over));
        station.on_request(at(over + 5), &idle(1000));
        assert!(!station.is_counting() && station.access_at() <= at(over + 5));
    }
}
