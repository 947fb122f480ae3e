//! A scenario's text, the values set over it and its files become a validated scenario.

use farlink_scenario::{Draft, Error};
use serde_json::{Value, json};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::memory::Folder;
use crate::run::Run;

/// A text with what belongs to it; not yet validated.
#[wasm_bindgen]
pub struct Source {
    text: String,
    settings: Vec<(String, String)>,
    folder: Folder,
}

#[wasm_bindgen]
impl Source {
    /// A text without more.
    #[wasm_bindgen(constructor)]
    pub fn new(text: String) -> Self {
        Self { text, settings: Vec::new(), folder: Folder::default() }
    }

    /// Sets a value at a dotted path.
    pub fn set(&mut self, path: String, value: String) {
        self.settings.push((path, value));
    }

    /// Adds a file that the scenario may name.
    pub fn add(&mut self, path: String, content: Vec<u8>) {
        self.folder.add(path, content);
    }

    /// The scenario; throws the error as JSON.
    pub fn validate(&self) -> Result<Scenario, String> {
        let inner = self.validated().map_err(|error| diagnostic(&error).to_string())?;
        Ok(Scenario { inner })
    }
}

impl Source {
    fn validated(&self) -> Result<farlink_scenario::Scenario, Error> {
        let mut draft = Draft::parse(&self.text, "scenario")?;
        for (path, value) in &self.settings {
            draft.set(path, value)?;
        }
        draft.validate(&self.folder)
    }
}

fn diagnostic(error: &Error) -> Value {
    let mut object = error.to_json();
    object["length"] = error.width.into();
    object
}

/// A validated scenario.
#[wasm_bindgen]
pub struct Scenario {
    inner: farlink_scenario::Scenario,
}

#[wasm_bindgen]
impl Scenario {
    /// What it is made of and what a run takes, as JSON.
    pub fn description(&self) -> String {
        let [events, bytes, (total, cause, remedy)] = self.inner.estimate(true).amounts();
        let warnings = self.inner.warnings.iter().map(|warning| warning.parts().to_json());
        let description = json!({
            "name": self.inner.name,
            "duration_s": self.inner.duration().as_secs_f64(),
            "seed": self.inner.seed,
            "flows": self.inner.flow_labels,
            "nodes": self.inner.nodes(),
            "positions": self.inner.positions(self.inner.seed),
            "channels": self.inner.channels(),
            "events": events.0,
            "bytes": bytes.0,
            "certain_bytes": { "total": total, "cause": cause, "remedy": remedy },
            "warnings": warnings.collect::<Vec<_>>(),
            "resolved": self.inner.resolved,
        });
        description.to_string()
    }

    /// Begins a run.
    pub fn run(&self, seed: u64) -> Run {
        Run::new(&self.inner, seed)
    }
}
