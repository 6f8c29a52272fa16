//! The body `ugas_testkit::fuzz::replica` under libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| ugas_testkit::fuzz::replica(bytes));
