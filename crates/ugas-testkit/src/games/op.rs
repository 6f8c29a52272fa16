//! Operations of recorded games: those of the fixtures, and calls that the fixtures do not make.

use std::mem;

use proptest::collection::vec;
use proptest::prelude::*;
use ugas_core::ability::{GameplayEvent, Grant, GrantedSet};
use ugas_core::character::RestoreOptions;
use ugas_core::effect::{EffectContext, EffectDef, HitResult, NamedValues};
use ugas_core::handle::{ActiveEffectId, ControllerId, GrantedAbilityId};
use ugas_core::id::{ActorId, EffectId, TagId};
use ugas_core::input::InputBufferConfig;
use ugas_core::modifier::Operation;
use ugas_core::prediction::PredictionKey;
use ugas_core::simulation::{ActivationRequest, Simulation, Spawn};
use ugas_core::tag::TagSet;
use ugas_core::targeting::{Placement, Target, TargetData, Team};
use ugas_core::time::Span;

use super::pack;
use crate::fixtures::{AbilityOp, Op, SimDriver, ability_op, operation, run_ability_op};

/// Operation of a recorded game. Numbers are taken modulo the number of existing objects.
#[derive(Clone, Debug)]
pub(super) enum GameOp {
    /// Operation of the fixtures.
    Fixture(AbilityOp),
    /// Operations of the fixtures in one batch.
    Batch(Vec<AbilityOp>),
    /// Call that the fixtures do not make.
    Call(Call, Numbers),
    /// Keeps a snapshot, or returns to the kept one.
    Rollback(bool),
    /// Restores a copy from the bytes of a snapshot; it must play on identically for a few operations.
    Fork,
    /// Reloads one of the game's catalogs.
    Reload(usize),
}

/// Numbers of a call: controller, another controller, position in a list, value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Numbers {
    actor: usize,
    other: usize,
    nth: usize,
    value: u32,
}

/// Calls that the fixtures do not make.
#[derive(Clone, Copy, Debug)]
pub(super) enum Call {
    AdjustEffect,
    ChangeController,
    ChangeAbility,
    ByTags,
    Cue,
    Define,
    Strike,
    Activate,
    Press,
    Burst,
    GrantPack,
    GrantSet,
    Character,
    SpawnHerald,
}

const CALLS: [(u32, Call); 14] = [
    (4, Call::AdjustEffect),
    (3, Call::ChangeController),
    (2, Call::ChangeAbility),
    (2, Call::ByTags),
    (2, Call::Cue),
    (1, Call::Define),
    (6, Call::Strike),
    (4, Call::Activate),
    (2, Call::Press),
    (2, Call::Burst),
    (5, Call::GrantPack),
    (1, Call::GrantSet),
    (1, Call::Character),
    (1, Call::SpawnHerald),
];

/// Random numbers of a call: two controllers, a position and 32 bits of further choices.
fn numbers() -> impl Strategy<Value = Numbers> {
    (0..8usize, 0..8usize, 0..64usize, any::<u32>()).prop_map(|(actor, other, nth, value)| Numbers {
        actor,
        other,
        nth,
        value,
    })
}

/// Random operations of a game, `most / 2` to `most` of them. `abilities`: whether the game has abilities.
/// `reloads`: whether its catalog changes; then no spec is kept, because one of the old catalog would be
/// invalid.
pub(super) fn game_ops(most: usize, abilities: bool, reloads: bool) -> impl Strategy<Value = Vec<GameOp>> {
    let fixture = move || match abilities {
        true => ability_op().boxed(),
        false => operation().prop_map(AbilityOp::Plain).boxed(),
    };
    let keeps_no_spec =
        |op: &AbilityOp| !matches!(op, AbilityOp::Plain(Op::Prepare { .. } | Op::ApplyPrepared(_)));
    let fixture = move || {
        let any = fixture();
        // A spec of the old catalog is invalid after a reload.
        let kept = any.prop_map(move |op| match keeps_no_spec(&op) || !reloads {
            true => op,
            false => AbilityOp::Plain(Op::Advance(700)),
        });
        kept.boxed()
    };
    let calls = CALLS.map(|(weight, call)| (weight, Just(call)));
    let call = proptest::strategy::Union::new_weighted(calls.to_vec());
    let op = prop_oneof![
        60 => fixture().prop_map(GameOp::Fixture),
        2 => vec(fixture(), 1..5).prop_map(GameOp::Batch),
        24 => (call, numbers()).prop_map(|(call, numbers)| GameOp::Call(call, numbers)),
        3 => any::<bool>().prop_map(GameOp::Rollback),
        2 => Just(GameOp::Fork),
        if reloads { 9 } else { 0 } => (0..4usize).prop_map(GameOp::Reload),
    ];
    vec(op, most / 2..=most)
}

