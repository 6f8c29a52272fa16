//! The body `ugas_testkit::fuzz::wire_to_server` under libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| ugas_testkit::fuzz::wire_to_server(bytes));
