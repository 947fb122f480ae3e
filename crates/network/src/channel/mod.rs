//! Channels: what a frame meets between the interfaces of two or more nodes.
//!
//! [`air`] is a channel that many nodes share; its [`propagation`] decides which of them receive a signal, [`celerity`]
//! when. [`error`] decides which packets of a link are lost.

pub mod air;
pub mod celerity;
pub mod error;
pub mod medium;
pub mod neighbourhood;
pub mod propagation;
