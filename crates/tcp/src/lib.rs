//! Farlink tcp.
