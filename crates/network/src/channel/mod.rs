//! Channels: what a frame meets between the interfaces of two or more nodes.
//!
//! [`shared`] is a channel that many nodes share. Its [`medium`] says which of them receive a signal ([`propagation`]) and
//! when ([`propagation_speed`]). [`error`] decides which packets of a link are lost, and
//! [`jitter`] how much later than others they arrive.

pub mod error;
pub mod jitter;
pub mod medium;
pub mod propagation;
pub mod propagation_speed;
pub(crate) mod shared;
pub(crate) mod spatial_index;
