#![no_main]

farlink_fuzz_targets::fuzz!("rate_csv");
