//! Farlink kernel.
