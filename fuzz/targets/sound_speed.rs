#![no_main]

farlink_fuzz_targets::fuzz!("sound_speed");
