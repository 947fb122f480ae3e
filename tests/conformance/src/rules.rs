//! What the sources of a congestion control bound: what a loss leaves of the window, what an ACK adds to it, and averages that are
//! shares.
//!
//! The bounds are those of the default parameters. Counting in whole segments may differ by one.

use farlink_kernel::Duration;
use farlink_kernel::config::Read;
use farlink_tcp::Window;
use farlink_tcp::congestion::Config;

/// The harness lets no more in flight.
const MOST_IN_FLIGHT: f64 = 1e6;

/// The bounds of one member.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rules {
    /// Shares of the flight that a loss leaves, least and most.
    kept: [f64; 2],
    /// Smaller flights are not judged.
    judged_from: f64,
    /// Segments per round trip that a window grows by at most in congestion avoidance, so long after the latest loss.
    most: fn(f64, Duration) -> f64,
    /// The observed `alpha` is an average of shares.
    averages: bool,
}

fn renos(_cwnd: f64, _since: Duration) -> f64 {
    1.0
}

fn any(_cwnd: f64, _since: Duration) -> f64 {
    f64::INFINITY
}

/// The rules of `config`, if it has the default parameters of a member with rules.
pub(crate) fn of(config: &Config) -> Option<Rules> {
    let name = config.name();
    let is_default = Config::named(name).is_some_and(|default| default.show() == config.show());
    let (kept, most): (_, fn(f64, Duration) -> f64) = match name {
        // RFC 5681 equations 3 and 4; RFC 8257 section 3.5; TCP-LP and RFC 6817 section 2.4.2 halve, too.
        "reno" | "dctcp" | "lp" => ([0.5, 0.5], renos),
        "ledbat" => ([0.5, 0.5], any),
        // Kelly 2003: 0.01 per ACK and 1/8 per loss, above a window of 16; below it Reno's.
        "scalable" => ([0.875, 0.875], |cwnd, _| if cwnd <= 16.0 { 1.0 } else { 0.01 * cwnd }),
        // RFC 3649 section 5: Reno's up to Low_Window 38; b(w) falls from 0.5 to 0.1.
        "highspeed" => ([0.5, 0.9], |cwnd, _| if cwnd <= 38.0 { 1.0 } else { f64::INFINITY }),
        // Leith, Shorten 2004: Reno's for a second after a loss; beta between 0.5 and 0.8.
        "htcp" => ([0.5, 0.8], |_, since| if since <= Duration::from_secs(1) { 1.0 } else { f64::INFINITY }),
        // Liu et al. 2008: alpha up to 10, beta between 1/8 and 1/2.
        "illinois" => ([0.5, 0.875], |_, _| 10.0),
        // Baiocchi et al. 2007: between 1/8 and 1/2.
        "yeah" => ([0.5, 0.875], any),
        // Half of the smaller of window and fraction.
        "prague" => ([0.0, 0.5], any),
        // What a loss leaves is an estimate of the path.
        "bbr3" => ([0.0, f64::INFINITY], any),
        _ => return None,
    };
    let judged_from = if name == "scalable" { 17.0 } else { 5.0 };
    is_default.then_some(Rules { kept, judged_from, most, averages: matches!(name, "dctcp" | "prague") })
}

impl Rules {
    /// A loss that is no timeout and no mark found so many segments in flight.
    pub(crate) fn check_loss(&self, flight: f64, ssthresh: f64) -> Result<(), String> {
        let [least, most] = self.kept.map(|share| share * flight);
        let is_judged = (self.judged_from..MOST_IN_FLIGHT).contains(&flight);
        if is_judged && !(least - 1.0..=most + 1.0).contains(&ssthresh) {
            return Err(format!("a loss leaves {ssthresh} of {flight} segments, not {least} to {most}"));
        }
        Ok(())
    }

    /// An ACK for so many segments, so long after the latest loss, made a window in congestion avoidance grow `before` to `after`.
    pub(crate) fn check_growth(
        &self,
        acked: f64,
        since: Duration,
        before: f64,
        after: f64,
    ) -> Result<(), String> {
        let most = (self.most)(before, since) * acked / before;
        if after - before > most + 1e-9 * before {
            return Err(format!("an ACK of {acked} adds {} to {before}, not up to {most}", after - before));
        }
        Ok(())
    }

    pub(crate) fn check_observed(&self, observed: &[(&'static str, f64)]) -> Result<(), String> {
        match observed.iter().find(|(name, value)| *name == "alpha" && !(0.0..=1.0).contains(value)) {
            Some((name, value)) if self.averages => Err(format!("{name} is {value}, which is no share")),
            _ => Ok(()),
        }
    }
}

/// True while a member probes for bandwidth as BBR version 3 does: its state is ProbeBW_UP.
pub(crate) fn probes_up(observed: &[(&'static str, f64)]) -> bool {
    observed.contains(&("mode", 5.0))
}

/// More segments are lost than a probe may lose: draft-ietf-ccwg-bbr has 2 % of what was in flight (`BBR.LossThresh`), and another
/// segment for counting in whole ones.
pub(crate) fn is_too_much(lost: f64, in_flight: f64) -> bool {
    lost > 0.02 * in_flight + 1.0
}

/// True where the window is one of congestion avoidance.
pub(crate) fn avoids(window: &Window) -> bool {
    window.cwnd >= window.ssthresh
}
