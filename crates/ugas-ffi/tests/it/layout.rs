//! Sizes of structures in the C header, which must stay compatible with existing hosts.
#![cfg(target_pointer_width = "64")]

use ugas_ffi::*;

/// Structures with their sizes in bytes.
macro_rules! sizes {
    ($($name:ident $size:literal)*) => { [$((stringify!($name), size_of::<$name>(), $size)),*] };
}

/// Structures without a size field: they change only with UGAS_ABI_VERSION.
const FIXED: [(&str, usize, usize); 10] = sizes! {
    ugas_str 16
    ugas_bytes 16
    ugas_target 88
    ugas_placement 48
    ugas_magnitude 16
    ugas_named_number 24
    ugas_reading 24
    ugas_instigator 40
    ugas_calculation_change 16
    ugas_calculation_output 280
};

/// Structures with a size field. They may grow at their end, and never shrink.
const GROWING: [(&str, usize, usize); 64] = sizes! {
    ugas_reason 80
    ugas_diagnostic 80
    ugas_calculation_input 72
    ugas_calculation 120
    ugas_area 112
    ugas_space 40
    ugas_config 64
    ugas_spawn 48
    ugas_attribute_values 24
    ugas_tag_count 8
    ugas_tag_query 56
    ugas_apply 224
    ugas_cue 144
    ugas_cue_details 272
    ugas_effect_query 64
    ugas_effect_info 88
    ugas_grant 64
    ugas_ability_info 64
    ugas_granted_set 56
    ugas_gameplay_event 88
    ugas_task_info 40
    ugas_signal 80
    ugas_cause 40
    ugas_event_actor 24
    ugas_event_attribute 40
    ugas_event_effect 72
    ugas_event_ability 64
    ugas_event_tag_count 16
    ugas_event_gameplay 80
    ugas_event_input 24
    ugas_event_task 40
    ugas_event_cue 56
    ugas_event_limit 8
    ugas_event_body 96
    ugas_event 184
    ugas_batch_result 24
    ugas_restore_options 56
    ugas_recording_settings 16
    ugas_verification 56
    ugas_player_position 56
    ugas_reach 152
    ugas_server_host 64
    ugas_server_config 104
    ugas_server_statistics 88
    ugas_before_apply_input 40
    ugas_pre_change_input 48
    ugas_post_execute_input 64
    ugas_hooks 64
    ugas_task_input 32
    ugas_custom_task 72
    ugas_server_event 248
    ugas_server_client 16
    ugas_rejection_count 8
    ugas_lens 32
    ugas_client_config 80
    ugas_client_statistics 120
    ugas_connection 48
    ugas_client_event_session 24
    ugas_client_event_attribute 24
    ugas_client_event_effect 32
    ugas_client_event_cue 72
    ugas_client_event_command 32
    ugas_client_event_body 192
    ugas_client_event 208
};

#[test]
fn sizes_of_input_rows_are_fixed_by_the_abi_version() {
    assert_eq!(UGAS_ABI_VERSION, 1, "another version may have other rows: write them down here");
    for (name, is, was) in FIXED {
        assert_eq!(is, was, "{name} has another size: hosts of this version would go wrong");
    }
}

#[test]
fn soname_has_the_version_of_the_interface() {
    assert_eq!(env!("UGAS_SONAME_VERSION"), UGAS_ABI_VERSION.to_string());
}

#[test]
fn structures_never_shrink() {
    for (name, is, was) in GROWING {
        assert!(is >= was, "{name} has lost something that hosts of this version have");
    }
}

#[test]
fn every_structure_has_a_recorded_size() {
    let header = include_str!("../../include/ugas.h");
    let ends = header.lines().filter_map(|line| line.strip_prefix("} ugas_")?.strip_suffix(';'));
    for name in ends {
        let is_known = |list: &[(&str, usize, usize)]| list.iter().any(|(known, ..)| known[5..] == *name);
        assert!(is_known(&FIXED) || is_known(&GROWING), "what is the size of ugas_{name}?");
    }
}
