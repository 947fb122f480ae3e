//! libFuzzer binaries of the targets of `farlink-fuzz`.

pub use farlink_fuzz::target;
pub use libfuzzer_sys;

/// The libFuzzer entry of a target.
#[macro_export]
macro_rules! fuzz {
    ($name:literal) => {
        $crate::libfuzzer_sys::fuzz_target!(|data: &[u8]| {
            ($crate::target($name).expect("a target of this name").run)(data);
        });
    };
}
