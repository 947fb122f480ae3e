//! Reads the members of large channels ahead, which saves waits for memory. Nothing here changes a result.

use std::hint::black_box;

use super::member::Member;
use super::transmission::Listener;

/// Channels with fewer members fit the processor's cache.
const MANY_MEMBERS: usize = 500;

/// Reads the members that a signal starts at, so that they are loaded into the cache at once and not one by one.
#[inline(always)]
pub(super) fn prefetch_for_start(members: &[Member], listeners: &[Listener]) {
    prefetch(members, listeners, |member| member.antenna.touch());
}

#[inline(always)]
pub(super) fn prefetch_for_end(members: &[Member], listeners: &[Listener]) {
    prefetch(members, listeners, |member| {
        member.antenna.touch() ^ member.antenna.touch_for_end() ^ member.heard.received
    });
}

#[inline(always)]
fn prefetch(members: &[Member], listeners: &[Listener], touch: impl Fn(&Member) -> u64) {
    if members.len() >= MANY_MEMBERS {
        let numbers = listeners.iter().map(|listener| listener.member as usize);
        black_box(numbers.fold(0, |sum, number| sum ^ touch(&members[number])));
    }
}
