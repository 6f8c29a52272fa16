//! No allocation in the warm steady state of the hot operations (I6). It is a separate binary because it
//! replaces the allocator.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use ugas_core::ability::{AbilityDef, GameplayEvent, Grant};
use ugas_core::attribute::{AttributeDef, AttributeSetDef};
use ugas_core::catalog::Catalog;
use ugas_core::controller::ControllerDef;
use ugas_core::effect::{EffectContext, EffectDef, HitResult, StackingDef};
use ugas_core::handle::{ControllerId, GrantedAbilityId, Handle};
use ugas_core::id::{ActorId, AttributeId, EffectId, TagId};
use ugas_core::input::{
    BindingDef, DeviceInput, InputActionDef, InputActionSetDef, InputMapper, InputMappingDef, InputScheme,
    ValueType,
};
use ugas_core::modifier::{ModifierDef, Operation};
use ugas_core::replica::{Piece, PieceKey, PieceScratch, RecordVisibility, Replica};
use ugas_core::simulation::{Application, Config, Simulation, Snapshot, Stacks};
use ugas_core::targeting::{Target, TargetData};
use ugas_core::task::{TaskDef, WaitDef};
use ugas_core::time::{Span, Time};
use ugas_net::bits::BitWriter;
use ugas_net::message::StreamParams;
use ugas_net::wire::{
    self, BlockEncoding, DeltaEntry, Dictionary, Exactness, Room, UpdateBits, UpdateHeader, UpdateWriter,
    ViewHeader,
};
use ugas_net::{Client, ClientConfig, PeerId, Server, ServerConfig, ServerEvent, Tick};
use ugas_testkit::fuzz;

/// System allocator with counters for each thread.
struct Counting;

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
    static BYTES: Cell<u64> = const { Cell::new(0) };
}

fn count(size: usize) {
    // A thread that ends has no counter any more; nothing reads it then.
    let _ = COUNT.try_with(|counter| counter.set(counter.get() + 1));
    let _ = BYTES.try_with(|counter| counter.set(counter.get() + size as u64));
}

// SAFETY: every call is passed on to `System` with the same arguments, so its guarantees are ours; counting
// neither allocates (the counter is a constant-initialised thread local without a destructor) nor touches the
// memory.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: the caller keeps the contract of `alloc`, which is the same.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `dealloc`; the memory came from `System`.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size);
        // SAFETY: the caller keeps the contract of `realloc`; the memory came from `System`.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

struct Fixture {
    sim: Simulation,
    source: ControllerId,
    target: ControllerId,
}

