//! Remapping controls at run time (§11.4).
//!
//! A player sees an action as a list of *slots*: one for each control of each of its bindings, in the order
//! of definition. Chords and composites have several. Mappings are saved by action and slot, so a game may
//! add slots at the end of an action's list without invalidating saved mappings.

use super::DeviceInput;
use super::error::Nearest;
use super::mapper::InputMapper;
use super::saved::{SavedMapping, SavedMappings};
use super::scheme::{Binding, BindingPart, InputActionId, Shape};
use super::signal::ReleaseCause;
use crate::nearest::nearest;

/// A control of a binding, as a player may see and change it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BindingSlot<'a> {
    /// Position among the slots of the action.
    pub slot: u32,
    /// The set that the binding is for.
    pub action_set: &'a str,
    /// Role of the control in its binding.
    pub part: BindingPart,
    /// Control that it is bound to now; `None` if unbound.
    pub input: Option<&'a DeviceInput>,
    /// Control that it is bound to by default.
    pub default: &'a DeviceInput,
    /// Whether it may be changed.
    pub rebindable: bool,
}

/// A slot that conflicts with another: the same control in the same set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BindingConflict {
    /// Its action.
    pub action: InputActionId,
    /// Its position among the slots of the action.
    pub slot: u32,
}

/// Error of changing a control.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RemapError {
    /// There is no such action.
    #[error("there is no input action `{name}`{}", Nearest(nearest))]
    UnknownAction {
        /// The name.
        name: String,
        /// The most similar known name.
        nearest: Option<String>,
    },
    /// The action has no such slot.
    #[error("the input action `{action}` has {count} slots, counted from 0, hence no slot {slot}")]
    UnknownSlot {
        /// The action.
        action: String,
        /// The slot.
        slot: u32,
        /// Number of its slots.
        count: u32,
    },
    /// The binding is fixed.
    #[error("slot {slot} of the input action `{action}` cannot be changed")]
    NotRebindable {
        /// The action.
        action: String,
        /// The slot.
        slot: u32,
    },
    /// The binding uses the control already, in another slot.
    #[error("the binding of slot {slot} of the input action `{action}` uses `{input}` already")]
    Repeated {
        /// The action.
        action: String,
        /// The slot.
        slot: u32,
        /// The control.
        input: DeviceInput,
    },
    /// The control has no name.
    #[error("a control without a name cannot be bound")]
    UnnamedInput,
}

