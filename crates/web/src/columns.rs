//! Tables as columns of bytes, as `farlink._farlink` gives them to Python.

use farlink_scenario::{Column, Table};
use wasm_bindgen::prelude::wasm_bindgen;

/// The columns of a table, by their place.
#[wasm_bindgen]
pub struct Columns(Table);

impl Columns {
    pub(crate) fn new(table: Table) -> Self {
        Self(table)
    }
}

#[wasm_bindgen]
impl Columns {
    /// The names of the columns.
    pub fn names(&self) -> Vec<String> {
        self.0.columns.iter().map(|(name, _)| (*name).to_owned()).collect()
    }

    /// `text`, `word`, `integer` or `number`.
    pub fn kind(&self, place: usize) -> String {
        let kind = match self.0.columns[place].1 {
            Column::Text(_) => "text",
            Column::Word(..) => "word",
            Column::Integer(_) => "integer",
            Column::Number(_) => "number",
        };
        kind.into()
    }

    /// Little-endian words of 64 bits; of `word` 32 bits, places in [`Self::words`]; of `text` none.
    pub fn bytes(&self, place: usize) -> Vec<u8> {
        match &self.0.columns[place].1 {
            Column::Text(_) => Vec::new(),
            Column::Word(places, _) => places.iter().copied().flat_map(u32::to_le_bytes).collect(),
            Column::Integer(values) => values.iter().copied().flat_map(u64::to_le_bytes).collect(),
            Column::Number(values) => values.iter().copied().flat_map(f64::to_le_bytes).collect(),
        }
    }

    /// The values of `text`, the distinct values of `word`; of numbers none.
    pub fn words(&self, place: usize) -> Vec<String> {
        match &self.0.columns[place].1 {
            Column::Text(words) | Column::Word(_, words) => words.clone(),
            Column::Integer(_) | Column::Number(_) => Vec::new(),
        }
    }
}
