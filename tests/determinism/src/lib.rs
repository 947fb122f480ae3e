//! Hashes of the numeric results of all built-in scenarios, column by column, compared with those that are kept in
//! `hashes.csv`: the same input gives the same bytes in every build and on every machine.
//!
//! Read in this order: [`run`] (a scenario becomes columns), [`mod@column`] (a column becomes a hash and a mean),
//! [`kept`] (the file), [`compare`] (what differs, as a text).

pub mod column;
pub mod compare;
pub mod kept;
pub mod run;
