//! Events as records of `tracing`: `cargo test -p ugas-core --features tracing --test tracing`.
#![cfg(feature = "tracing")]

use std::sync::{Arc, Mutex};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Metadata, Subscriber};
use ugas_core::ability::AbilityDef;
use ugas_core::catalog::Catalog;
use ugas_core::controller::ControllerDef;
use ugas_core::effect::AbilityGrantDef;
use ugas_core::simulation::{Config, Simulation};

/// Keeps what is told under one target.
#[derive(Clone)]
struct Listener {
    target: &'static str,
    heard: Arc<Mutex<Vec<String>>>,
}

struct Kind<'a>(&'a mut Vec<String>);

impl Visit for Kind<'_> {
    fn record_debug(&mut self, _: &Field, _: &dyn core::fmt::Debug) {}

    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() == "kind" {
            self.0.push(value.to_owned());
        }
    }
}

impl Subscriber for Listener {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == self.target
    }

    fn event(&self, event: &tracing::Event<'_>) {
        event.record(&mut Kind(&mut self.heard.lock().unwrap()));
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

#[test]
fn a_listener_hears_the_category_it_asks_for() {
    let catalog = Catalog::builder()
        .ability(AbilityDef::new("GA_Nod"))
        .template(
            ControllerDef::new("Hero").with_tag("Kind.Hero").with_ability(AbilityGrantDef::new("GA_Nod")),
        )
        .build()
        .unwrap();
    let heard = Arc::new(Mutex::new(Vec::new()));
    let listener = Listener { target: "ugas::ability", heard: Arc::clone(&heard) };
    tracing::subscriber::with_default(listener, || {
        let mut sim = Simulation::new(catalog, Config::default());
        let hero = sim.spawn("Hero").unwrap();
        let nod = sim.controller(hero).unwrap().abilities()[0];
        sim.activate(nod).unwrap();
    });
    let expected = ["AbilityGranted", "AbilityActivated", "AbilityCommitted", "AbilityEnded"];
    assert_eq!(*heard.lock().unwrap(), expected);
}