impl Fixture {
    fn new() -> Self {
        let catalog = Catalog::builder()
            .attribute_set(
                AttributeSetDef::new("Combat")
                    .with(AttributeDef::new("MaxHealth", 1e9).min(1.0))
                    .with(AttributeDef::new("Health", 1e8).min(0.0).max("MaxHealth"))
                    .with(AttributeDef::new("Shield", 50.0).min(0.0))
                    .with(AttributeDef::new("Damage", 0.0).drain_into(["Shield", "Health"]))
                    .with(AttributeDef::new("Power", 10.0)),
            )
            .effect(EffectDef::instant("GE_Hit").modify("Damage", Operation::Add, 3.0).cue("Cue.Hit"))
            .effect(
                EffectDef::lasting("GE_Buff", 1.0)
                    .modify("Power", Operation::Add, 5.0)
                    .with(ModifierDef::new("Power", Operation::Multiply, 0.25).channel("Gear"))
                    .granting("State.Buff.Strong")
                    .cue("Cue.Aura"),
            )
            .effect(
                EffectDef::infinite("GE_Poison")
                    .every(1.0)
                    .modify("Health", Operation::Add, -4.0)
                    .cue("Cue.Hit"),
            )
            .effect(
                EffectDef::infinite("GE_Ring").modify("Power", Operation::Add, 1.0).granting("State.Ring"),
            )
            .effect(
                EffectDef::infinite("GE_Mail")
                    .modify("MaxHealth", Operation::Add, 7.0)
                    .granting("State.Mail"),
            )
            .effect(
                EffectDef::lasting("GE_Slow", 5.0)
                    .modify("Power", Operation::Multiply, -0.01)
                    .granting("State.Slow")
                    .stacking(StackingDef::by_target(5)),
            )
            .effect(
                EffectDef::instant("GE_Curse").modify("Health", Operation::Add, -9.0).requires("State.Slow"),
            )
            .effect(EffectDef::instant("GE_Cost").modify("Health", Operation::Add, -1.0))
            .effect(EffectDef::lasting("GE_Cooldown", 1.0).granting("Cooldown.Skill"))
            .ability(
                AbilityDef::new("GA_Skill")
                    .tagged("Ability.Skill")
                    .owning("State.Casting")
                    .blocks("Ability.Other")
                    .cancels("State.Stunned")
                    .cost("GE_Cost")
                    .cooldown("GE_Cooldown")
                    .task(TaskDef::wait(0.5)),
            )
            .ability(
                AbilityDef::new("GA_Late")
                    .cost("GE_Cost")
                    .task(TaskDef::wait(0.5))
                    .task(TaskDef::commit())
                    .task(TaskDef::apply_to_target("GE_Hit")),
            )
            .ability(AbilityDef::new("GA_Race").task(TaskDef::Race(vec![
                vec![TaskDef::wait(5.0)],
                vec![TaskDef::Wait(WaitDef::TagAdded("State.Ring".into()))],
                vec![TaskDef::wait_event("Event.Go")],
            ])))
            .template(ControllerDef::new("Fighter").with_set("Combat"))
            .build()
            .unwrap();
        let mut sim = Simulation::new(catalog, Config::seeded(3));
        let (source, target) = (sim.spawn("Fighter").unwrap(), sim.spawn("Fighter").unwrap());
        Self { sim, source, target }
    }

    fn effect(&self, name: &str) -> EffectId {
        self.sim.catalog().effect(name).unwrap()
    }

    fn attribute(&self, name: &str) -> AttributeId {
        self.sim.catalog().attribute(name).unwrap()
    }

    fn tag(&self, name: &str) -> TagId {
        self.sim.catalog().tag(name).unwrap()
    }

    fn grant(&mut self, name: &str) -> GrantedAbilityId {
        let ability = self.sim.catalog().ability(name).unwrap();
        self.sim.grant(self.target, ability, 1).unwrap()
    }

    fn apply(&mut self, effect: EffectId) -> Application {
        self.sim.apply_effect(effect, Some(self.source), self.target).unwrap()
    }

    /// Runs `operation` until it is warm, then counts the allocations of sixty more rounds.
    fn allocations(&mut self, mut operation: impl FnMut(&mut Self)) -> u64 {
        let mut round = |fixture: &mut Self| {
            operation(fixture);
            fixture.sim.events().for_each(drop);
        };
        (0..200).for_each(|_| round(self));
        let before = COUNT.with(Cell::get);
        (0..60).for_each(|_| round(self));
        COUNT.with(Cell::get) - before
    }
}

/// The counter works; otherwise every other test here would pass without meaning.
#[test]
fn the_counter_counts() {
    let mut fixture = Fixture::new();
    assert!(fixture.allocations(|_| drop(std::hint::black_box(Box::new(1)))) >= 60);
}

#[test]
fn an_instant_effect_allocates_nothing() {
    let mut fixture = Fixture::new();
    let hit = fixture.effect("GE_Hit");
    let count = fixture.allocations(|fixture| {
        let _ = fixture.apply(hit);
    });
    assert_eq!(count, 0);
}

#[test]
fn a_lasting_effect_applied_and_expired_allocates_nothing() {
    let mut fixture = Fixture::new();
    let buff = fixture.effect("GE_Buff");
    let count = fixture.allocations(|fixture| {
        let _ = fixture.apply(buff);
        fixture.sim.advance(Span::seconds(1.0));
        assert_eq!(fixture.sim.effect_count(fixture.target, buff), 0);
    });
    assert_eq!(count, 0);
}

#[test]
fn a_tick_allocates_nothing() {
    let mut fixture = Fixture::new();
    let poison = fixture.effect("GE_Poison");
    let _ = fixture.apply(poison);
    assert_eq!(fixture.allocations(|fixture| fixture.sim.advance(Span::seconds(1.0))), 0);
}

