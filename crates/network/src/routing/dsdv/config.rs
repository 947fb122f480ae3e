//! Parameters: the paper leaves most values open; the defaults are those of ns-2.35 (dsdv/dsdv.cc), whose deviations
//! from the paper are a preset.

use farlink_kernel::config::{Fraction, above};
use farlink_kernel::{Duration, choice, config};

choice! {
    /// Sets of default values.
    pub enum Preset {
        /// Those of the paper.
        Paper = "paper",
        /// Those of ns-2.35.
        Ns2 = "ns2",
    }
}

choice! {
    /// What is told before the next full update.
    pub enum Trigger {
        /// New destinations, and routes that became shorter, longer or broke.
        Metric = "metric",
        /// Every new sequence number, too (DSDV-SQ of J. Broch et al., MobiCom 1998).
        Sequence = "sequence",
        /// New destinations, routes that became shorter under the same number, and links that broke here; what a
        /// newer number brings waits for the next update.
        Shorter = "shorter",
    }
}

config! {
    /// Parameters of DSDV.
    pub struct Config {
        /// Where the values come from that are not given.
        pub preset: Preset = Preset::Paper,
        /// How often a node tells all its routes.
        pub update_interval: Duration = Duration::from_secs(15); in above(Duration::ZERO),
        /// It comes earlier by up to this part of it.
        pub update_jitter: Fraction = Fraction(0.25),
        /// The first one comes within this time.
        pub startup_jitter: Duration = Duration::from_secs(2),
        /// A neighbour that tells nothing for so many intervals is gone.
        pub allowed_update_loss: u32 = 3; in 1..,
        /// A link over which a packet could not be sent is broken. Collisions look the same, and the way comes back with
        /// the destination's next number only: J. Broch et al. (MobiCom 1998) and ns-2 leave it out.
        pub link_layer_detection: bool = false,
        /// What is told before the next full update. ns-2: shorter.
        pub triggers: Trigger = Trigger::Metric,
        /// At least so long after the update before.
        pub trigger_gap: Duration = Duration::from_secs(1),
        /// How long the best route to a destination comes after the first one under the same number, a guess; twice
        /// the weighted mean of what was measured is how long a route waits before it is told.
        pub settling_time: Duration = Duration::from_secs(6),
        /// Weight of the mean before against what was measured last.
        pub settling_weight: Fraction = Fraction(0.875),
        /// Routes to new destinations wait as well. ns-2: yes.
        pub settle_new_routes: bool = false,
        /// Packets that can wait at a node for a route to the same destination; the oldest gives way.
        pub send_buffer: u32 = 5; in 1..,
        /// Updates wait for a random time below this.
        pub jitter: Duration = Duration::from_millis(10),
    }
    preset Config::of
}

impl Config {
    /// The values of a preset.
    pub fn of(preset: Preset) -> Self {
        let paper = Self::default();
        match preset {
            Preset::Paper => paper,
            Preset::Ns2 => Self { preset, triggers: Trigger::Shorter, settle_new_routes: true, ..paper },
        }
    }

    /// How long a neighbour may be silent.
    pub(super) fn patience(&self) -> Duration {
        self.update_interval.saturating_mul(u64::from(self.allowed_update_loss))
    }
}
