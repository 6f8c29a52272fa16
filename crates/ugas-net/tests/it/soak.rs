//! A few soak matches of each profile; `ugas soak` plays more.

use ugas_netsim::soak::{Profile, play};

#[track_caller]
fn check(profile: &str, seeds: core::ops::Range<u64>) {
    let profile = Profile::named(profile).expect("it is there");
    // Short ones: without optimisation a match takes seconds.
    let profile = Profile { seconds: profile.seconds.min(5.0), ..profile };
    for seed in seeds {
        let report = play(&profile, seed);
        assert_eq!(report.violations, [], "seed {seed}");
        assert!(report.commands > 0, "seed {seed}: nothing happened");
    }
}

#[test]
fn without_faults_every_event_is_emitted_once() {
    check("calm", 1..3);
}

#[test]
fn clients_converge_after_faults() {
    check("short", 4..6);
    check("brutal", 1..2);
}

#[test]
fn cheats_gain_nothing() {
    check("cheats", 1..3);
}

/// The uplink of client 3 is cut for most of the match, so that its commands cannot come in time.
#[test]
fn commands_of_a_client_that_is_cut_off_do_not_count_for_liveness() {
    let short = Profile::named("short").expect("it is there");
    assert_eq!(play(&short, 513_075).violations, []);
}

/// The round trip of a client rises from 10 ms to half a second.
#[test]
fn commands_come_in_time_when_the_round_trip_grows() {
    let short = Profile::named("short").expect("it is there");
    assert_eq!(play(&short, 501_148).violations, []);
}

/// A hidden controller comes into view while the first state of a controller that names it is under way, and lost.
#[test]
fn clients_converge_if_a_view_is_rewound_before_its_first_state_arrived() {
    let short = Profile::named("short").expect("it is there");
    assert_eq!(play(&short, 2_012_069).violations, []);
}

#[test]
fn transport_reloads_edges_and_fault_points_are_in_the_loop() {
    let short = Profile::named("short").expect("it is there");
    let profile = Profile { encrypted: 1.0, seconds: 3.0, fault_points: 0.05, ..short };
    // The match of seed 3 has a hot reload within three seconds.
    let report = play(&profile, 3);
    assert_eq!(report.violations, []);
    for fault in ["encrypted match", "vandalism", "hot reload", "point: server send", "point: client receive"]
    {
        assert!(report.faults.contains_key(fault), "{fault}: {:?}", report.faults);
    }
}