#[test]
fn an_endless_effect_among_a_hundred_allocates_nothing() {
    let mut fixture = Fixture::new();
    let (ring, mail) = (fixture.effect("GE_Ring"), fixture.effect("GE_Mail"));
    for _ in 0..100 {
        let _ = fixture.apply(ring);
    }
    let count = fixture.allocations(|fixture| {
        for effect in [mail, ring] {
            let active = fixture.apply(effect).active().unwrap();
            fixture.sim.remove(active, Stacks::All).unwrap();
        }
    });
    assert_eq!(count, 0);
}

#[test]
fn reading_allocates_nothing() {
    let mut fixture = Fixture::new();
    let (ring, power, tag) =
        (fixture.effect("GE_Ring"), fixture.attribute("Power"), fixture.tag("State.Ring"));
    let _ = fixture.apply(ring);
    let count = fixture.allocations(|fixture| {
        let (sim, target) = (&fixture.sim, fixture.target);
        assert_eq!(sim.base(target, power), Some(10.0));
        assert_eq!(sim.current(target, power), Some(11.0));
        assert!(sim.has_tag(target, tag));
    });
    assert_eq!(count, 0);
}

#[test]
fn a_stack_allocates_nothing() {
    let mut fixture = Fixture::new();
    let slow = fixture.effect("GE_Slow");
    let count = fixture.allocations(|fixture| {
        let _ = fixture.apply(slow);
        fixture.sim.advance(Span::millis(100));
        if fixture.sim.stack_count(fixture.target, slow) == 5 {
            fixture.sim.advance(Span::seconds(6.0));
        }
    });
    assert_eq!(count, 0);
}

#[test]
fn an_ability_activated_committed_and_ended_allocates_nothing() {
    let mut fixture = Fixture::new();
    let skill = fixture.grant("GA_Skill");
    let count = fixture.allocations(|fixture| {
        assert!(fixture.sim.can_activate(skill).is_ok());
        fixture.sim.activate(skill).unwrap();
        fixture.sim.advance(Span::millis(500));
        assert!(!fixture.sim.ability(skill).unwrap().is_active());
        fixture.sim.advance(Span::millis(500));
    });
    assert_eq!(count, 0);
}

/// Three of each between two polls, so that refusals are not reused one by one.
#[test]
fn refusals_allocate_nothing() {
    let mut fixture = Fixture::new();
    let (skill, curse) = (fixture.grant("GA_Skill"), fixture.effect("GE_Curse"));
    fixture.sim.activate(skill).unwrap();
    fixture.sim.events().for_each(drop);
    let count = fixture.allocations(|fixture| {
        for _ in 0..3 {
            let refused = fixture.sim.activate(skill).unwrap_err();
            assert!(!refused.reasons.is_empty() && refused.reasons.len() <= 2, "{refused}");
            let refused = fixture.sim.apply_effect(curse, Some(fixture.source), fixture.target).unwrap_err();
            assert_eq!(refused.reasons.len(), 1, "{refused}");
        }
        assert_eq!(fixture.sim.pending_events().len(), 6);
    });
    assert_eq!(count, 0);
}

#[test]
fn a_late_commit_and_a_target_allocate_nothing() {
    let mut fixture = Fixture::new();
    let late = fixture.grant("GA_Late");
    let count = fixture.allocations(|fixture| {
        fixture.sim.activate_on(late, fixture.source).unwrap();
        fixture.sim.advance(Span::seconds(1.0));
        assert!(!fixture.sim.ability(late).unwrap().is_active());
    });
    assert_eq!(count, 0);
}

/// The first hash allocates the memory of cached hashes, and so does growth.
#[test]
fn a_state_hash_allocates_nothing() {
    let mut fixture = Fixture::new();
    let (hit, buff, late) = (fixture.effect("GE_Hit"), fixture.effect("GE_Buff"), fixture.grant("GA_Late"));
    let mut kept = fixture.sim.snapshot();
    let count = fixture.allocations(|fixture| {
        let _ = (fixture.apply(hit), fixture.apply(buff), fixture.sim.state_hash());
        fixture.sim.snapshot_into(&mut kept);
        fixture.sim.activate_on(late, fixture.source).unwrap();
        assert_ne!(fixture.sim.state_hash(), kept.state_hash());
        fixture.sim.restore(&kept).unwrap();
        assert_eq!(fixture.sim.state_hash(), kept.state_hash());
        fixture.sim.advance(Span::seconds(1.0));
    });
    assert_eq!(count, 0);
}

