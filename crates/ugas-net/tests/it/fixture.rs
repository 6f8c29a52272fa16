//! A small game on a simulated network.

use std::sync::Arc;

use ugas_core::ability::{AbilityDef, NetExecution, NetSecurity, TriggerOn};
use ugas_core::attribute::{AttributeDef, AttributeReplication, AttributeSetDef};
use ugas_core::catalog::Catalog;
use ugas_core::controller::{ControllerDef, ReplicationMode};
use ugas_core::effect::magnitude::{AttributeMagnitudeDef, CaptureFrom, CaptureTime, MagnitudeDef};
use ugas_core::effect::{AbilityGrantDef, EffectDef, Vector3};
use ugas_core::handle::{ControllerId, GrantedAbilityId};
use ugas_core::modifier::Operation;
use ugas_core::simulation::{ActivationRequest, Config, ReadError, Simulation};
use ugas_core::targeting::{Affiliation, Confirmation, HalfAngle, Shape, Space, TargetingDef};
use ugas_core::task::{ActionDef, TaskDef, WaitDef};
use ugas_core::time::{Span, Time};
use ugas_net::{ClientConfig, ClientEvent, Defaults, Host, Server, ServerConfig, ServerEvent};
use ugas_netsim::Rig;
use ugas_netsim::link::Conditions;

