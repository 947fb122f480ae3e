//! Farlink network.
