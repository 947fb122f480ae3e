//! W. Willinger, M. Taqqu, R. Sherman, D. Wilson, Self-Similarity Through High-Variability, SIGCOMM 1995.

use farlink_kernel::config::above;
use farlink_kernel::random::Stream;
use farlink_kernel::{BitRate, Bytes, Duration, Instant, choice, config};

use super::{Action, Application, LARGEST_DATAGRAM, Length, Parameters, Protocol, Setup, Traffic};

pub(super) const SOURCE: &str = "Willinger et al., SIGCOMM 1995";

choice! {
    /// How the lengths of bursts and pauses are distributed.
    pub enum Distribution {
        /// Exponential.
        Exponential = "exponential",
        /// Pareto.
        Pareto = "pareto",
    }
}

config! {
    /// Parameters of the on-off source.
    pub struct Config {
        /// Rate of the payload within a burst.
        pub rate: BitRate = BitRate::from_bps(1_000_000); in above(BitRate::from_bps(0)),
        /// Payload of a packet.
        pub packet_size: Bytes = Bytes(1000); in Bytes(1)..=LARGEST_DATAGRAM,
        /// Mean length of a burst.
        pub on: Duration = Duration::from_millis(500); in above(Duration::ZERO),
        /// Mean length of a pause.
        pub off: Duration = Duration::from_millis(500),
        /// How both are distributed.
        pub distribution: Distribution = Distribution::Exponential,
        /// Shape of the Pareto distribution, above 1.
        pub shape: f64 = 1.5; in above(1.0),
        /// What carries the bytes.
        pub transport: Protocol = Protocol::Udp,
    }
}

impl Parameters for Config {
    fn traffic(&self) -> Traffic<'_> {
        let interval = self.rate.time_to_send(self.packet_size).as_secs_f64().max(1e-9);
        // A burst ends with a whole packet.
        let burst = self.on.as_secs_f64().max(interval);
        Traffic {
            protocol: self.transport,
            write: self.packet_size,
            writes_per_second: burst / (burst + self.off.as_secs_f64()) / interval,
            length: Length::Endless,
            lower: Some("rate"),
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct OnOff {
    config: Config,
    stream: Stream,
    burst_ends: Instant,
}

impl OnOff {
    pub(crate) fn new(config: &Config, setup: &Setup) -> Self {
        let stream = Stream::new(setup.seed, "on_off", setup.flow);
        Self { config: config.clone(), stream, burst_ends: Instant::ZERO }
    }

    fn length(&mut self, mean: Duration) -> Duration {
        let mean = mean.as_secs_f64();
        Duration::from_secs_f64(match self.config.distribution {
            Distribution::Exponential => self.stream.exponential(mean),
            Distribution::Pareto => self.stream.pareto(mean, self.config.shape),
        })
    }
}

impl Application for OnOff {
    fn on_wake(&mut self, now: Instant) -> Action {
        if now >= self.burst_ends {
            self.burst_ends = now.saturating_add(self.length(self.config.on));
        }
        let next = now.saturating_add(self.config.rate.time_to_send(self.config.packet_size));
        let wake = if next < self.burst_ends {
            next
        } else {
            let pause = self.length(self.config.off);
            self.burst_ends = self.burst_ends.max(next).saturating_add(pause);
            self.burst_ends
        };
        Action { send: self.config.packet_size, close: false, wake }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_rate_is_the_burst_rate_times_the_share_of_bursts() {
        for distribution in [Distribution::Exponential, Distribution::Pareto] {
            let config = Config { distribution, shape: 2.5, ..Config::default() };
            let mut source = OnOff::new(&config, &Setup { seed: 1, flow: 0 });
            let (mut now, mut packets) = (Instant::ZERO, 0_u64);
            while now < Instant::ZERO + Duration::from_secs(5_000) {
                packets += 1;
                now = source.on_wake(now).wake;
            }
            // 125 packets per second within bursts, half of the time; a burst ends with a whole packet,
            // which adds half a packet per burst and 4 ms to its second.
            let rate = packets as f64 / 5_000.0;
            assert!((rate - 63.0).abs() < 3.0, "{distribution:?}: {rate}");
        }
    }
}