impl InputMapper {
    /// The slots of an action; none if there is no such action.
    pub fn slots(&self, action: &str) -> impl Iterator<Item = BindingSlot<'_>> {
        let scheme = &*self.scheme;
        let action = scheme.action(action).and_then(|id| scheme.actions.get(id.usize()));
        let slots = action.map_or(&[][..], |action| &action.slots);
        (0u32..).zip(slots).filter_map(|(position, index)| {
            let slot = scheme.slots.get(*index as usize)?;
            let binding = scheme.bindings.get(slot.binding as usize)?;
            Some(BindingSlot {
                slot: position,
                action_set: &scheme.sets.get(binding.set as usize)?.name,
                part: slot.part,
                input: self.slots.get(*index as usize)?.as_ref(),
                default: &slot.default,
                rebindable: binding.rebindable,
            })
        })
    }

    /// Binds a slot of an action to another control (§11.4 `RemapAction`).
    ///
    /// Returns the slots that it conflicts with, as [`conflicts`](Self::conflicts) does in advance. They stay
    /// bound: the player decides which of two bindings to remove. An action that is pressed by the binding is
    /// released.
    ///
    /// # Errors
    /// If there is no such slot, or it cannot be changed in this way. Then nothing is changed.
    pub fn remap(
        &mut self,
        action: &str,
        slot: u32,
        input: DeviceInput,
    ) -> Result<Vec<BindingConflict>, RemapError> {
        let index = self.changeable(action, slot, Some(&input))?;
        let conflicts = self.conflicts_at(index, &input);
        self.bind_one(index, Some(input));
        Ok(conflicts)
    }

    /// Unbinds a slot.
    ///
    /// # Errors
    /// If there is no such slot, or it cannot be changed. Then nothing is changed.
    pub fn unbind(&mut self, action: &str, slot: u32) -> Result<(), RemapError> {
        let index = self.changeable(action, slot, None)?;
        self.bind_one(index, None);
        Ok(())
    }

    /// Conflicts that binding a slot to a control would cause: bindings of the same set to exactly the same
    /// controls, or, for directions and axes, to one of them. A chord does not conflict with its parts.
    ///
    /// # Errors
    /// As [`remap`](Self::remap).
    pub fn conflicts(
        &self,
        action: &str,
        slot: u32,
        input: &DeviceInput,
    ) -> Result<Vec<BindingConflict>, RemapError> {
        Ok(self.conflicts_at(self.changeable(action, slot, Some(input))?, input))
    }

    /// Resets all bindings to the scheme's defaults (§11.4 `ResetToDefaults`).
    pub fn reset_to_defaults(&mut self) {
        self.rebind(self.defaults());
    }

    /// Bindings that differ from the defaults (§11.4 `SaveMappings`), for the host to store.
    ///
    /// Only differences are saved, so that a new default reaches players who have not changed it.
    pub fn save(&self) -> SavedMappings {
        let scheme = &self.scheme;
        let mut saved = Vec::new();
        for action in &scheme.actions {
            for (position, index) in (0u32..).zip(&action.slots) {
                let (Some(slot), Some(input)) =
                    (scheme.slots.get(*index as usize), self.slots.get(*index as usize))
                else {
                    continue;
                };
                if input.as_ref() != Some(&slot.default) {
                    saved.push(SavedMapping {
                        action: action.name.clone(),
                        slot: position,
                        input: input.clone(),
                    });
                }
            }
        }
        SavedMappings::of(saved)
    }

    /// Applies saved bindings, and the scheme's defaults elsewhere (§11.4 `LoadMappings`).
    ///
    /// Saved bindings that no longer fit are skipped and returned as errors, so that a player does not lose
    /// the rest to an action that a new version has dropped.
    pub fn load(&mut self, saved: &SavedMappings) -> Vec<RemapError> {
        let mut problems = Vec::new();
        let mut slots = self.defaults();
        let mut meant = Vec::new();
        for mapping in saved.iter() {
            match self.fixed_or_index(&mapping.action, mapping.slot, mapping.input.as_ref()) {
                Ok(index) => {
                    if let Some(slot) = slots.get_mut(index as usize) {
                        slot.clone_from(&mapping.input);
                    }
                    meant.push((index, mapping));
                }
                Err(problem) => problems.push(problem),
            }
        }
        // Two slots of a binding may have been swapped, so duplicates are searched when all are bound. A slot
        // that returns to its default can duplicate another one, hence repeat until nothing changes.
        while let Some(at) = meant.iter().position(|(index, _)| self.repeats(&slots, *index)) {
            let (index, mapping) = meant.remove(at);
            if let (Some(slot), Some(defined)) =
                (slots.get_mut(index as usize), self.scheme.slots.get(index as usize))
            {
                *slot = Some(defined.default.clone());
            }
            if let Some(input) = mapping.input.clone() {
                let action = mapping.action.clone();
                problems.push(RemapError::Repeated { action, slot: mapping.slot, input });
            }
        }
        self.rebind(slots);
        problems
    }

    /// The default control of each slot.
    fn defaults(&self) -> Vec<Option<DeviceInput>> {
        self.scheme.slots.iter().map(|slot| Some(slot.default.clone())).collect()
    }

    /// Binds one slot, or unbinds it with `None`, and releases its binding.
    fn bind_one(&mut self, index: u32, input: Option<DeviceInput>) {
        let mut slots = self.slots.clone();
        if let Some(slot) = slots.get_mut(index as usize) {
            *slot = input;
        }
        self.rebind(slots);
    }

    /// Applies a whole mapping. Changed bindings are released; others continue.
    fn rebind(&mut self, slots: Vec<Option<DeviceInput>>) {
        let old = core::mem::replace(&mut self.slots, slots);
        self.collect_controls();
        let new = self.slots.clone();
        self.reset_bindings(|binding| {
            let range = binding.slots.start as usize..binding.slots.end as usize;
            old.get(range.clone()) != new.get(range)
        });
        self.settle(Some(ReleaseCause::Remapped));
    }

    /// Index of the slot, if it may be bound to `input`: no other slot of the same binding has that control.
    fn changeable(&self, action: &str, slot: u32, input: Option<&DeviceInput>) -> Result<u32, RemapError> {
        let index = self.fixed_or_index(action, slot, input)?;
        let Some(input) = input else { return Ok(index) };
        let taken = self.siblings(index).any(|other| {
            other != index && self.slots.get(other as usize).and_then(Option::as_ref) == Some(input)
        });
        if taken {
            return Err(RemapError::Repeated { action: action.to_owned(), slot, input: input.clone() });
        }
        Ok(index)
    }

    /// Index of the slot in the scheme. An error if action or slot is unknown, the binding is fixed, or the
    /// control has no name; other bindings are not considered.
    fn fixed_or_index(
        &self,
        action: &str,
        slot: u32,
        input: Option<&DeviceInput>,
    ) -> Result<u32, RemapError> {
        let scheme = &self.scheme;
        let Some(found) = scheme.action(action).and_then(|id| scheme.actions.get(id.usize())) else {
            let known = scheme.actions.iter().map(|action| action.name.as_str());
            let nearest = nearest(action, known).map(str::to_owned);
            return Err(RemapError::UnknownAction { name: action.to_owned(), nearest });
        };
        let Some(index) = found.slots.get(slot as usize).copied() else {
            let count = found.slots.len() as u32;
            return Err(RemapError::UnknownSlot { action: action.to_owned(), slot, count });
        };
        if !self.binding_of(index).is_some_and(|binding| binding.rebindable) {
            return Err(RemapError::NotRebindable { action: action.to_owned(), slot });
        }
        if input.is_some_and(|input| !input.is_named()) {
            return Err(RemapError::UnnamedInput);
        }
        Ok(index)
    }

    /// Other bindings of the same set that would use `input` as well, if it were bound to the slot at
    /// `index`. Two chords conflict only if all their controls are the same.
    fn conflicts_at(&self, index: u32, input: &DeviceInput) -> Vec<BindingConflict> {
        let scheme = &self.scheme;
        let Some(binding) = self.binding_of(index) else { return Vec::new() };
        let input_at = |slot: u32| {
            if slot == index { Some(input) } else { self.slots.get(slot as usize).and_then(Option::as_ref) }
        };
        let mut conflicts = Vec::new();
        for (action, defined) in scheme.actions().zip(&scheme.actions) {
            for (position, slot) in (0u32..).zip(&defined.slots) {
                let Some(other) = self.binding_of(*slot) else { continue };
                let same_binding = other.slots == binding.slots;
                if same_binding || other.set != binding.set || input_at(*slot) != Some(input) {
                    continue;
                }
                // Of two chords, all controls must be the same.
                let both_chords = other.shape == Shape::Chord && binding.shape == Shape::Chord;
                let among = |from: &Binding, into: &Binding| {
                    from.slots
                        .clone()
                        .all(|slot| into.slots.clone().any(|other| input_at(slot) == input_at(other)))
                };
                if !both_chords || (among(binding, other) && among(other, binding)) {
                    conflicts.push(BindingConflict { action, slot: position });
                }
            }
        }
        conflicts
    }

    /// Whether another slot of the same binding has the same control.
    fn repeats(&self, slots: &[Option<DeviceInput>], index: u32) -> bool {
        let at = |slot: u32| slots.get(slot as usize).and_then(Option::as_ref);
        at(index).is_some() && self.siblings(index).any(|other| other != index && at(other) == at(index))
    }

    fn binding_of(&self, slot: u32) -> Option<&Binding> {
        let slot = self.scheme.slots.get(slot as usize)?;
        self.scheme.bindings.get(slot.binding as usize)
    }

    /// All slots of the binding that a slot belongs to.
    fn siblings(&self, slot: u32) -> impl Iterator<Item = u32> {
        self.binding_of(slot).map_or(0..0, |binding| binding.slots.clone())
    }
}