/// Optional fields of contexts and specs are shared by their copies, and the origin of an ability by its
/// effects.
#[test]
fn optional_context_fields_allocate_once() {
    let mut fixture = Fixture::new();
    let (buff, tag) = (fixture.effect("GE_Buff"), fixture.tag("State.Ring"));
    let context =
        EffectContext::of(fixture.source).caused_by(ActorId(3)).from_object(ActorId(4)).at([1.0, 2.0, 3.0]);
    let spec = fixture.sim.spec(buff, 1.0, context).unwrap();
    let spec = spec.with_duration(Span::seconds(2.0)).tagged(tag);
    let mut kept = fixture.sim.snapshot();
    let count = fixture.allocations(|fixture| {
        let _ = fixture.sim.apply(&spec, fixture.target).unwrap();
        fixture.sim.snapshot_into(&mut kept);
        fixture.sim.advance(Span::seconds(2.0));
        assert_eq!(fixture.sim.effect_count(fixture.target, buff), 0);
    });
    assert_eq!(count, 0);

    let ability = fixture.sim.catalog().ability("GA_Late").unwrap();
    let grant = Grant::new(ability).source_object(ActorId(4));
    let late = fixture.sim.grant_with(fixture.target, grant).unwrap();
    let round = |fixture: &mut Fixture, targets: TargetData| {
        fixture.sim.activate_on(late, targets).unwrap();
        fixture.sim.advance(Span::seconds(1.0));
    };
    let source = fixture.source;
    assert_eq!(fixture.allocations(|fixture| round(fixture, source.into())), 0);
    // Another location each time, as when aiming at the ground.
    let mut at = 0.0;
    let count = fixture.allocations(|fixture| {
        at += 1.0;
        round(fixture, Target::Location([at, 2.0, 3.0]).into());
    });
    assert_eq!(count, 0);
}

/// Values that differ each time are stored in the spec; only a hit allocates, once for each round.
#[test]
fn specs_that_differ_each_time_allocate_nothing() {
    let mut fixture = Fixture::new();
    let (buff, mut turn) = (fixture.effect("GE_Buff"), 0);
    let count = fixture.allocations(|fixture| {
        turn += 1;
        let context = EffectContext::of(fixture.source).caused_by(ActorId(turn)).from_object(ActorId(turn));
        let spec = fixture.sim.spec(buff, 1.0, context.at([turn as f64, 2.0, 3.0])).unwrap();
        let spec = spec.with_duration(Span::seconds(0.5)).with_period(Span::seconds(0.25));
        let _ = fixture.sim.apply(&spec, fixture.target).unwrap();
        fixture.sim.advance(Span::seconds(1.0));
    });
    assert_eq!(count, 0);
    let ability = fixture.sim.catalog().ability("GA_Late").unwrap();
    let count = fixture.allocations(|fixture| {
        let grant = Grant::new(ability).source_object(ActorId(4));
        let late = fixture.sim.grant_with(fixture.target, grant).unwrap();
        fixture.sim.revoke(late).unwrap();
    });
    assert_eq!(count, 0);
    let late = fixture.grant("GA_Late");
    let source = fixture.source;
    let count = fixture.allocations(|fixture| {
        turn += 1;
        let hit = HitResult { location: [turn as f64, 2.0, 3.0], ..HitResult::default() };
        fixture.sim.activate_on(late, Target::Hit { controller: Some(source), hit }).unwrap();
        fixture.sim.advance(Span::seconds(1.0));
    });
    // Sixty rounds.
    assert!(count <= 60, "{count}");
}

#[test]
fn a_cancelled_ability_allocates_nothing() {
    let mut fixture = Fixture::new();
    let skill = fixture.grant("GA_Skill");
    let count = fixture.allocations(|fixture| {
        let run = fixture.sim.activate(skill).unwrap();
        assert!(fixture.sim.cancel(run));
        fixture.sim.advance(Span::seconds(1.0));
    });
    assert_eq!(count, 0);
}

