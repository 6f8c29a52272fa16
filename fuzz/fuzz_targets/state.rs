//! The body `ugas_testkit::fuzz::state` under libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| ugas_testkit::fuzz::state(bytes));
