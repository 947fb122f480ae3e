//! A panic ends in a trap without a message: the message goes to the worker before.

use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen]
extern "C" {
    /// A function of the worker.
    #[wasm_bindgen(js_name = farlinkPanicked)]
    fn panicked(message: &str);
}

/// Called once, when the module is instantiated.
#[wasm_bindgen(start)]
pub fn start() {
    std::panic::set_hook(Box::new(|info| panicked(&info.to_string())));
}
