#![no_main]

farlink_fuzz_targets::fuzz!("ns2_movement");