/// The rules: a hero with a spell, a weapon, a heal and a channel, and wolves.
pub(crate) fn catalog() -> Arc<Catalog> {
    let grant =
        |name: &str| AbilityGrantDef { input: Some(format!("Slot.{name}")), ..AbilityGrantDef::new(name) };
    let hero = |name: &str, mode| {
        let mut hero = ControllerDef::new(name).with_set("Combat").with_tag("Kind.Hero");
        hero.replication = mode;
        for ability in [
            "GA_Bolt",
            "GA_Weapon",
            "GA_Shield",
            "GA_Channel",
            "GA_Royal",
            "GA_Local",
            "GA_Guarded",
            "GA_Sling",
            "GA_Aim",
            "GA_Ask",
            "GA_Dance",
            "GA_Oath",
            "GA_Snipe",
            "GA_Focus",
            "GA_Sweep",
            "GA_Tame",
        ] {
            hero = hero.with_ability(grant(ability));
        }
        hero.with_effect("GE_Regeneration", 1.0)
    };
    let mut wolf = ControllerDef::new("Wolf").with_set("Combat").with_tag("Kind.Wolf");
    wolf.replication = ReplicationMode::Minimal;
    let mut royal = AbilityDef::new("GA_Royal").task(TaskDef::commit()).task(apply_owner("GE_Shield"));
    royal.net_execution = NetExecution::ServerOnly;
    let mut local = AbilityDef::new("GA_Local").task(TaskDef::commit()).task(TaskDef::wait(2.0));
    local.net_execution = NetExecution::LocalOnly;
    let mut guarded = AbilityDef::new("GA_Guarded").task(TaskDef::commit());
    guarded.net_security = NetSecurity::ServerOnly;
    let mut oath = AbilityDef::new("GA_Oath").task(TaskDef::commit()).task(TaskDef::wait(2.0));
    oath.net_security = NetSecurity::ServerOnlyTermination;
    let mut bound = AbilityDef::new("GA_Bound").task(TaskDef::commit()).task(TaskDef::host("PlayMontage"));
    bound.net_security = NetSecurity::ServerOnlyTermination;
    let lasting = |name: &str| AbilityDef::new(name).task(TaskDef::commit()).task(TaskDef::wait(60.0));
    let mut lent = lasting("GA_Lent").net_execution(NetExecution::ServerOnly);
    lent.net_security = NetSecurity::ClientOrServer;
    let mut passive = lasting("GA_Undying");
    passive.activate_on_grant = true;
    let mut open_passive = passive.clone();
    open_passive.name = "GA_OpenUndying".into();
    open_passive.net_security = NetSecurity::ClientOrServer;
    let mut pledge =
        AbilityDef::new("GA_Pledge").task(TaskDef::commit()).task(TaskDef::Wait(WaitDef::ConfirmCancel));
    pledge.net_security = NetSecurity::ServerOnlyTermination;
    let counter = AbilityDef::new("GA_Counter")
        .triggered(TriggerOn::Event, "Event.Hit")
        .task(TaskDef::commit())
        .task(apply_owner("GE_Shield"));
    let mut tame =
        AbilityDef::new("GA_Tame").task(TaskDef::commit()).task(TaskDef::apply_to_target("GE_Hex"));
    tame.target_blocked_tags.push("State.Silenced".into());
    tame = tame.targeting(TargetingDef::new(Shape::ActivationTarget).count(2));
    let snipe = TargetingDef::new(Shape::Nearest)
        .range(5.0)
        .affiliation(Affiliation::Hostile)
        .require("Kind.Wolf")
        .count(1);
    Catalog::builder()
        .attribute_set(
            AttributeSetDef::new("Combat")
                .with(AttributeDef::new("Health", 100.0).min(0.0).max(100.0))
                .with(
                    AttributeDef::new("Mana", 100.0)
                        .min(0.0)
                        .max(100.0)
                        .replication(AttributeReplication::OwnerOnly),
                )
                .with(AttributeDef::new("Armor", 0.0))
                .with(AttributeDef::new("Luck", 7.0).replication(AttributeReplication::None)),
        )
        .effect(EffectDef::infinite("GE_Regeneration").every(0.5).modify("Mana", Operation::Add, 1.0))
        .effect(EffectDef::instant("GE_Bolt_Cost").modify("Mana", Operation::Add, -20.0))
        .effect(EffectDef::lasting("GE_Bolt_Cooldown", 2.0).granting("Cooldown.Bolt"))
        .effect(
            EffectDef::instant("GE_Bolt_Hit").modify("Health", Operation::Add, -25.0).cue("GameplayCue.Bolt"),
        )
        .effect(EffectDef::lasting("GE_Weapon_Cooldown", 0.2).granting("Cooldown.Weapon"))
        .effect(EffectDef::instant("GE_Weapon_Hit").modify("Health", Operation::Add, -1.0))
        .effect(
            EffectDef::lasting("GE_Shield", 3.0)
                .modify("Armor", Operation::Add, 10.0)
                .granting("State.Shielded")
                .cue("GameplayCue.Shield"),
        )
        .effect(
            EffectDef::lasting("GE_Burn", 4.0)
                .every(1.0)
                .modify("Health", Operation::Add, -5.0)
                .granting("State.Burning"),
        )
        .effect(EffectDef::lasting("GE_Hex", 1.0).modify("Luck", Operation::Add, 3.0))
        .effect(EffectDef::lasting("GE_Blessing", 1.0).modify("Armor", Operation::Add, 5.0))
        .effect(EffectDef::lasting("GE_Silence", 5.0).granting("State.Silenced"))
        .effect(EffectDef::lasting("GE_Mark", 1.0).every(0.5).modify("Armor", Operation::Add, mark()))
        .ability(
            AbilityDef::new("GA_Bolt")
                .cost("GE_Bolt_Cost")
                .cooldown("GE_Bolt_Cooldown")
                .blocked_by("State.Silenced")
                .task(TaskDef::commit())
                .task(TaskDef::Act(ActionDef::ExecuteCue("GameplayCue.Cast".into())))
                .task(TaskDef::apply_to_target("GE_Bolt_Hit")),
        )
        .ability(
            AbilityDef::new("GA_Weapon")
                .cooldown("GE_Weapon_Cooldown")
                .task(TaskDef::commit())
                .task(TaskDef::apply_to_target("GE_Weapon_Hit")),
        )
        .ability(AbilityDef::new("GA_Shield").task(TaskDef::commit()).task(apply_owner("GE_Shield")))
        .ability(
            AbilityDef::new("GA_Channel")
                .owning("State.Channeling")
                .blocked_by("State.Silenced")
                .targeting(TargetingDef::new(Shape::ActivationTarget).count(32))
                .task(TaskDef::commit())
                .task(TaskDef::wait(1.0))
                .task(apply_owner("GE_Shield")),
        )
        .ability(
            AbilityDef::new("GA_Sling")
                .max_range(10.0)
                .task(TaskDef::commit())
                .task(TaskDef::apply_to_target("GE_Weapon_Hit")),
        )
        .ability(
            AbilityDef::new("GA_Aim")
                .owning("State.Aiming")
                .task(TaskDef::commit())
                .task(TaskDef::Wait(WaitDef::TargetData {
                    targeting: TargetingDef::default(),
                    confirmation: Confirmation::Custom,
                    max_delay: None,
                }))
                .task(TaskDef::apply_to_target("GE_Weapon_Hit")),
        )
        .ability(
            AbilityDef::new("GA_Ask")
                .owning("State.Asking")
                .task(TaskDef::commit())
                .task(TaskDef::Wait(WaitDef::ConfirmCancel)),
        )
        .ability(
            AbilityDef::new("GA_Dance")
                .owning("State.Dancing")
                .task(TaskDef::commit())
                .task(TaskDef::host("PlayDance")),
        )
        .ability(aimed("GA_Snipe", snipe))
        .ability(aimed("GA_Focus", TargetingDef::new(Shape::ActivationTarget)))
        .ability(aimed("GA_Sweep", TargetingDef::new(Shape::Nearest)))
        .ability(hits("GA_Volley").targeting(
            TargetingDef::new(Shape::Radius).range(10.0).affiliation(Affiliation::Hostile).count(2),
        ))
        .ability(
            hits("GA_Breath")
                .targeting(TargetingDef::new(Shape::Cone(HalfAngle::from_degrees(45.0))).range(10.0)),
        )
        .ability(hits("GA_Arc").targeting(TargetingDef::new(Shape::Chain {
            jumps: 2,
            radius: 5.0,
            repeat: false,
        })))
        .ability(
            hits("GA_Stare").max_range(10.0).targeting(TargetingDef::new(Shape::ActivationTarget).in_sight()),
        )
        .ability(aimed("GA_Lasso", TargetingDef::new(Shape::Chain { jumps: 2, radius: 5.0, repeat: false })))
        .ability(aimed("GA_Gaze", TargetingDef::new(Shape::SelfOnly)))
        .ability(
            hits("GA_Seeker")
                .max_range(10.0)
                .targeting(TargetingDef::new(Shape::ActivationTarget).allow_unseen()),
        )
        .ability(aimed("GA_Hunt", TargetingDef::new(Shape::ActivationTarget).allow_unseen()))
        .space(Wall)
        .ability(pledge)
        .ability(lasting("GA_Curse").net_execution(NetExecution::ServerOnly))
        .ability(lasting("GA_March").net_execution(NetExecution::ServerInitiated))
        .ability(lasting("GA_Wrath").triggered(TriggerOn::Event, "Event.Hit"))
        .ability(lent)
        .ability(passive)
        .ability(open_passive)
        .ability(counter)
        .ability(tame)
        .ability(royal)
        .ability(local)
        .ability(guarded)
        .ability(oath)
        .ability(bound)
        .template(hero("Hero", ReplicationMode::Mixed))
        .template(hero("OpenHero", ReplicationMode::Full))
        .template(hero("ShyHero", ReplicationMode::None))
        .template(wolf)
        .build()
        .expect("the rules are sound")
}

