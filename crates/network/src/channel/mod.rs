//! Channels: what a frame meets between the interfaces of two or more nodes.
//!
//! A wire has two ends and is a [`pipe`]; [`error`] says which of its packets die. What many nodes share
//! has a [`propagation`], which says who hears whom and when.

pub mod error;
pub mod propagation;
