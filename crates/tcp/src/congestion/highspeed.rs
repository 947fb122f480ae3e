//! S. Floyd, "HighSpeed TCP for Large Congestion Windows", RFC 3649, 2003.
//!
//! The larger the window, the more segments it grows by per round trip and the smaller the share a loss takes, so that
//! 10 Gbit/s at 100 ms and 1500 bytes bear one loss in ten million packets. Windows up to Low_Window are Reno's.
//!
//! Equations: response function w = 0.12/p^0.835 (1, section 5), that is p(w) = 0.078/w^1.2; from section 7
//! b(w) = (High_Decrease - 0.5) (log w - log Low_Window)/(log High_Window - log Low_Window) + 0.5;
//! a(w) = w^2 p(w) 2 b(w)/(2 - b(w)); cwnd += a(w)/cwnd per ACK, cwnd -= b(w) cwnd on a loss. The logarithms are taken when
//! the window has changed by a segment. Left out: slow start of large windows, which section 10.1 leaves to RFC 3742.

use farlink_kernel::config::{Fraction, above};
use farlink_kernel::{Instant, config};

use super::{Ack, CongestionControl, Loss, Setup, reno::Reno};
use crate::window::Window;

#[cfg(test)]
mod tests;

pub(super) const SOURCE: &str = "RFC 3649, 2003";

config! {
    /// Parameters of HighSpeed TCP.
    pub struct Config {
        /// Low_Window: windows up to this many segments are Reno's (RFC 3649 section 5: 38).
        pub low_window: f64 = 38.0; in 2.0..,
        /// High_Window, in segments (RFC 3649 section 5: 83000).
        pub high_window: f64 = 83_000.0,
        /// High_Decrease: fraction of a window of High_Window given up after a loss (RFC 3649 section 7: 0.1).
        pub high_decrease: Fraction = Fraction(0.1); in above(Fraction(0.0)),
        /// Coefficient of the loss rate p(w) of the response function (RFC 3649 section 7: 0.078; Linux has
        /// a(w) in a table).
        pub loss_coefficient: f64 = 0.078,
        /// Exponent of the window in p(w) (RFC 3649 section 7: 1.2; Linux has a(w) in a table).
        pub loss_exponent: f64 = 1.2,
    }
    where low_window < high_window
}

/// a(w) and b(w) at a window.
#[derive(Clone, Copy, Debug)]
struct Response {
    /// The window they were computed for.
    at: f64,
    increase: f64,
    decrease: f64,
}

#[derive(Clone, Debug)]
pub(crate) struct HighSpeed {
    config: Config,
    pub(super) reno: Reno,
    /// log Low_Window.
    low: f64,
    /// (High_Decrease - 0.5)/(log High_Window - log Low_Window).
    slope: f64,
    response: Response,
}

impl HighSpeed {
    pub(crate) fn new(config: &Config, setup: &Setup) -> Self {
        let low = libm::log(config.low_window);
        let slope = (config.high_decrease.0 - 0.5) / (libm::log(config.high_window) - low);
        Self {
            config: config.clone(),
            reno: Reno::with(setup.arithmetic),
            low,
            slope,
            response: Response { at: 0.0, increase: 1.0, decrease: 0.5 },
        }
    }

    /// b(w). A window beyond any that the table has gives up something, too.
    pub(super) fn decrease(&self, w: f64) -> f64 {
        if w <= self.config.low_window {
            return 0.5;
        }
        (0.5 + self.slope * (libm::log(w) - self.low)).clamp(LEAST_DECREASE, 1.0)
    }

    /// a(w), at least one segment per round trip.
    fn increase(&self, w: f64, decrease: f64) -> f64 {
        if w <= self.config.low_window {
            return 1.0;
        }
        // w^2 p(w) in one power.
        let product = self.config.loss_coefficient * libm::pow(w, 2.0 - self.config.loss_exponent);
        (product * 2.0 * decrease / (2.0 - decrease)).clamp(1.0, w)
    }

    fn response(&mut self, cwnd: f64) -> Response {
        if (cwnd - self.response.at).abs() >= 1.0 {
            let decrease = self.decrease(cwnd);
            self.response = Response { at: cwnd, increase: self.increase(cwnd, decrease), decrease };
        }
        self.response
    }
}

/// b of the largest window in the table of RFC 3649 appendix B is 0.1.
const LEAST_DECREASE: f64 = 0.05;

impl CongestionControl for HighSpeed {
    fn on_ack(&mut self, window: &mut Window, ack: &Ack) {
        if !ack.may_grow {
            return;
        }
        let rest = self.reno.slow_start(window, ack.acked);
        if rest > 0.0 {
            let increase = self.response(window.cwnd).increase;
            self.reno.increase(window, rest, window.cwnd / increase);
        }
    }

    fn on_congestion(&mut self, window: &mut Window, loss: &Loss) {
        let decrease = self.response(window.cwnd).decrease;
        self.reno.reduce_to_min_cwnd(window, loss, loss.flight - self.reno.share(loss, decrease));
    }

    fn on_recovery_end(&mut self, window: &mut Window, _now: Instant) {
        self.reno.end_recovery(window);
    }

    fn observe(&self) -> Vec<(&'static str, f64)> {
        vec![("a", self.response.increase), ("b", self.response.decrease)]
    }

    fn uses_delivery_rate(&self) -> bool {
        false
    }
}
