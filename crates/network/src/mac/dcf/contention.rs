//! [`Contention`]: when a station may transmit (IEEE 802.11-1999, 9.2.5).
//!
//! The medium must have been idle for DIFS, or for EIFS after a reception with errors (9.2.3.4). A station that found it busy
//! or has just transmitted also waits for a backoff, which counts idle slots only (9.2.5.2). A slot is no event:
//! what remains of the backoff is computed when the medium becomes busy.

use farlink_kernel::random::{draw, name_key};
use farlink_kernel::{Duration, Instant};

use super::Rules;
use crate::phy::antenna::Carrier;

/// The slot time and the interframe spaces of contention (9.2.3).
#[derive(Clone, Copy, Debug)]
pub struct InterframeSpaces {
    pub slot: Duration,
    pub difs: Duration,
    /// Extended interframe space, after a reception with errors.
    pub eifs: Duration,
}

#[derive(Clone, Debug)]
pub struct Contention {
    pub(super) rules: Rules,
    pub(super) spaces: InterframeSpaces,
    draw_key: (u64, u64),
    draws: u64,
    /// The contention window CW, and its bounds `aCWmin` and `aCWmax`, in slots.
    cw: u32,
    cw_min: u32,
    cw_max: u32,
    /// Slots of backoff that remain; `None`: there is no backoff.
    pub(super) backoff: Option<u32>,
    /// When idle slots begin to count; [`Instant::NEVER`] while the medium is busy.
    pub(super) counts_from: Instant,
    /// The [`Carrier::idle_since`] that `counts_from` is computed from.
    idle_since: Instant,
    /// `counts_from` follows EIFS; a correct reception ends it early (9.2.3.4).
    is_after_error: bool,
    /// The NAV that the station has set for itself.
    own_nav_until: Instant,
}

impl Contention {
    /// A station before its first frame, with `aCWmin` and `aCWmax`.
    pub fn new(
        rules: Rules,
        spaces: InterframeSpaces,
        (cw_min, cw_max): (u32, u32),
        (seed, interface): (u64, u64),
    ) -> Self {
        Self {
            rules,
            spaces,
            draw_key: (seed, name_key("dcf") ^ interface),
            draws: 0,
            cw: cw_min,
            cw_min,
            cw_max,
            backoff: None,
            counts_from: Instant::NEVER,
            idle_since: Instant::ZERO,
            is_after_error: false,
            own_nav_until: Instant::ZERO,
        }
    }

    /// True while the network allocation vector (NAV) marks the medium as busy (9.2.5.4).
    pub fn is_nav_set(&self, now: Instant, carrier: &Carrier) -> bool {
        now < self.nav_until(carrier)
    }

    fn nav_until(&self, carrier: &Carrier) -> Instant {
        let after_error = self.rules.nav_after_error(carrier, self.spaces.eifs);
        self.own_nav_until.max(carrier.nav_until).max(after_error)
    }

    /// Sets the NAV unless it is set for longer.
    pub fn set_nav(&mut self, until: Instant) {
        self.own_nav_until = self.own_nav_until.max(until);
    }

    pub fn is_in_backoff(&self) -> bool {
        self.backoff.is_some()
    }

    /// When the station may transmit if the medium stays as it is.
    pub fn access_at(&self) -> Instant {
        match self.counts_from {
            Instant::NEVER => Instant::NEVER,
            from => from + self.spaces.slot * u64::from(self.backoff.unwrap_or(0)),
        }
    }

    /// A frame is pending. On an idle medium it needs no backoff (9.2.5.1).
    pub fn on_frame_pending(&mut self, now: Instant, carrier: &Carrier) {
        if self.access_at() <= now {
            self.backoff = None;
        }
        if self.backoff.is_some() {
            return;
        }
        self.resume(carrier);
        if carrier.is_busy || self.is_nav_set(now, carrier) {
            self.backoff = Some(self.draw());
        } else {
            self.draw_although_idle(now);
        }
    }

    /// From when on the station must be notified of the carrier: busy periods before slots count change nothing.
    pub fn watches_from(&self, has_frame: bool) -> Instant {
        match (self.counts_from, self.backoff) {
            _ if self.is_after_error => Instant::ZERO,
            (Instant::NEVER, _) | (_, None) => Instant::ZERO,
            (_, Some(0)) if !has_frame => Instant::ZERO,
            (from, Some(_)) => from,
        }
    }