/// Preferences of a game: a few effects and abilities that occur more often than others, so that they meet
/// themselves.
#[derive(Clone, Debug)]
pub(super) struct Favourites {
    effects: Vec<usize>,
    grants: Vec<Numbers>,
    placed: bool,
}

/// Random preferences of a game: two effects, five grants, and whether controllers are placed.
pub(super) fn favourites() -> impl Strategy<Value = Favourites> {
    (vec(0..64usize, 2), vec(numbers(), 5), any::<bool>()).prop_map(|(effects, grants, placed)| Favourites {
        effects,
        grants,
        placed,
    })
}

impl Favourites {
    /// Changes the operations by the preferences: half of the applications and most strikes take a favourite
    /// effect and one of the first two controllers. Games of abilities begin with placements and grants,
    /// without which most operations would do nothing.
    pub(super) fn apply(&self, ops: &mut Vec<GameOp>, abilities: bool) {
        for op in &mut *ops {
            match op {
                GameOp::Fixture(op) => self.apply_to(op),
                GameOp::Batch(ops) => ops.iter_mut().for_each(|op| self.apply_to(op)),
                GameOp::Call(Call::Strike, numbers) if !numbers.value.is_multiple_of(4) => {
                    numbers.nth = self.effects[numbers.nth % self.effects.len()];
                    numbers.actor /= 5;
                }
                _ => {}
            }
        }
        if !abilities {
            return;
        }
        let mut begin = Vec::new();
        if self.placed {
            begin.extend((0..2).map(|actor| GameOp::Fixture(AbilityOp::Change(actor, 2, 3 * actor as u32))));
        }
        for (at, numbers) in self.grants.iter().enumerate() {
            begin.push(match at % 2 {
                0 => GameOp::Fixture(AbilityOp::Grant(at / 2, numbers.value % 8)),
                _ => GameOp::Call(Call::GrantPack, Numbers { actor: at / 2, ..*numbers }),
            });
        }
        ops.splice(..0, begin);
    }

    /// Redirects every other application of an effect to a favourite one and to one of the first two
    /// controllers, so that effects stack and meet themselves; leaves other operations as they are.
    fn apply_to(&self, op: &mut AbilityOp) {
        if let AbilityOp::Plain(Op::Apply { effect, target, .. }) = op
            && effect.is_multiple_of(2)
        {
            *effect = self.effects[*effect / 2 % self.effects.len()];
            *target /= 4;
        }
    }
}

/// Objects that calls create and later calls use.
#[derive(Clone, Default)]
pub(super) struct Created {
    effects: Vec<EffectId>,
    sets: Vec<(ControllerId, GrantedSet)>,
    keys: u32,
}

/// Runs operations of the fixtures in one batch of the driver's simulation, so that their consequences follow
/// together.
pub(super) fn run_batch(driver: &mut SimDriver, ops: &[AbilityOp]) {
    let empty = Simulation::new(driver.sim.catalog().clone(), driver.sim.config().clone());
    let mut sim = mem::replace(&mut driver.sim, empty);
    sim.batch(|sim| {
        for op in ops {
            mem::swap(&mut driver.sim, sim);
            run_ability_op(driver, op);
            mem::swap(&mut driver.sim, sim);
        }
    });
    driver.sim = sim;
}

