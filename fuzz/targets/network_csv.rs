#![no_main]

farlink_fuzz_targets::fuzz!("network_csv");
