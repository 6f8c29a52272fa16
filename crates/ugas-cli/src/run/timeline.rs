//! Values and effects over time, recorded from events instead of samples.

use std::collections::BTreeMap;
use std::sync::Arc;

use ugas_core::catalog::Catalog;
use ugas_core::effect::EffectStatus;
use ugas_core::event::{Event, EventKind};
use ugas_core::handle::{ActiveEffectId, ControllerId};
use ugas_core::id::{AttributeId, EffectId};
use ugas_core::time::Time;
use ugas_data::scenario::{Observer, Runner};

/// Values and effects of one scenario over time.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Timeline {
    pub(crate) name: String,
    /// Time at the end, in seconds.
    pub(crate) end: f64,
    pub(crate) controllers: Vec<String>,
    /// Values by attribute.
    pub(crate) attributes: Vec<(String, Vec<Series>)>,
    /// Effects, in the order of their first occurrence.
    pub(crate) effects: Vec<Lane>,
}

/// An attribute of a controller over time.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Series {
    /// Index of the controller.
    pub(crate) controller: usize,
    /// Time in seconds and value of each change.
    pub(crate) points: Vec<(f64, f64)>,
}

/// An effect on a controller.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Lane {
    pub(crate) effect: String,
    /// Index of the controller.
    pub(crate) controller: usize,
    /// Intervals in which it was active, in seconds.
    pub(crate) spans: Vec<(f64, f64)>,
    /// Times of its executions, in seconds.
    pub(crate) executions: Vec<f64>,
}

/// Writes a [`Timeline`] while a scenario runs.
#[derive(Default)]
pub(crate) struct TimelineRecorder {
    ids: Vec<ControllerId>,
    timeline: Timeline,
    series: BTreeMap<(AttributeId, usize), Vec<(f64, f64)>>,
    lanes: BTreeMap<(EffectId, usize), usize>,
    /// Active effects: index of the lane, and start in seconds.
    open: BTreeMap<ActiveEffectId, (usize, f64)>,
    /// For names; `None` until the scenario begins.
    catalog: Option<Arc<Catalog>>,
}

impl TimelineRecorder {
    /// The timeline, with effects that are active at the end; `None` if the scenario never began.
    pub(crate) fn finish(mut self) -> Option<Timeline> {
        let catalog = self.catalog.take()?;
        for (lane, start) in std::mem::take(&mut self.open).into_values() {
            let end = self.timeline.end;
            if let Some(lane) = self.timeline.effects.get_mut(lane) {
                lane.spans.push((start, end));
            }
        }
        let mut attributes: BTreeMap<AttributeId, Vec<Series>> = BTreeMap::new();
        for ((attribute, controller), points) in self.series {
            attributes.entry(attribute).or_default().push(Series { controller, points });
        }
        self.timeline.attributes = attributes
            .into_iter()
            .map(|(id, series)| (catalog.attribute_name(id).to_owned(), series))
            .collect();
        Some(self.timeline)
    }

    /// Number of a controller in the timeline; `None` for one that was not there at the beginning.
    fn controller(&self, id: ControllerId) -> Option<usize> {
        self.ids.iter().position(|known| *known == id)
    }

    /// Lane of an effect on a controller, created on first use; `None` if the controller is not in the
    /// timeline.
    fn lane(&mut self, runner: &Runner<'_>, effect: EffectId, target: ControllerId) -> Option<usize> {
        let controller = self.controller(target)?;
        let effects = &mut self.timeline.effects;
        Some(*self.lanes.entry((effect, controller)).or_insert_with(|| {
            let effect = runner.simulation().effect_name(effect).to_owned();
            effects.push(Lane { effect, controller, spans: Vec::new(), executions: Vec::new() });
            effects.len() - 1
        }))
    }

    /// Notes the controllers of the scenario with their values and running effects at the beginning.
    fn begin(&mut self, runner: &Runner<'_>) {
        let simulation = runner.simulation();
        self.timeline.name = runner.scenario().name().to_owned();
        for (controller, (name, id)) in runner.controllers().iter().enumerate() {
            self.ids.push(*id);
            self.timeline.controllers.push((*name).to_owned());
            for (attribute, _, current) in simulation.attributes(*id) {
                self.series.insert((attribute, controller), vec![(0.0, current)]);
            }
            let effects = simulation.controller(*id).map(|controller| controller.effects());
            for active in effects.unwrap_or_default() {
                if let Some(effect) = simulation.effect(*active)
                    && effect.status() == EffectStatus::Running
                {
                    self.open(runner, effect.effect(), *active, *id, Time::from_seconds(0.0));
                }
            }
        }
    }

    /// Begins a span in the lane of an effect, until its removal.
    fn open(
        &mut self,
        runner: &Runner<'_>,
        effect: EffectId,
        active: ActiveEffectId,
        target: ControllerId,
        time: Time,
    ) {
        if let Some(lane) = self.lane(runner, effect, target) {
            self.open.insert(active, (lane, time.as_seconds()));
        }
    }
}

impl Observer for TimelineRecorder {
    fn state(&mut self, runner: &Runner<'_>) {
        if self.catalog.is_none() {
            self.catalog = Some(runner.simulation().catalog().clone());
            self.begin(runner);
        }
        self.timeline.end = runner.simulation().now().as_seconds();
    }

    fn event(&mut self, runner: &Runner<'_>, event: &Event) {
        let time = event.time.as_seconds();
        match event.kind {
            EventKind::AttributeChanged { controller, attribute, new, .. } => {
                if let Some(controller) = self.controller(controller) {
                    self.series.entry((attribute, controller)).or_default().push((time, new));
                }
            }
            EventKind::EffectApplied { effect, active, target, .. } => {
                self.open(runner, effect, active, target, event.time);
            }
            EventKind::EffectExecuted { effect, target, .. } => {
                if let Some(lane) = self.lane(runner, effect, target)
                    && let Some(lane) = self.timeline.effects.get_mut(lane)
                {
                    lane.executions.push(time);
                }
            }
            EventKind::EffectRemoved { active, .. } => {
                if let Some((lane, start)) = self.open.remove(&active)
                    && let Some(lane) = self.timeline.effects.get_mut(lane)
                {
                    lane.spans.push((start, time));
                }
            }
            _ => {}
        }
    }
}
