//! [`Events`]: events that wait for the application, in order.

use std::collections::VecDeque;

use super::api::Event;

/// A queue. Most of the time it holds one event at most, which then has a place of its own.
#[derive(Debug, Default)]
pub(super) struct Events {
    first: Option<Event>,
    rest: VecDeque<Event>,
}

impl Events {
    #[inline]
    pub(super) fn push(&mut self, event: Event) {
        if self.first.is_none() {
            self.first = Some(event);
        } else {
            self.rest.push_back(event);
        }
    }

    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.first.is_none()
    }

    #[inline]
    pub(super) fn pop(&mut self) -> Option<Event> {
        let first = self.first.take();
        if !self.rest.is_empty() {
            self.first = self.rest.pop_front();
        }
        first
    }
}