/// Makes a call with the numbers resolved to existing objects; returns its result as text for the transcript:
/// `done`, `refused`, `nothing` without an object, `nobody` without controllers.
pub(super) fn run_call(
    driver: &mut SimDriver,
    created: &mut Created,
    call: Call,
    numbers: Numbers,
) -> &'static str {
    let mut everybody: Vec<_> = driver.sim.controllers().map(|(id, known)| (known.ordinal(), id)).collect();
    everybody.sort_unstable();
    let who = |at: usize| everybody.get(at % everybody.len().max(1)).map(|(_, id)| *id);
    let (Some(actor), Some(other)) = (who(numbers.actor), who(numbers.other)) else { return "nobody" };
    let done =
        Caller { driver, created, actor, other, nth: numbers.nth, value: numbers.value }.make_call(call);
    match done {
        Some(true) => "done",
        Some(false) => "refused",
        None => "nothing",
    }
}

/// One call with its numbers resolved.
struct Caller<'a> {
    driver: &'a mut SimDriver,
    created: &'a mut Created,
    actor: ControllerId,
    other: ControllerId,
    nth: usize,
    value: u32,
}

impl Caller<'_> {
    /// Makes the call with this caller's objects: true if the core accepts it. `None` if the object that it
    /// is about does not exist, for example an effect of a controller without effects.
    fn make_call(&mut self, call: Call) -> Option<bool> {
        match call {
            Call::AdjustEffect => self.adjust_effect(),
            Call::ChangeController => Some(self.change_controller()),
            Call::ChangeAbility => self.change_ability(),
            Call::ByTags => self.cancel_or_activate_by_tags(),
            Call::Cue => self.change_cue(),
            Call::Define => self.use_runtime_effect(),
            Call::Strike => self.apply_effect_of_game(),
            Call::Activate => self.activate(),
            Call::Press => self.use_input(),
            Call::Burst => self.send_burst(),
            Call::GrantPack => self.grant_pack(),
            Call::GrantSet => self.grant_or_revoke_set(),
            Call::Character => self.copy_character(),
            Call::SpawnHerald => self.spawn_herald(),
        }
    }

    /// Simulation of the driver as `&mut`: short for `self.driver.sim` in calls that change it.
    fn sim(&mut self) -> &mut Simulation {
        &mut self.driver.sim
    }

    /// Number below `below` from the value's bits from `shift` on: one random value decides several choices
    /// of a call.
    fn bits(&self, shift: u32, below: u32) -> u32 {
        (self.value >> shift) % below
    }

    /// Tag of one of these names, chosen by the position; `None` if the game does not define it.
    fn nth_tag(&self, names: &[&str]) -> Option<TagId> {
        let name = names[self.nth % names.len()];
        self.driver.sim.catalog().tag(name).ok()
    }

    /// Active effect of the controller at the position, modulo their number; `None` if it has none.
    fn nth_effect(&self) -> Option<ActiveEffectId> {
        let effects = self.driver.sim.controller(self.actor)?.effects();
        effects.get(self.nth % effects.len().max(1)).copied()
    }

    /// Granted ability of the controller at the position, modulo their number; `None` if it has none.
    fn nth_ability(&self) -> Option<GrantedAbilityId> {
        let abilities = self.driver.sim.controller(self.actor)?.abilities();
        abilities.get(self.nth % abilities.len().max(1)).copied()
    }

    /// Prediction key with the next number of the game, for strikes and activations that are predicted.
    fn next_key(&mut self) -> PredictionKey {
        self.created.keys += 1;
        PredictionKey::new(self.created.keys, 1)
    }

    /// Random effect context of a strike or cue: each of source, critical hit, hit result, causer with
    /// origin, payload and ability may be present.
    fn random_context(&self) -> EffectContext {
        let mut context = EffectContext::of((self.bits(0, 8) > 0).then_some(self.other));
        if self.bits(3, 2) == 0
            && let Ok(critical) = self.driver.sim.catalog().tag("Hit.Critical")
        {
            context = context.tagged(critical);
        }
        if self.bits(4, 3) == 0 {
            context = context.with_hit(self.random_hit());
        }
        if self.bits(6, 3) == 0 {
            context = context.caused_by(ActorId(u64::from(self.bits(8, 4)))).at([1.0, 2.5, 0.0]);
        }
        if self.bits(9, 4) == 0 {
            context =
                context.from_object(ActorId(77)).with_payload(&NamedValues(vec![("Heat".to_owned(), 1.5)]));
        }
        if self.bits(11, 4) == 0 {
            context.ability = self.nth_ability();
        }
        context
    }

    /// Hit result whose location and distance depend on the value; the other fields are constant.
    fn random_hit(&self) -> HitResult {
        let x = f64::from(self.bits(5, 5));
        HitResult {
            location: [x, 1.0, 0.0],
            normal: [0.0, 0.0, 1.0],
            distance: x * 0.5,
            actor: Some(ActorId(3)),
            part: 2,
        }
    }

    /// Random target data: no target, the other controller, a location, or the other controller and a hit.
    fn random_targets(&self) -> TargetData {
        let mut targets = TargetData::from(self.other);
        match self.bits(13, 6) {
            0 => targets = TargetData::new(),
            1 => targets = TargetData::from([f64::from(self.bits(5, 5)), 0.0, 0.0]),
            2 => targets.push(Target::Hit { controller: Some(self.actor), hit: self.random_hit() }),
            3 => targets.push(Target::Hit { controller: None, hit: self.random_hit() }),
            _ => {}
        }
        targets
    }

    /// Random gameplay event with a payload, and with target data and an origin in half of the cases; `None`
    /// if the game has no events.
    fn random_event(&self) -> Option<GameplayEvent> {
        let tag = self.nth_tag(&["Event.A", "Event.A.Deep", "Event.B"])?;
        let (actor, other) = (self.actor, self.other);
        let event = GameplayEvent {
            magnitude: f64::from(self.bits(0, 9)) * 0.5,
            instigator: Some(actor),
            target: Some(other),
            ..GameplayEvent::new(tag)
        };
        let event = event.with_payload("P", 2.0).caused_by(ActorId(9));
        Some(if self.bits(4, 2) == 0 {
            event
        } else {
            event.with_target_data(self.random_targets()).at([2.0; 3])
        })
    }

    /// Changes duration, remaining time, level or `SetByCaller` number of an active effect; false if the core
    /// refuses it, `None` without an effect.
    fn adjust_effect(&mut self) -> Option<bool> {
        let active = self.nth_effect()?;
        let millis = i64::from(self.bits(2, 5_000)) - 500;
        let level = f64::from(self.bits(2, 6));
        let amount = self.driver.sim.catalog().tag("Data.Amount").ok()?;
        let result = match self.value % 5 {
            0 => self.sim().set_duration(active, Some(Span::millis(millis))),
            1 => self.sim().set_duration(active, None),
            2 => self.sim().set_remaining(active, Span::millis(millis)),
            3 => self.sim().set_level(active, level),
            _ => self.sim().set_magnitude(active, amount, level - 3.0),
        };
        Some(result.is_ok())
    }

    /// Changes activity, owner, avatar, team, placement or input buffer of the controller; false if the core
    /// refuses it.
    fn change_controller(&mut self) -> bool {
        let (actor, number) = (self.actor, self.bits(4, 4));
        let result = match self.value % 8 {
            0 => self.sim().set_active(actor, false),
            1 | 2 => self.sim().set_active(actor, true),
            3 => self.sim().set_owner(actor, Some(ActorId(u64::from(number) + 100))),
            4 => self.sim().set_avatar(actor, (number > 0).then(|| ActorId(u64::from(number) + 200))),
            5 => self
                .sim()
                .set_team(actor, (number > 0).then(|| Team::new(["Red", "Blue"][number as usize % 2]))),
            6 => {
                let position = [f64::from(number), f64::from(self.bits(6, 3)), 0.0];
                let placement = Placement::new(position, [1.0, 0.0, 0.0]).ok();
                self.sim().set_placement(actor, placement)
            }
            _ => {
                let config =
                    InputBufferConfig { enabled: number > 0, window: Span::millis(900), size: number };
                self.sim().set_input_buffer(actor, config)
            }
        };
        result.is_ok()
    }

    /// Binds or unbinds the input of an ability, sets its parameter, or cancels its activations. False if the
    /// core refuses it or nothing was cancelled, `None` without an ability.
    fn change_ability(&mut self) -> Option<bool> {
        let handle = self.nth_ability()?;
        let (actor, value) = (self.actor, f64::from(self.bits(2, 9)));
        let result = match self.value % 4 {
            0 => self.sim().bind_input(handle, Some("Two".into())),
            1 => self.sim().bind_input(handle, None),
            2 => self.sim().set_parameter(handle, "P", value),
            _ => return Some(self.sim().cancel_all(actor, Some(handle)) > 0),
        };
        Some(result.is_ok())
    }

    /// Cancels or activates the controller's abilities with a tag; true if there was at least one, `None` if
    /// the game has no such tags.
    fn cancel_or_activate_by_tags(&mut self) -> Option<bool> {
        let tag = self.nth_tag(&["Ability.A", "Ability.A.Quick", "Ability.B"])?;
        let quick = self.driver.sim.catalog().tag("Ability.A.Quick").ok()?;
        let actor = self.actor;
        let (tags, without) = (TagSet::new([tag]), TagSet::new([quick]));
        let count = match self.value % 3 {
            0 => self.sim().cancel_by_tags(actor, &tags, &without) as usize,
            _ => self.sim().activate_by_tags(actor, &tags).len(),
        };
        Some(count > 0)
    }

    /// Executes, adds or removes a cue without an effect; false if the core refuses it or the cue was not
    /// there.
    fn change_cue(&mut self) -> Option<bool> {
        let cue = self.nth_tag(&["Cue.Hit", "Cue.Aura", "Cue.Burn", "GameplayCue.Banner"])?;
        let (actor, context) = (self.actor, self.random_context());
        Some(match self.value % 4 {
            0 => self.sim().execute_cue(actor, cue, 1.25, &context).is_ok(),
            1 | 2 => self.sim().add_cue(actor, cue, &context).is_ok(),
            _ => self.sim().remove_cue(actor, cue),
        })
    }

    /// Defines an effect at run time and applies it, applies one that was defined before, or forgets one.
    /// False if the core refuses the application or the removal, `None` if it refuses the definition.
    fn use_runtime_effect(&mut self) -> Option<bool> {
        let (actor, other) = (self.actor, self.other);
        let at = self.nth % self.created.effects.len().max(1);
        match (self.value % 4, self.created.effects.get(at).copied()) {
            (0, Some(effect)) => Some(self.sim().forget_effect(effect).is_ok()),
            (1, Some(effect)) => Some(self.sim().apply_effect(effect, Some(other), actor).is_ok()),
            _ => {
                let name = format!("GE_Defined{}", self.bits(2, 3));
                let def = EffectDef::lasting(name, 2.5)
                    .modify("Power", Operation::Add, f64::from(self.bits(4, 7)))
                    .granting("State.Marked");
                let def = if self.bits(7, 2) == 0 { def.every(0.5) } else { def };
                let effect = self.sim().define_effect(def).ok()?;
                self.created.effects.push(effect);
                Some(self.sim().apply_effect(effect, Some(other), actor).is_ok())
            }
        }
    }

    /// Applies an effect of the game with a rich context, random `SetByCaller` number, period, tags and
    /// prediction, which the fixtures do not set. False if the core refuses it, `None` if it refuses the
    /// spec.
    fn apply_effect_of_game(&mut self) -> Option<bool> {
        let effect = self.driver.effect(self.nth)?;
        let context = self.random_context();
        let level = f64::from(self.bits(16, 5));
        let mut spec = self.driver.sim.spec(effect, level, context).ok()?;
        if self.bits(17, 2) == 0 {
            let amount = self.driver.sim.catalog().tag("Data.Amount").ok()?;
            spec.set_magnitude(amount, f64::from(self.bits(18, 40)) - 20.0);
        }
        if self.bits(19, 5) == 0 {
            spec = spec.with_period(Span::millis(i64::from(self.bits(20, 900)) - 50));
        }
        if self.bits(21, 5) == 0 {
            let fire = self.driver.sim.catalog().tag("Element.Fire").ok()?;
            spec = spec.tagged(fire).granting(fire);
        }
        if self.bits(23, 6) == 0 {
            spec = spec.predicted(self.next_key());
        }
        let actor = self.actor;
        Some(self.sim().apply(&spec, actor).is_ok())
    }

    /// Activates an ability with targets, in some cases with an event or as a prediction; false if the core
    /// refuses it, `None` without an ability.
    fn activate(&mut self) -> Option<bool> {
        let handle = self.nth_ability()?;
        let mut request = ActivationRequest::on(self.random_targets());
        if self.bits(1, 3) == 0 {
            request.event = self.random_event();
        }
        if self.bits(3, 3) > 0 {
            return Some(self.sim().activate_with(handle, request).is_ok());
        }
        let key = self.next_key();
        let request = request.predicted(key);
        Some(self.sim().predicting(key, |sim| sim.activate_with(handle, request)).is_ok())
    }

    /// Releases an input, sends an event, or presses an input with targets; false if the core refuses it,
    /// `None` if the game has no events to send.
    fn use_input(&mut self) -> Option<bool> {
        let (actor, targets) = (self.actor, self.random_targets());
        let input = ["One", "Two"][self.nth % 2];
        match self.value % 4 {
            0 => Some(self.sim().release(actor, input).is_ok()),
            1 => {
                let event = self.random_event()?;
                Some(self.sim().send_event(actor, event).is_ok())
            }
            _ => Some(self.sim().press_at(actor, input, targets).is_ok()),
        }
    }

    /// Sends an event five times in a row, to fill the queues of waiting tasks; false if the core refuses
    /// one, `None` if the game has no events.
    fn send_burst(&mut self) -> Option<bool> {
        let (actor, event) = (self.actor, self.random_event()?);
        Some((0..5).all(|_| self.sim().send_event(actor, event.clone()).is_ok()))
    }

    /// Grants an ability of the pack, with random level, input, tag and activation on grant. False if the
    /// core refuses it, `None` if the game lacks the pack.
    fn grant_pack(&mut self) -> Option<bool> {
        let name = pack::ABILITIES[self.nth % pack::ABILITIES.len()];
        let ability = self.driver.sim.catalog().ability(name).ok()?;
        let mut grant = Grant::new(ability).level(self.bits(0, 4) + 1).parameter("P", 1.5);
        if self.bits(2, 2) == 0 {
            grant = grant.input("One").source_object(ActorId(5));
        }
        if self.bits(3, 2) == 0
            && let Ok(quick) = self.driver.sim.catalog().tag("Ability.A.Quick")
        {
            grant = grant.tag(quick);
        }
        if self.bits(4, 2) == 0 {
            grant = grant.activated();
        }
        let actor = self.actor;
        Some(self.sim().grant_with(actor, grant).is_ok())
    }

    /// Grants the ability set `Kit`, or revokes the one granted last. `None` if the core refuses the grant,
    /// as in games without the pack, or nothing is left to revoke.
    fn grant_or_revoke_set(&mut self) -> Option<bool> {
        let actor = self.actor;
        if self.value.is_multiple_of(3) {
            let (owner, set) = self.created.sets.pop()?;
            self.sim().revoke_set(owner, &set);
            return Some(true);
        }
        let set = self.sim().grant_set(actor, "Kit").ok()?;
        self.created.sets.push((actor, set));
        Some(true)
    }

    /// Saves the controller as a character, and restores it as another controller. `None` if the driver has
    /// six controllers already, or the core refuses to restore it.
    fn copy_character(&mut self) -> Option<bool> {
        if self.driver.actors.len() >= 6 {
            return None;
        }
        let character = self.driver.sim.character(self.actor)?;
        let restored = self.sim().restore_character(&character, &RestoreOptions::default());
        let (id, _) = restored.ok()?;
        self.driver.actors.push(id);
        Some(true)
    }

    /// Spawn of the template `Herald` of `games/pack.rs`, the only one with effects at its start; `Lord`, the
    /// instigator that one of them names, is the other controller. False if the core refuses it, as in games
    /// without the pack; `None` if the driver has six controllers already.
    fn spawn_herald(&mut self) -> Option<bool> {
        if self.driver.actors.len() >= 6 {
            return None;
        }
        let owner = ActorId(u64::from(self.bits(0, 50)) + 300);
        let spawn = Spawn::named("Herald").owner(owner).avatar(owner).instigator("Lord", self.other);
        let spawned = self.sim().spawn_with(spawn);
        self.driver.actors.extend(spawned.as_ref().ok());
        Some(spawned.is_ok())
    }
}
