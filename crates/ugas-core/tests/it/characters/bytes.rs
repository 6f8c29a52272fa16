//! Characters as bytes: files of every version stay readable, and no bytes cause a panic.

use std::path::PathBuf;
use std::sync::Arc;

use ugas_core::character::{
    AbilityReference, CapturedValue, Character, CharacterAbility, CharacterAttribute, CharacterEffect,
    CharacterSet, GrantedBy, Instigator, Lifetime, Phase, RememberedSource, RememberedValue, RestoreOptions,
};
use ugas_core::codec::{DecodeErrorKind, seal};
use ugas_core::controller::ReplicationMode;
use ugas_core::effect::magnitude::{AttributeCalculation, CaptureFrom};
use ugas_core::effect::{AbilityRemoval, EffectDef, EffectStatus, HitResult, RawPayload};
use ugas_core::id::ActorId;
use ugas_core::input::InputBufferConfig;
use ugas_core::modifier::Operation;
use ugas_core::simulation::{Config, Simulation};
use ugas_core::targeting::{Placement, Team};
use ugas_core::time::Span;

use crate::fixture::{Game, buff};

/// A character that has something of everything.
fn rich() -> Character {
    let strings = |names: &[&str]| -> Vec<String> { names.iter().map(|&name| name.to_owned()).collect() };
    let attribute = |name: &str, base: f64, current: Option<f64>| CharacterAttribute {
        name: name.to_owned(),
        base,
        current,
    };
    let poison = CharacterEffect {
        rules: Some(0x0123_4567_89ab_cdef),
        order: 1,
        recency: 1,
        level: 2.5,
        stacks: 3,
        inhibited: true,
        lifetime: Lifetime::Lasting { total: Span::seconds(7.0), left: Span::seconds(3.5) },
        phase: Some(Phase { period: Some(Span::seconds(2.0)), elapsed: Span::seconds(1.5), ticks: 1 }),
        instigator: Instigator::Other { owner: Some(ActorId(77)), name: "wolf".to_owned() },
        remembered: Some(RememberedSource {
            tags: strings(&["State.Angry"]),
            values: vec![RememberedValue { attribute: "Strength".to_owned(), base: 50.0, current: 80.0 }],
        }),
        ability: Some(AbilityReference { ability: "GA_Bite".to_owned(), order: None }),
        causer: Some(ActorId(3)),
        source_object: Some(ActorId(4)),
        hit: Some(HitResult { location: [1.0, 2.0, 3.0], distance: 4.0, part: 5, ..HitResult::default() }),
        origin: Some([6.0, 7.0, 8.0]),
        payload: Some(Arc::new(RawPayload { kind: "ricochet".to_owned(), bytes: vec![0, 255, 7] })),
        set_by_caller: vec![("Data.Amount".to_owned(), -0.1)],
        captured: vec![CapturedValue {
            attribute: "Strength".to_owned(),
            from: CaptureFrom::Target,
            calculation: AttributeCalculation::UpToLayer(2),
            source_tag_filter: strings(&["State.Buff"]),
            target_tag_filter: strings(&["State.Debuff"]),
            value: Some(1e300),
        }],
        magnitudes: Some(vec![("Health".to_owned(), -5.0)]),
        own_duration: Some(Span::seconds(7.0)),
        own_period: Some(Span::seconds(2.0)),
        granted_tags: strings(&["State.Ill"]),
        asset_tags: strings(&["Element.Poison"]),
        stream: Some(u64::MAX),
        ..CharacterEffect::new("GE_Poison")
    };
    let sword = CharacterEffect {
        definition: Some(Arc::new(buff("Sword of 7", "Attack", Operation::Add, 7.0))),
        order: 2,
        instigator: Instigator::Itself,
        lifetime: Lifetime::Endless,
        ability: Some(AbilityReference { ability: "GA_Bolt".to_owned(), order: Some(0) }),
        ..CharacterEffect::new("Sword of 7")
    };
    let waiting = CharacterEffect {
        order: 3,
        recency: 2,
        status: EffectStatus::Queued,
        ..CharacterEffect::new("GE_Stun")
    };
    let bolt = CharacterAbility {
        level: 4,
        input: Some("Slot.1".to_owned()),
        source_object: Some(ActorId(6)),
        dynamic_tags: strings(&["Ability.Fire"]),
        parameters: vec![("Power".to_owned(), 2.5)],
        used_charges: 2,
        recharge: Some(Span::seconds(1.25)),
        active_runs: 1,
        ..CharacterAbility::new("GA_Bolt")
    };
    let by_sword = GrantedBy { effect: 2, removal: AbilityRemoval::RemoveOnEnd };
    let dash = CharacterAbility { order: 4, granted_by: Some(by_sword), ..CharacterAbility::new("GA_Dash") };
    Character {
        name: "Ada".to_owned(),
        template: Some("Unit".to_owned()),
        owner: Some(ActorId(1)),
        avatar: Some(ActorId(2)),
        replication: ReplicationMode::Full,
        inactive: false,
        team: Some(Team::new("Red")),
        placement: Placement::new([1.0, 2.0, 3.0], [0.0, 1.0, 0.0]).ok(),
        input_buffer: Some(InputBufferConfig { enabled: true, window: Span::millis(200), size: 2 }),
        sets: vec![CharacterSet {
            name: "Unit".to_owned(),
            attributes: vec![attribute("Health", 85.0, Some(85.0)), attribute("Speed", 0.1, None)],
        }],
        own_tags: Some(vec![strings(&["Class.Mage", "Race.Elf"]), strings(&["Class.Mage"])]),
        effects: vec![poison, sword, waiting],
        abilities: vec![bolt, dash],
        rolls: vec![("GE_Poison".to_owned(), 4)],
        runs: vec![("GA_Bolt".to_owned(), 9)],
        tags: strings(&["Class.Mage", "Race.Elf", "State.Ill"]),
    }
}

