//! Farlink scenario.