/// A wall along the y axis at x = 5, from y = 0 on.
struct Wall;

impl Space for Wall {
    fn line_of_sight(&self, _: Time, from: Vector3, to: Vector3) -> bool {
        (from[0] < 5.0) == (to[0] < 5.0) || from[1] < 0.0
    }
}

/// Hits the targets of its activation.
fn hits(name: &str) -> AbilityDef {
    AbilityDef::new(name).task(TaskDef::commit()).task(TaskDef::apply_to_target("GE_Weapon_Hit"))
}

/// Hits its targets.
fn aimed(name: &str, targeting: TargetingDef) -> AbilityDef {
    let aim = WaitDef::TargetData { targeting, confirmation: Confirmation::Custom, max_delay: None };
    AbilityDef::new(name)
        .task(TaskDef::commit())
        .task(TaskDef::Wait(aim))
        .task(TaskDef::apply_to_target("GE_Weapon_Hit"))
}

/// Five, whatever the luck of the one who did it was at that time.
fn mark() -> MagnitudeDef {
    MagnitudeDef::Attribute(Box::new(AttributeMagnitudeDef {
        capture: CaptureTime::OnApplication,
        coefficient: 0.0,
        post_add: 5.0,
        ..AttributeMagnitudeDef::new(CaptureFrom::Source, "Luck")
    }))
}

fn apply_owner(effect: &str) -> TaskDef {
    TaskDef::Act(ActionDef::ApplyToOwner(ugas_core::task::ApplyDef::new(effect)))
}

/// A server, clients with a hero each, and a wolf.
pub(crate) struct Match<H = Defaults> {
    pub(crate) rig: Rig<H>,
    pub(crate) heroes: Vec<ControllerId>,
    pub(crate) wolf: ControllerId,
}

impl Match {
    pub(crate) fn new(clients: usize, conditions: Conditions) -> Self {
        Self::with_config(clients, conditions, ServerConfig::default())
    }

    pub(crate) fn with_config(clients: usize, conditions: Conditions, config: ServerConfig) -> Self {
        Self::with_host(clients, conditions, config, Defaults)
    }
}

