//! The request `world`: the list of controllers.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use ugas_core::controller::Controller;
use ugas_core::debug::ControllerNames;
use ugas_core::handle::ControllerId;
use ugas_core::id::AttributeId;
use ugas_core::simulation::Simulation;
use ugas_core::time::Time;

use crate::event_log::EventLog;
use crate::filter::Filter;
use crate::request::{Answer, Fields, RequestError, id_text};

/// Maximum number of rows in one answer: more than fit on a screen.
const MAX_ROWS: u64 = 200;

/// Maximum number of points of a sparkline.
const MAX_POINTS: usize = 48;

/// Values over time, as a step function.
pub(crate) type Series = Vec<(Time, f64)>;

/// The controllers that match a filter: their number, and one page of rows.
pub(crate) fn world(
    simulation: &Simulation,
    names: &ControllerNames,
    event_log: &EventLog,
    moment: u64,
    fields: Fields<'_>,
) -> Answer {
    let catalog = simulation.catalog();
    let filter = Filter::read(fields, catalog)?;
    let offset = fields.count("offset")?.unwrap_or(0);
    let limit = fields.count("limit")?.unwrap_or(MAX_ROWS).min(MAX_ROWS);
    let attribute = fields.text("attribute")?.map(|name| catalog.attribute(name)).transpose();
    let attribute = attribute.map_err(|error| RequestError::bad(error.to_string()))?;
    let mut templates: BTreeMap<&str, u64> = BTreeMap::new();
    let mut attributes: BTreeMap<&str, u64> = BTreeMap::new();
    let (mut total, mut matching, mut effects, mut runs) = (0u64, 0u64, 0u64, 0u64);
    let mut page: Vec<(ControllerId, String, &Controller)> = Vec::new();
    for (id, controller) in simulation.controllers() {
        total += 1;
        effects += controller.effects().len() as u64;
        runs += controller.activations().len() as u64;
        let template = controller.template().map_or("", |template| catalog.template_name(template));
        *templates.entry(template).or_default() += 1;
        for set in simulation.attribute_sets(id) {
            *attributes.entry(catalog.set_name(*set)).or_default() += 1;
        }
        let name = names.of(simulation, id);
        if !filter.admits(&name, controller.template(), controller.tags()) {
            continue;
        }
        if matching >= offset && (page.len() as u64) < limit {
            page.push((id, name, controller));
        }
        matching += 1;
    }
    let shown: Vec<ControllerId> = page.iter().map(|(id, ..)| *id).collect();
    let mut series =
        attribute.map(|attribute| all_series(event_log, moment, &shown, attribute)).unwrap_or_default();
    let rows = page.into_iter().map(|(id, name, controller)| {
        let value = attribute.and_then(|attribute| value(simulation, id, attribute));
        json!({
            "id": id_text(id),
            "name": name,
            "template": controller.template().map(|template| catalog.template_name(template)),
            "team": controller.team().map(|team| team.name()),
            "effects": controller.effects().len(),
            "abilities": controller.abilities().len(),
            "running": controller.activations().len(),
            "tagCount": controller.tags().iter().count(),
            "tags": controller.tags().iter().take(8).map(|(tag, _)| catalog.tag_name(tag)).collect::<Vec<_>>(),
            "value": value,
            "spark": attribute.map(|_| points(&series.remove(&id).unwrap_or_default())),
        })
    });
    let rows: Vec<Value> = rows.collect();
    let names_of = attributes.keys().filter_map(|set| catalog.attribute_set(set).ok());
    let mut known: Vec<&str> = names_of
        .flat_map(|set| catalog.attributes_of(set))
        .map(|(id, _)| catalog.attribute_name(id))
        .collect();
    known.sort_unstable();
    known.dedup();
    Ok(json!({
        "moment": moment,
        "time": simulation.now().as_seconds(),
        "controllers": total,
        "matching": matching,
        "effects": effects,
        "running": runs,
        "templates": templates.iter().map(|(name, count)| json!({ "name": name, "count": count })).collect::<Vec<_>>(),
        "attributes": known,
        "offset": offset,
        "rows": rows,
    }))
}

/// Base and current value of an attribute with its bounds, as JSON.
pub(crate) fn value(simulation: &Simulation, id: ControllerId, attribute: AttributeId) -> Option<Value> {
    let (base, current) = (simulation.base(id, attribute)?, simulation.current(id, attribute)?);
    let clamp = simulation.explain(id, attribute)?.clamp;
    Some(json!({
        "base": base,
        "current": current,
        "min": clamp.min.map(|bound| bound.value),
        "max": clamp.max.map(|bound| bound.value),
    }))
}

/// One attribute of several controllers over time, in one pass.
fn all_series(
    event_log: &EventLog,
    moment: u64,
    shown: &[ControllerId],
    attribute: AttributeId,
) -> BTreeMap<ControllerId, Series> {
    let mut series: BTreeMap<ControllerId, Series> = BTreeMap::new();
    for (id, _, time, old, new) in event_log.changes(moment, Some(attribute)) {
        if shown.binary_search(&id).is_ok() {
            push(series.entry(id).or_default(), time, old, new);
        }
    }
    series
}

/// All attributes of a controller over time, in one pass.
pub(crate) fn series_of(
    event_log: &EventLog,
    moment: u64,
    wanted: ControllerId,
) -> BTreeMap<AttributeId, Series> {
    let mut series: BTreeMap<AttributeId, Series> = BTreeMap::new();
    for (id, attribute, time, old, new) in event_log.changes(moment, None) {
        if id == wanted {
            push(series.entry(attribute).or_default(), time, old, new);
        }
    }
    series
}

/// Adds a change to a series, which begins with the value before the first one.
fn push(series: &mut Series, time: Time, old: f64, new: f64) {
    if series.is_empty() {
        series.push((time, old));
    }
    series.push((time, new));
}

/// A series as `[[seconds, value], …]`. Long series are thinned out evenly, but keep the last point.
pub(crate) fn points(series: &Series) -> Value {
    let stride = series.len().div_ceil(MAX_POINTS).max(1);
    let last = series.len().saturating_sub(1);
    let kept = series.iter().enumerate().filter(|(at, _)| at % stride == 0 || *at == last);
    kept.map(|(_, (time, value))| json!([time.as_seconds(), value])).collect()
}
