//! Debug page as text: a title, then one block for each non-empty section.

use core::fmt;

use super::{AbilityLine, ControllerPage, EffectLine, TaskLine};
use crate::ability::ParameterDef;
use crate::number::short;

impl fmt::Display for ControllerPage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.template.as_deref().unwrap_or("controller"))?;
        write!(f, " {:?} at {} s", self.controller, self.time.as_seconds())?;
        if self.inactive {
            f.write_str(", inactive")?;
        }
        if let Some(instigator) = self.summoned_by {
            write!(f, ", summoned by {instigator:?}")?;
        }
        if let Some([x, y, z]) = self.position {
            write!(f, ", position {} {} {}", short(x), short(y), short(z))?;
        }
        if let Some(team) = &self.team {
            write!(f, ", team {team}")?;
        }
        writeln!(f)?;
        let names = self.attributes.iter().map(|line| &line.name).chain(&self.not_replicated);
        let width = names.map(String::len).max().unwrap_or_default();
        title(f, "attributes", self.attributes.len() + self.not_replicated.len())?;
        for line in &self.attributes {
            write!(f, "  {:<width$}  {}", line.name, short(line.current))?;
            if line.base != line.current {
                write!(f, " (base {})", short(line.base))?;
            }
            writeln!(f)?;
        }
        for name in &self.not_replicated {
            writeln!(f, "  {name:<width$}  NotReplicated")?;
        }
        title(f, "tags", self.tags.len())?;
        for line in &self.tags {
            writeln!(f, "  {} x{}", line.name, line.count)?;
        }
        title(f, "effects", self.effects.len())?;
        for line in &self.effects {
            effect(f, line)?;
        }
        title(f, "abilities", self.abilities.len())?;
        for line in &self.abilities {
            ability(f, line)?;
        }
        title(f, "tasks", self.tasks.len())?;
        for line in &self.tasks {
            task(f, line)?;
        }
        title(f, "cues", self.cues.len())?;
        for (cue, count) in &self.cues {
            writeln!(f, "  {cue} x{count}")?;
        }
        title(f, "buffered inputs", self.buffered_inputs.len())?;
        for input in &self.buffered_inputs {
            writeln!(f, "  {input}")?;
        }
        Ok(())
    }
}

/// Writes the title of a section, unless the section is empty.
fn title(f: &mut fmt::Formatter<'_>, name: &str, count: usize) -> fmt::Result {
    if count == 0 { Ok(()) } else { writeln!(f, "{name}") }
}

/// Writes an effect: one line of state, and one for each list that is not empty.
fn effect(f: &mut fmt::Formatter<'_>, line: &EffectLine) -> fmt::Result {
    write!(f, "  {} level {}", line.name, short(line.level))?;
    if line.stacks != 1 {
        write!(f, ", {} stacks", line.stacks)?;
    }
    match (line.remaining, line.duration) {
        (Some(remaining), Some(duration)) => write!(f, ", {remaining} of {duration} left")?,
        _ => f.write_str(", for ever")?,
    }
    if let Some(period) = line.period {
        write!(f, ", every {period}")?;
    }
    if let Some(next) = line.next_tick {
        write!(f, ", next at {} s", next.as_seconds())?;
    }
    if line.queued {
        f.write_str(", waits for its turn")?;
    }
    if line.inhibited {
        f.write_str(", inhibited")?;
    }
    if let Some(source) = line.source {
        write!(f, ", from {source:?}")?;
    }
    writeln!(f)?;
    let numbers = line.set_by_caller.iter().map(|(tag, value)| format!("{tag} {}", short(*value))).collect();
    for (what, list) in [
        ("modifies", &line.modifiers),
        ("grants tags", &line.granted_tags),
        ("grants abilities", &line.granted_abilities),
        ("ability tags", &line.ability_tags),
        ("context tags", &line.context_tags),
        ("set by caller", &numbers),
    ] {
        if !list.is_empty() {
            writeln!(f, "    {what}: {}", list.join(", "))?;
        }
    }
    Ok(())
}

/// Writes an ability, and a line for each reason why it cannot be activated.
fn ability(f: &mut fmt::Formatter<'_>, line: &AbilityLine) -> fmt::Result {
    write!(f, "  {} level {}, {:?}", line.name, line.level, line.state)?;
    if line.runs > 1 {
        write!(f, " {} times", line.runs)?;
    }
    if let Some(input) = &line.input {
        write!(f, ", on {input}")?;
    }
    if let Some((remaining, total)) = line.cooldown {
        write!(f, ", cools down {remaining} of {total}")?;
    }
    if let Some((left, most)) = line.charges {
        write!(f, ", {left} of {most} charges")?;
    }
    writeln!(f)?;
    if !line.parameters.is_empty() {
        let parameters = line.parameters.iter().map(|(name, value)| format!("{name} {}", parameter(value)));
        writeln!(f, "    parameters: {}", parameters.collect::<Vec<_>>().join(", "))?;
    }
    for obstacle in &line.obstacles {
        writeln!(f, "    cannot be activated: {obstacle}")?;
    }
    Ok(())
}

/// Value of a parameter: texts for the host in quotes, to tell them from tags.
fn parameter(value: &ParameterDef) -> String {
    match value {
        ParameterDef::Number(number) => short(*number),
        ParameterDef::Flag(flag) => flag.to_string(),
        ParameterDef::Tag(tag) => tag.clone(),
        ParameterDef::Text(text) => format!("{text:?}"),
    }
}

fn task(f: &mut fmt::Formatter<'_>, line: &TaskLine) -> fmt::Result {
    write!(f, "  {} of {}, since {} s", line.kind, line.ability, line.started.as_seconds())?;
    if let Some(deadline) = line.deadline {
        write!(f, ", until {} s", deadline.as_seconds())?;
    }
    if !line.waits_for.is_empty() {
        write!(f, ", waits for {}", line.waits_for.join(", "))?;
    }
    writeln!(f)
}