impl<H: Host> Match<H> {
    pub(crate) fn with_host(clients: usize, conditions: Conditions, config: ServerConfig, host: H) -> Self {
        let simulation = Simulation::new(catalog(), Config { prediction_seed: 5, ..Config::seeded(3) });
        let mut rig = Rig::new(Server::with_host(simulation, config, host), 11);
        let wolf = rig.server.simulation_mut().spawn("Wolf").expect("a wolf");
        for _ in 0..clients {
            rig.join(ClientConfig::default(), conditions);
        }
        let mut this = Self { rig, heroes: Vec::new(), wolf };
        for _ in 0..20 {
            this.run(0.5);
            let is_ready = |seat: &ugas_netsim::Seat| {
                seat.client.own_controllers().count() == 1 && seat.client.local(wolf).is_some()
            };
            if this.heroes.len() == clients && this.rig.seats.iter().all(is_ready) {
                this.run(0.5);
                return this;
            }
        }
        panic!("not everybody is in after ten seconds");
    }

    /// Lets time pass; whoever joins gets a hero.
    pub(crate) fn run(&mut self, seconds: f64) {
        self.run_and_listen(seconds, |_| {});
    }

    /// Lets time pass and shows the events of the server; whoever joins gets a hero.
    pub(crate) fn run_and_listen(&mut self, seconds: f64, mut listen: impl FnMut(&ServerEvent)) {
        let end = self.rig.now() + Span::seconds(seconds);
        while self.rig.now() < end {
            self.rig.step();
            while let Some(event) = self.rig.server.poll_event() {
                listen(&event);
                if let ServerEvent::Joined { client, .. } = event {
                    let hero = self.rig.server.simulation_mut().spawn("Hero").expect("a hero");
                    self.rig.server.give(hero, client);
                    self.heroes.push(hero);
                }
            }
        }
    }

    /// A client's handle of a server's controller.
    pub(crate) fn local(&self, seat: usize, remote: ControllerId) -> ControllerId {
        self.rig.seats[seat].client.local(remote).expect("it is in view")
    }

    pub(crate) fn ability(&self, seat: usize, name: &str) -> GrantedAbilityId {
        let client = &self.rig.seats[seat].client;
        let wanted = client.catalog().ability(name).expect("it exists");
        let own = client.own_controllers().next().expect("a hero");
        let abilities = client.simulation().controller(own).expect("it is there").abilities();
        *abilities
            .iter()
            .find(|handle| client.simulation().ability(**handle).unwrap().ability() == wanted)
            .expect(name)
    }

    /// Activates an ability of a client's hero on the wolf.
    pub(crate) fn cast(
        &mut self,
        seat: usize,
        name: &str,
    ) -> Result<ugas_core::effect::PredictionKey, ugas_net::ActError> {
        let (ability, wolf) = (self.ability(seat, name), self.local(seat, self.wolf));
        self.rig.seats[seat].client.activate(ability, ActivationRequest::on(wolf))
    }

    /// A value on the server.
    pub(crate) fn truth(&self, controller: ControllerId, attribute: &str) -> f64 {
        let sim = self.rig.server.simulation();
        sim.current(controller, sim.catalog().attribute(attribute).unwrap()).unwrap()
    }

    /// A value at a client.
    pub(crate) fn shown(&self, seat: usize, remote: ControllerId, attribute: &str) -> f64 {
        let sim = self.rig.seats[seat].client.simulation();
        sim.current(self.local(seat, remote), sim.catalog().attribute(attribute).unwrap()).unwrap()
    }

    /// A value at a client; `None` if it is not replicated to it (N1).
    pub(crate) fn read(&self, seat: usize, remote: ControllerId, attribute: &str) -> Option<f64> {
        let client = &self.rig.seats[seat].client;
        let attribute = client.catalog().attribute(attribute).unwrap();
        match client.value(self.local(seat, remote), attribute) {
            Ok(value) => Some(value.current),
            Err(ReadError::NotReplicated { .. }) => None,
            Err(error) => panic!("{error}"),
        }
    }

    pub(crate) fn has_tag(&self, seat: usize, remote: ControllerId, tag: &str) -> bool {
        let sim = self.rig.seats[seat].client.simulation();
        sim.has_tag(self.local(seat, remote), sim.catalog().tag(tag).unwrap())
    }

    /// Applies an effect on the server.
    pub(crate) fn afflict(&mut self, controller: ControllerId, effect: &str) {
        let effect = self.rig.server.catalog().effect(effect).unwrap();
        self.rig.server.simulation_mut().apply_effect(effect, None, controller).expect("it is applied");
    }

    /// Events of a client since the last call.
    pub(crate) fn heard(&mut self, seat: usize) -> Vec<ClientEvent> {
        core::iter::from_fn(|| self.rig.seats[seat].client.poll_event()).collect()
    }
}