#[test]
fn an_event_and_a_tag_that_nobody_waits_for_allocate_nothing() {
    let mut fixture = Fixture::new();
    let (ring, event) = (fixture.effect("GE_Ring"), GameplayEvent::new(fixture.tag("Event.Go")));
    let count = fixture.allocations(|fixture| {
        fixture.sim.send_event(fixture.target, event.clone()).unwrap();
        let active = fixture.apply(ring).active().unwrap();
        fixture.sim.remove(active, Stacks::All).unwrap();
    });
    assert_eq!(count, 0);
}

/// An event allocates only the name that it leaves for later tasks.
#[test]
fn a_race_that_an_event_decides_allocates_for_a_name_only() {
    let mut fixture = Fixture::new();
    let (race, event) = (fixture.grant("GA_Race"), GameplayEvent::new(fixture.tag("Event.Go")));
    let count = fixture.allocations(|fixture| {
        fixture.sim.activate(race).unwrap();
        fixture.sim.send_event(fixture.target, event.clone()).unwrap();
        assert!(!fixture.sim.ability(race).unwrap().is_active());
    });
    // One name for each of the sixty rounds.
    assert!(count <= 60, "{count}");
}

/// Fight in progress: effects of all kinds, an active ability, a held input.
fn fight() -> Fixture {
    let mut fixture = Fixture::new();
    let (skill, race) = (fixture.grant("GA_Skill"), fixture.grant("GA_Race"));
    for name in ["GE_Poison", "GE_Ring", "GE_Mail", "GE_Ring", "GE_Slow"] {
        let effect = fixture.effect(name);
        let _ = fixture.apply(effect);
    }
    fixture.sim.activate(skill).unwrap();
    fixture.sim.activate(race).unwrap();
    fixture.sim.press(fixture.target, "Jump").unwrap();
    fixture
}

#[test]
fn cutting_into_pieces_allocates_nothing() {
    let mut fixture = fight();
    let mut scratch = PieceScratch::default();
    let mut bytes = 0;
    let count = fixture.allocations(|fixture| {
        for sight in [RecordVisibility::ALL, RecordVisibility::EFFECTS, RecordVisibility::NONE] {
            fixture.sim.pieces(fixture.target, sight, &mut scratch, |_, piece| {
                bytes += size_of_val(&piece);
            });
        }
        fixture.sim.advance(Span::millis(16));
    });
    assert!(count == 0 && bytes > 0, "{count}");
}

/// An installation allocates a few lists, not one for each object.
#[test]
fn installing_allocates_little() {
    let mut fixture = fight();
    let ring = fixture.effect("GE_Ring");
    for _ in 0..100 {
        let _ = fixture.apply(ring);
    }
    let mut replica = Replica::new(fixture.sim.catalog().clone());
    for id in [fixture.source, fixture.target] {
        fixture.sim.pieces(id, RecordVisibility::ALL, &mut PieceScratch::default(), |key, piece| {
            replica.put(id, key, piece.to_piece()).unwrap();
        });
    }
    let mut client = Simulation::new(fixture.sim.catalog().clone(), Config::default());
    let now = fixture.sim.now();
    let count = fixture.allocations(|_| replica.install(&mut client, now).unwrap());
    assert_eq!(client.controllers().count(), 2);
    assert!(count <= 60 * 50, "{} a time", count / 60);
}

