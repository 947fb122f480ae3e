//! Data with the SYN, from end to end.

use super::*;
use crate::fast_open::FastOpen;

fn config(fast_open: FastOpen) -> Config {
    Config { fast_open, ..Config::default() }
}

/// When `bytes` from the client have arrived.
fn arrival(fast_open: FastOpen, bytes: u64) -> Duration {
    let mut pair = Pair::new(&config(fast_open));
    pair.client.write(pair.now, bytes);
    while pair.server.received() < bytes {
        assert!(pair.now < Instant::ZERO + Duration::from_secs(60), "{bytes} bytes do not arrive");
        pair.run_for(Duration::from_millis(1));
    }
    pair.now - Instant::ZERO
}

#[test]
fn a_cookie_saves_a_round_trip() {
    let round_trip = {
        let pair = Pair::new(&Config::default());
        pair.delay * 2
    };
    for bytes in [100, 1_000] {
        let saved = arrival(FastOpen::Off, bytes) - arrival(FastOpen::Cookie, bytes);
        assert_eq!(saved.as_millis(), round_trip.as_millis(), "{bytes} bytes");
    }
    assert_eq!(arrival(FastOpen::Request, 1_000), arrival(FastOpen::Off, 1_000), "a request is without data");
    assert_eq!(arrival(FastOpen::WithoutCookie, 1_000), arrival(FastOpen::Cookie, 1_000));
}

#[test]
fn everything_arrives_once_whatever_is_lost_of_the_handshake() {
    for lost in 0..4 {
        let mut pair = Pair::new(&config(FastOpen::Cookie));
        pair.client.write(pair.now, 5_000);
        pair.client.close(pair.now);
        for i in 0..=lost {
            pair.flush();
            if i == lost {
                pair.wire.pop_first();
            }
            pair.run_for(Duration::from_millis(25));
        }
        pair.run_for(Duration::from_secs(30));
        assert_eq!((pair.server.received(), pair.client.sample().snd_una), (5_000, 5_001), "packet {lost}");
    }
}
