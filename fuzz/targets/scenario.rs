#![no_main]

farlink_fuzz_targets::fuzz!("scenario");