    /// Takes in what happened before [`watches_from`](Self::watches_from).
    pub fn catch_up(&mut self, carrier: &Carrier) {
        if self.counts_from == Instant::NEVER {
            return;
        }
        if carrier.idle_since > self.idle_since {
            self.count_after_spaces(carrier);
        }
        if carrier.is_busy && carrier.busy_since < self.counts_from {
            self.counts_from = Instant::NEVER;
        }
    }

    /// The medium is idle again, or still idle after the station's own frame.
    pub fn resume(&mut self, carrier: &Carrier) {
        if carrier.is_busy {
            self.counts_from = Instant::NEVER;
        } else {
            self.count_after_spaces(carrier);
        }
    }

    /// Slots count after DIFS or EIFS, and after the NAV.
    fn count_after_spaces(&mut self, carrier: &Carrier) {
        let InterframeSpaces { difs, eifs, .. } = self.spaces;
        self.is_after_error = self.rules.uses_eifs(carrier);
        let after_signals = carrier.idle_since + if self.is_after_error { eifs } else { difs };
        self.counts_from = after_signals.max(self.nav_until(carrier) + difs);
        self.idle_since = carrier.idle_since;
    }

    /// The medium is busy, or the station itself transmits: the backoff keeps the slots that have not passed. A pending
    /// frame without backoff draws one.
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

    pub fn on_transmit(&mut self) {
        self.backoff = None;
        self.counts_from = Instant::NEVER;
    }

    /// The exchange succeeded, or its frame was discarded: CW is reset (9.2.4).
    pub fn on_done(&mut self, now: Instant, carrier: &Carrier) {
        self.cw = self.cw_min;
        self.begin_backoff(now, carrier);
    }

    /// The attempt failed: CW takes its next value (9.2.4).
    pub fn on_failure(&mut self, now: Instant, carrier: &Carrier) {
        self.cw = (2 * self.cw + 1).min(self.cw_max);
        self.begin_backoff(now, carrier);
    }

    /// A backoff follows every exchange (9.2.5.2).
    fn begin_backoff(&mut self, now: Instant, carrier: &Carrier) {
        self.backoff = Some(self.draw());
        self.resume(carrier);
        self.counts_from = self.counts_from.max(now + self.rules.backoff_delay(self.spaces.difs));
    }

    /// A number of slots, uniform from 0 to CW.
    pub(super) fn draw(&mut self) -> u32 {
        self.draws += 1;
        let bits = draw(self.draw_key.0, self.draw_key.1, self.draws, 0);
        ((u128::from(bits) * u128::from(self.rules.backoff_values(self.cw))) >> 64) as u32
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
        let (last_reception_failed, last_error_at, nav_until) = (false, at(0), at(0));
        Carrier {
            is_busy: false,
            idle_since: at(since),
            busy_since: Instant::NEVER,
            last_reception_failed,
            last_error_at,
            nav_until,
        }
    }

    fn busy() -> Carrier {
        Carrier { is_busy: true, ..idle(0) }
    }

    fn station(rules: Rules) -> Contention {
        let [slot, difs, eifs] = [SLOT, DIFS, EIFS].map(Duration::from_micros);
        Contention::new(rules, InterframeSpaces { slot, difs, eifs }, (31, 1023), (1, 7))
    }

    fn slots(station: &Contention) -> u64 {
        u64::from(station.backoff.expect("in backoff"))
    }

    #[test]
    fn a_station_transmits_at_once_when_the_medium_was_idle_for_difs() {
        let mut station = station(Rules::Standard);
        station.on_frame_pending(at(1000), &idle(900));
        assert!(station.access_at() <= at(1000));
        station.on_frame_pending(at(1000), &idle(980));
        assert_eq!(station.access_at(), at(980 + DIFS));
    }

    #[test]
    fn backoff_freezes_while_the_medium_is_busy() {
        let mut station = station(Rules::Standard);
        station.on_frame_pending(at(1000), &busy());
        let drawn = slots(&station);
        assert!(drawn > 3 && station.access_at() == Instant::NEVER);
        station.resume(&idle(2000));
        assert_eq!(station.access_at(), at(2000 + DIFS + drawn * SLOT));
        // The next frame comes after two and a half slots; two count.
        station.freeze(at(2000 + DIFS + 50), true);
        assert_eq!((slots(&station), station.access_at()), (drawn - 2, Instant::NEVER));
        // A frame within DIFS counts none.
        station.resume(&idle(3000));
        station.freeze(at(3000 + DIFS - 1), true);
        assert_eq!(slots(&station), drawn - 2);
        station.resume(&idle(4000));
        assert_eq!(station.access_at(), at(4000 + DIFS + (drawn - 2) * SLOT));
    }

