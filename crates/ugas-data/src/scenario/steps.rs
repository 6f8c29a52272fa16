//! Execution of steps. `Err` is a step that cannot be executed; a refusal is a result with a code.

use ugas_core::catalog::Catalog;
use ugas_core::command::{Command, Outcome};
use ugas_core::effect::{EffectContext, EffectQuery, EffectStatus, HitResult, NamedValues};
use ugas_core::handle::{ActiveEffectId, ControllerId};
use ugas_core::nearest::nearest;
use ugas_core::refusal::RefusalReason;
use ugas_core::simulation::Stacks;
use ugas_core::tag::{TagQuery, TagQueryItem};
use ugas_core::time::Span;

use super::Runner;
use super::controllers::actor;
use super::runner::StepResult;
use crate::decode::{Integer, List, NamedMap, PlainValue};
use crate::model::Name;
use crate::model::effect::{TagQueryDoc, TagQueryItemDoc};
use crate::model::scenario::{ApplyDoc, HitDoc, RemoveDoc, RemoveMatchingDoc, SetRemainingDoc};

/// Outcome code of a name whose effect, grant or activation does not exist any more.
pub(super) const UNKNOWN_HANDLE: &str = "UnknownHandle";

impl<'s> Runner<'s> {
    /// Applies an effect with its context and numbers, and stores the active effect under the name of `As`. A
    /// refused or instant application is stored as `None`.
    pub(super) fn apply(&mut self, doc: &'s ApplyDoc) -> Result<StepResult, String> {
        let catalog = self.simulation.catalog().clone();
        let effect = doc.effect.as_ref().map_or("", |name| &name.value);
        let effect = catalog.effect(effect).map_err(|error| error.to_string())?;
        let target = self.required(&doc.target)?;
        let source = doc.source.as_ref().map(|name| self.find(&name.value)).transpose()?;
        let mut context = EffectContext::of(source);
        context.ability = match &doc.ability {
            Some(name) => {
                let handle = self.grants_called(&name.value, source)?.first().copied();
                let Some(handle) = handle else {
                    return Ok(StepResult::refused(
                        [UNKNOWN_HANDLE],
                        format!("`{}` is not granted", name.value),
                    ));
                };
                Some(handle)
            }
            None => None,
        };
        if let Some(causer) = actor(&doc.causer) {
            context = context.caused_by(causer);
        }
        if let Some(origin) = &doc.origin {
            context = context.at(origin.0.value);
        }
        if let Some(hit) = &doc.hit {
            context = context.with_hit(self.hit(hit)?);
        }
        if let Some(payload) = &doc.payload {
            context = context.with_payload(&named_values(payload));
        }
        let level = doc.level.as_ref().map_or(1.0, |level| level.0.value);
        let mut spec = match self.simulation.spec(effect, level, context) {
            Ok(spec) => spec,
            Err(reason) => return Ok(self.refused(&reason)),
        };
        for (tag, value) in doc.set_by_caller.iter().flat_map(|numbers| &numbers.0) {
            let tag = catalog.tag(&tag.value).map_err(|error| error.to_string())?;
            spec.set_magnitude(tag, value.0.value);
        }
        if let Some(duration) = &doc.duration {
            spec = spec.with_duration(Span::seconds(duration.0.value));
        }
        if let Some(period) = &doc.period {
            spec = spec.with_period(Span::seconds(period.0.value));
        }
        let applied = self.execute(Command::Apply { spec: Box::new(spec), target });
        if let Some(alias) = &doc.alias {
            let active = match &applied {
                Ok(Outcome::Applied(application)) => application.active(),
                _ => None,
            };
            self.effects.insert(&alias.value, active);
        }
        Ok(self.step_result(&applied))
    }

    /// Hit result of a step. The actor that was hit is the avatar of the controller, else its owner.
    pub(super) fn hit(&self, doc: &HitDoc) -> Result<HitResult, String> {
        let controller = doc.controller.as_ref().map(|name| self.find(&name.value)).transpose()?;
        let known = controller.and_then(|id| self.simulation.controller(id));
        Ok(HitResult {
            location: doc.location.as_ref().map_or([0.0; 3], |location| location.0.value),
            normal: doc.normal.as_ref().map_or([0.0; 3], |normal| normal.0.value),
            actor: known.and_then(|known| known.avatar().or(known.owner())),
            ..HitResult::default()
        })
    }

    /// Sets the remaining time of the effect of this `As` name, else of all instances of the definition. The
    /// result is that of the last; without an instance it is `UnknownHandle`.
    pub(super) fn set_remaining(&mut self, doc: &SetRemainingDoc) -> Result<StepResult, String> {
        let name = doc.effect.as_ref().map_or("", |name| name.value.as_str());
        let remaining = Span::seconds(doc.seconds.as_ref().map_or(0.0, |seconds| seconds.0.value));
        let instances: Vec<ActiveEffectId> = match self.effects.get(name) {
            Some(active) => active.iter().copied().collect(),
            None => {
                let Ok(effect) = self.simulation.catalog().effect(name) else {
                    let hint = hint(name, self.effects.keys().copied());
                    return Err(format!(
                        "no step assigned the name `{name}` with `As`, and there is no such effect{hint}"
                    ));
                };
                let targets = match &doc.target {
                    Some(target) => vec![self.find(&target.value)?],
                    None => self.controllers.iter().map(|(_, id)| *id).collect(),
                };
                let query = EffectQuery::of(effect);
                let found =
                    targets.into_iter().flat_map(|target| self.simulation.effects_matching(target, &query));
                found.collect()
            }
        };
        let mut result = StepResult::refused([UNKNOWN_HANDLE], format!("`{name}` is not active"));
        for active in instances {
            let elapsed = match self.simulation.effect(active) {
                Some(effect) if effect.status() == EffectStatus::Running => {
                    self.simulation.now().since(effect.started())
                }
                _ => Span::ZERO,
            };
            let command = Command::SetDuration { active, duration: Some(elapsed + remaining) };
            let changed = self.execute(command);
            result = self.step_result(&changed);
        }
        Ok(result)
    }