#[test]
fn device_events_and_their_signals_allocate_nothing() {
    let scheme = InputScheme::builder()
        .action(InputActionDef::digital("IA_Jump"))
        .action(InputActionDef::digital("IA_Charge"))
        .action(InputActionDef::new("IA_Move", ValueType::Axis2D))
        .action_set(
            InputActionSetDef::new("OnFoot", ["IA_Jump", "IA_Charge", "IA_Move"]).blocked_by("State.Dead"),
        )
        .mapping(
            InputMappingDef::new("OnFoot")
                .bind(BindingDef::new("IA_Jump", DeviceInput::key("Space")))
                .bind(BindingDef::new("IA_Charge", DeviceInput::key("Space")).held_for(Span::millis(5)))
                .bind(BindingDef::new("IA_Move", DeviceInput::gamepad("Stick"))),
        )
        .build()
        .unwrap();
    let (key, stick) = (DeviceInput::key("Space"), DeviceInput::gamepad("Stick"));
    let mut mapper = InputMapper::new(scheme);
    let mut round = |number: u32| {
        let start = Time::ZERO + Span::millis(i64::from(number) * 100);
        let before = COUNT.get();
        mapper.device_event(start, &key, [1.0, 0.0, 0.0]);
        mapper.device_event(start, &stick, [0.5, f64::from(number), 0.0]);
        mapper.advance(start + Span::millis(10));
        mapper.device_event(start + Span::millis(20), &key, [0.0; 3]);
        mapper.tags(start + Span::millis(30), |tag| tag == "State.Dead");
        mapper.tags(start + Span::millis(40), |_| false);
        let signals = core::iter::from_fn(|| mapper.poll()).count();
        (COUNT.get() - before, signals)
    };
    let (_, warm_up) = round(0);
    assert!(warm_up > 5, "something happens in a round");
    for number in 1..20 {
        assert_eq!(round(number).0, 0, "allocations in round {number}");
    }
}

#[test]
fn a_block_and_the_datagram_that_it_goes_into_allocate_nothing() {
    let mut fixture = Fixture::new();
    let dictionary = Dictionary::of(fixture.sim.catalog());
    let health = PieceKey::Attribute(fixture.attribute("Health"));
    let (mut block, mut datagram) = (BitWriter::new(), UpdateBits::default());
    let slot = fixture.target.index();
    let stream = StreamParams { step: 1, slots: slot + 1 };
    let header = UpdateHeader { stream, tick: Tick(1), ..UpdateHeader::default() };
    let mut base = 100.0;
    let count = fixture.allocations(|fixture| {
        base -= 0.3;
        let piece = Piece::Attribute { base, current: base };
        block.clear();
        let pieces = [DeltaEntry::full(health, Some(&piece))].into_iter();
        wire::write_block(&dictionary, Exactness::Rounded, BlockEncoding::Full, pieces, &mut block).unwrap();
        let mut update = UpdateWriter::begin(&dictionary, header, std::mem::take(&mut datagram));
        assert_eq!(update.slot(slot, BlockEncoding::Full, &block), Ok(Room::Taken));
        assert_eq!(update.controller(fixture.target, ViewHeader::default(), &block), Ok(Room::Taken));
        datagram = update.finish().unwrap();
    });
    assert_eq!(count, 0);
}

/// A server with a few clients of which each plays a fighter and sees all others, while hits and effects come and
/// go. Datagrams received, ticks and datagrams sent count; the clients do not.
#[test]
fn a_server_with_clients_allocates_nothing() {
    const CLIENTS: u64 = 12;
    let fixture = Fixture::new();
    let (hit, buff) = (fixture.effect("GE_Hit"), fixture.effect("GE_Buff"));
    let catalog = fixture.sim.catalog().clone();
    let mut server = Server::new(fixture.sim, ServerConfig::default());
    let mut clients: Vec<Client> = Vec::new();
    let mut fighters = Vec::new();
    for number in 1..=CLIENTS {
        clients.push(Client::new(catalog.clone(), ClientConfig::default(), number));
        fighters.push(server.simulation_mut().spawn("Fighter").unwrap());
    }
    let (mut allocations, mut bytes, mut datagrams) = (0, Vec::new(), Vec::new());
    // Views remember removed pieces for 512 ticks, and are warm after as many.
    for round in 0..800u64 {
        let now = Time::from_micros(round * 16_667);
        let at = (round % CLIENTS) as usize;
        let sim = server.simulation_mut();
        sim.apply_effect(buff, Some(fighters[at]), fighters[(at + 5) % 12]).unwrap();
        sim.apply_effect(hit, Some(fighters[at]), fighters[(at + 7) % 12]).unwrap();
        // Room for what is sent, so that only the server is counted.
        datagrams.reserve(1_000);
        bytes.reserve(1_000_000);
        let mut count = |work: &mut dyn FnMut()| {
            let before = COUNT.with(Cell::get);
            work();
            allocations += if round < 600 { 0 } else { COUNT.with(Cell::get) - before };
        };
        for (peer, client) in (1..).map(PeerId).zip(&mut clients) {
            client.update(now);
            while let Some(datagram) = client.poll_transmit() {
                count(&mut || server.handle(now, peer, &datagram));
            }
            while client.poll_event().is_some() {}
        }
        count(&mut || {
            server.tick(now);
            server.visit_transmits(|peer, datagram| {
                bytes.extend_from_slice(datagram);
                datagrams.push((peer, datagram.len()));
            });
        });
        while let Some(event) = server.poll_event() {
            if let ServerEvent::Joined { client, peer, .. } = event {
                server.give(fighters[peer.0 as usize - 1], client);
            }
        }
        let mut rest = bytes.as_slice();
        for (peer, length) in datagrams.drain(..) {
            let (datagram, after) = rest.split_at(length);
            clients[peer.0 as usize - 1].handle(now, datagram);
            rest = after;
        }
        bytes.clear();
    }
    assert!(clients.iter().all(|client| client.own_controllers().count() == 1));
    let known = |client: &Client| fighters.iter().all(|fighter| client.local(*fighter).is_some());
    assert!(clients.iter().all(known));
    assert_eq!(allocations, 0);
}