    #[test]
    fn eifs_follows_a_reception_with_errors_and_difs_follows_the_nav() {
        let mut station = station(Rules::Standard);
        station.on_frame_pending(at(0), &busy());
        let drawn = slots(&station);
        station.resume(&Carrier { last_reception_failed: true, ..idle(1000) });
        assert_eq!(station.access_at(), at(1000 + EIFS + drawn * SLOT));
        station.resume(&Carrier { nav_until: at(5000), ..idle(1000) });
        assert_eq!(station.access_at(), at(5000 + DIFS + drawn * SLOT));
    }

    #[test]
    fn cw_doubles_up_to_its_maximum_and_is_reset() {
        let mut station = station(Rules::Standard);
        let mut windows = Vec::new();
        for _ in 0..7 {
            windows.push(station.cw);
            station.on_failure(at(0), &busy());
        }
        assert_eq!(windows, [31, 63, 127, 255, 511, 1023, 1023]);
        station.on_done(at(0), &busy());
        assert_eq!(station.cw, 31);
    }

    #[test]
    fn backoffs_are_uniform_from_zero_to_cw() {
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
    fn in_ns2_a_signal_that_was_not_received_sets_the_nav() {
        let mut station = station(Rules::Ns2);
        station.on_frame_pending(at(0), &busy());
        let drawn = slots(&station);
        let carrier = Carrier { last_error_at: at(900), ..idle(1000) };
        station.resume(&carrier);
        assert_eq!(station.access_at(), at(900 + EIFS + DIFS + drawn * SLOT));
        assert!(station.is_nav_set(at(1200), &carrier) && !station.is_nav_set(at(1264), &carrier));
    }

    #[test]
    fn in_ns2_a_backoff_is_drawn_on_an_idle_medium() {
        let mut station = station(Rules::Ns2);
        station.on_frame_pending(at(1000), &idle(0));
        assert_eq!(station.access_at(), at(1000 + DIFS + slots(&station) * SLOT));
    }

    #[test]
    fn busy_periods_before_slots_count_may_be_notified_late() {
        // One station is notified at once, one late: two frames within the NAV, then a third.
        let within_nav = Carrier { nav_until: at(5000), ..idle(1000) };
        let again = Carrier { idle_since: at(2500), ..within_nav };
        for rules in [Rules::Standard, Rules::Ns2] {
            let (mut at_once, mut late) = (station(rules), station(rules));
            for each in [&mut at_once, &mut late] {
                each.on_frame_pending(at(0), &busy());
                each.resume(&within_nav);
            }
            assert_eq!(late.watches_from(true), at(5000 + DIFS));
            at_once.freeze(at(2000), true);
            at_once.resume(&again);
            late.catch_up(&again);
            assert_eq!(late.access_at(), at_once.access_at());
            // The third begins a slot later; or it began before and still lasts.
            let mut earlier = late.clone();
            at_once.freeze(at(5000 + DIFS + SLOT), true);
            late.catch_up(&Carrier { is_busy: true, busy_since: at(5000 + DIFS + SLOT), ..again });
            late.freeze(at(5000 + DIFS + SLOT), true);
            assert_eq!((late.backoff, late.counts_from), (at_once.backoff, at_once.counts_from));
            earlier.catch_up(&Carrier { is_busy: true, busy_since: at(5000), ..again });
            assert_eq!((slots(&earlier), earlier.access_at()), (slots(&at_once) + 1, Instant::NEVER));
        }
    }

    #[test]
    fn during_eifs_the_station_is_notified_of_every_change() {
        let mut station = station(Rules::Standard);
        station.on_frame_pending(at(0), &busy());
        station.resume(&Carrier { last_reception_failed: true, ..idle(1000) });
        assert_eq!(station.watches_from(true), Instant::ZERO);
        station.resume(&idle(1200));
        assert_eq!(station.watches_from(true), at(1200 + DIFS));
    }

    #[test]
    fn a_backoff_without_a_frame_needs_no_event() {
        let mut station = station(Rules::Standard);
        station.on_done(at(1000), &idle(1000));
        let over = 1000 + DIFS + slots(&station) * SLOT;
        assert_eq!(station.access_at(), at(over));
        station.on_frame_pending(at(over + 5), &idle(1000));
        assert!(!station.is_in_backoff() && station.access_at() <= at(over + 5));
    }
}