    /// Removes the effect of this `As` name, else all instances of the definition; `UnknownHandle` if there
    /// is none.
    pub(super) fn remove(&mut self, doc: &RemoveDoc) -> Result<StepResult, String> {
        let name = doc.effect.as_ref().map_or("", |name| name.value.as_str());
        let stacks = stacks(&doc.stacks);
        let gone = || StepResult::refused([UNKNOWN_HANDLE], format!("`{name}` is not active"));
        if let Some(active) = self.effects.get(name) {
            let Some(active) = *active else { return Ok(gone()) };
            let removed = self.execute(Command::Remove { active, stacks });
            return Ok(self.step_result(&removed));
        }
        let Ok(effect) = self.simulation.catalog().effect(name) else {
            let hint = hint(name, self.effects.keys().copied());
            return Err(format!(
                "no step assigned the name `{name}` with `As`, and there is no such effect{hint}"
            ));
        };
        let removed = self.remove_by(&EffectQuery::of(effect), &doc.target, stacks)?;
        Ok(if removed == 0 { gone() } else { StepResult::ok() })
    }

    /// Removes the effects that a tag query matches; `UnknownHandle` if none does. A query without any
    /// condition is an error.
    pub(super) fn remove_matching(&mut self, doc: &RemoveMatchingDoc) -> Result<StepResult, String> {
        let tags = match &doc.query {
            Some(query) => tag_query(self.simulation.catalog(), query)?,
            None => TagQuery::default(),
        };
        let source = doc.source.as_ref().map(|name| self.find(&name.value)).transpose()?;
        if tags.is_empty() && source.is_none() {
            return Err("the query is empty and would remove everything".to_owned());
        }
        let query = EffectQuery { source, ..EffectQuery::tagged(tags) };
        let removed = self.remove_by(&query, &doc.target, stacks(&doc.stacks))?;
        Ok(match removed {
            0 => StepResult::refused([UNKNOWN_HANDLE], "no active effect matches".to_owned()),
            _ => StepResult::ok(),
        })
    }

    /// Removes the effects that a query matches, from one controller or from all; returns their number.
    fn remove_by(&mut self, query: &EffectQuery, from: &Option<Name>, stacks: Stacks) -> Result<u32, String> {
        let targets = match from {
            Some(target) => vec![self.find(&target.value)?],
            None => self.controllers.iter().map(|(_, id)| *id).collect(),
        };
        let mut removed = 0;
        for controller in targets {
            let command = Command::RemoveMatching { controller, query: query.clone(), stacks };
            if let Ok(Outcome::Removed(count)) = self.execute(command) {
                removed += count;
            }
        }
        Ok(removed)
    }

    /// Despawns a controller. Its name stays known, so that later steps are refused.
    pub(super) fn despawn(&mut self, name: &str) -> Result<StepResult, String> {
        let controller = self.find(name)?;
        let despawned = self.execute(Command::Despawn(controller));
        Ok(self.step_result(&despawned))
    }

    /// Controller of this name, or a message with the nearest name.
    pub(super) fn find(&self, name: &str) -> Result<ControllerId, String> {
        self.controller(name).ok_or_else(|| {
            let hint = hint(name, self.controllers.iter().map(|(name, _)| *name));
            format!("the scenario has no controller `{name}`{hint}")
        })
    }

    /// Controller of a required field, or a message if there is none of this name.
    pub(super) fn required(&self, name: &Option<Name>) -> Result<ControllerId, String> {
        self.find(name.as_ref().map_or("", |name| name.value.as_str()))
    }

    /// Result of a step that was refused for one reason.
    pub(super) fn refused(&self, reason: &RefusalReason) -> StepResult {
        StepResult::refused([reason.code()], reason.describe(&self.simulation))
    }
}

/// Payload with the numbers of a step.
pub(super) fn named_values(payload: &NamedMap<Name, PlainValue>) -> NamedValues {
    let values = payload.0.iter().map(|(name, value)| (name.value.clone(), value.0.value));
    NamedValues(values.collect())
}

/// Number of stacks to remove; absent and -1 are all.
fn stacks(count: &Option<Integer<-1, 4294967295>>) -> Stacks {
    match count.as_ref().map(|count| u32::try_from(count.0.value)) {
        Some(Ok(count)) => Stacks::Count(count),
        _ => Stacks::All,
    }
}

/// Tag query with resolved tags. Its depth is bounded by the nesting of the file.
fn tag_query(catalog: &Catalog, doc: &TagQueryDoc) -> Result<TagQuery, String> {
    let items = |list: &List<TagQueryItemDoc>| {
        let item = |item: &TagQueryItemDoc| match item {
            TagQueryItemDoc::Tag(tag) => {
                catalog.tag(&tag.value).map(TagQueryItem::from).map_err(|error| error.to_string())
            }
            TagQueryItemDoc::Query(query) => tag_query(catalog, query).map(TagQueryItem::from),
        };
        list.iter().map(item).collect::<Result<Vec<_>, _>>()
    };
    let query = TagQuery::all(items(&doc.all)?).and(TagQuery::any(items(&doc.any)?));
    Ok(query.and(TagQuery::none(items(&doc.none)?)))
}

/// Part of a message with the nearest known name; empty if none is near.
pub(super) fn hint<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest(name, known).map(|nearest| format!("; did you mean `{nearest}`?")).unwrap_or_default()
}