/// A datagram has at most 1,200 bytes, and any content allocates no more than this in total: a client's is
/// mostly targets, the server's removed pieces of two bits each.
#[test]
fn no_datagram_takes_much_memory() {
    let dictionary = Dictionary::sized(5_000, 5_000);
    let allocated = |bytes: &[u8]| {
        let before = BYTES.with(Cell::get);
        let _ = std::hint::black_box(wire::decode_to_server(&dictionary, bytes));
        let server = BYTES.with(Cell::get);
        let _ = std::hint::black_box(wire::decode_to_client(&dictionary, bytes));
        (server - before, BYTES.with(Cell::get) - server)
    };
    let seeds = fuzz::wire_to_server_seeds().into_iter().chain(fuzz::wire_to_client_seeds());
    for seed in seeds {
        for fill in [0x00, 0x55, 0xaa, 0xff, 0x0f] {
            for at in 0..seed.len() {
                let mut bytes = seed[..at].to_vec();
                bytes.resize(1_200, fill);
                let (server, client) = allocated(&bytes);
                assert!(
                    server < 1 << 20 && client < 1 << 22,
                    "{server} and {client} bytes: {fill:x} from {at}"
                );
            }
        }
    }
}

/// Lengths in a damaged file are not trusted: memory stays in proportion to its bytes. All allocations are
/// counted, freed or not. ADR 12 says how large the factor can be; the limit is far above the needs of a
/// snapshot (about 30) and far below what a length of 2^32 would request.
#[test]
fn damaged_snapshots_take_memory_in_proportion() {
    let mut fixture = Fixture::new();
    let buff = fixture.effect("GE_Buff");
    for _ in 0..20 {
        fixture.sim.apply_effect(buff, Some(fixture.source), fixture.target).unwrap();
    }
    let (bytes, catalog) = (fixture.sim.snapshot().to_bytes(), fixture.sim.catalog().clone());
    let most = 2_000 * bytes.len() as u64;
    let allocated = |bytes: &[u8]| {
        let before = BYTES.with(Cell::get);
        let _ = std::hint::black_box(Snapshot::from_forged_bytes(bytes, &catalog));
        BYTES.with(Cell::get) - before
    };
    let needed = allocated(&bytes);
    assert!(needed > bytes.len() as u64 && needed < most, "{needed} bytes for {}", bytes.len());
    for at in 0..bytes.len() {
        for damage in [0xff, 0x80, 0x7f, bytes[at] ^ 1] {
            let mut damaged = bytes.clone();
            damaged[at] = damage;
            assert!(allocated(&damaged) < most, "byte {at} as {damage}");
        }
        assert!(allocated(&bytes[..at]) < most, "cut off at {at}");
        // Five bytes in a row are a length of 2^32 and more.
        let mut huge = bytes.clone();
        huge.splice(at..at + 1, [0xff, 0xff, 0xff, 0xff, 0x7f]);
        assert!(allocated(&huge) < most, "a length at {at}");
    }
}