fn golden(version: u32) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(format!("character-v{version}.bin"))
}

/// `UPDATE_EXPECT=1` writes the file of the present version if there is none, and never one that is there.
#[test]
fn golden_character_is_encoded_unchanged() {
    let (bytes, path) = (rich().to_bytes(), golden(ugas_core::codec::VERSION));
    if std::env::var_os("UPDATE_EXPECT").is_some() && !path.exists() {
        std::fs::write(&path, &bytes).unwrap();
    }
    assert_eq!(
        std::fs::read(&path).unwrap(),
        bytes,
        "the format changed: raise the version and keep the old one"
    );
}

#[test]
fn golden_characters_stay_readable() {
    for version in 1..=ugas_core::codec::VERSION {
        let bytes = std::fs::read(golden(version)).unwrap();
        assert_eq!(Character::from_bytes(&bytes), Ok(rich()));
    }
}

#[test]
fn truncated_character_is_rejected_at_every_byte() {
    let bytes = rich().to_bytes();
    for end in 0..bytes.len() {
        assert!(Character::from_bytes(&bytes[..end]).is_err(), "cut off at {end}");
    }
    let mut longer = bytes;
    longer.push(0);
    assert!(Character::from_bytes(&longer).is_err());
}

#[test]
fn flipped_bit_is_rejected() {
    let bytes = rich().to_bytes();
    for at in 0..bytes.len() {
        for bit in 0..8 {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1 << bit;
            assert!(Character::from_bytes(&damaged).is_err(), "bit {bit} of byte {at}");
        }
    }
}

/// Bytes changed on purpose, with a correct checksum.
#[test]
fn well_formed_changed_bytes_can_be_restored() {
    let game = Game::build(|builder| {
        builder
            .effect(EffectDef::lasting("GE_Poison", 7.0).every(2.0).modify("Health", Operation::Add, -5.0))
            .effect(
                EffectDef::lasting("GE_Stun", 2.0).policy(ugas_core::effect::ExecutionPolicy::RunInSequence),
            )
            .ability(ugas_core::ability::AbilityDef::new("GA_Bolt").charges(3, 5.0))
            .ability(ugas_core::ability::AbilityDef::new("GA_Dash"))
    });
    let whole = rich().to_bytes();
    let body = &whole[5..whole.len() - 8];
    let (mut readable, mut unreadable) = (0, 0);
    for at in 0..body.len() {
        for change in [1u8, 0x80, 0x7f, 0xff] {
            let mut changed = body.to_vec();
            changed[at] ^= change;
            let bytes = seal(*b"UGCH", |encoder| encoder.raw(&changed));
            let Ok(character) = Character::from_bytes(&bytes) else {
                unreadable += 1;
                continue;
            };
            readable += 1;
            let mut sim = Simulation::new(game.sim.catalog().clone(), Config::default());
            if let Ok((id, _)) = sim.restore_character(&character, &RestoreOptions::default()) {
                assert_eq!(sim.inconsistencies(), [""; 0], "byte {at} changed by {change}");
                sim.advance(Span::seconds(20.0));
                assert!(sim.character(id).is_some());
            }
        }
    }
    assert!(readable > 100 && unreadable > 100, "{readable} and {unreadable}");
}

#[test]
fn other_files_and_versions_are_rejected() {
    let other = Character::from_bytes(&seal(*b"UGSN", |_| {})).unwrap_err();
    assert!(matches!(other.kind, DecodeErrorKind::OtherKind { .. }), "{other}");
    let mut newer = rich().to_bytes();
    newer[4] = 99;
    let newer = Character::from_bytes(&newer).unwrap_err();
    assert!(matches!(newer.kind, DecodeErrorKind::UnknownVersion { found: 99, .. }), "{newer}");
}
