//! Bounds the memory of an engine in a browser: a page holds one per core, and a run that takes all ends alone.

/// 1 GiB; `web/src/engine/simulate.ts` refuses a run that needs more.
const MOST_BYTES: u32 = 1 << 30;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var_os("CARGO_CFG_TARGET_ARCH").is_some_and(|arch| arch == "wasm32") {
        println!("cargo::rustc-link-arg-cdylib=--max-memory={MOST_BYTES}");
    }
}
