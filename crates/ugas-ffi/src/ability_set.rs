//! Ability sets: abilities, effects and attributes that are granted and revoked together.

use ugas_core::ability::GrantedSet;
use ugas_core::command::{Command, Outcome as CommandOutcome};
use ugas_core::handle::{ActiveEffectId, GrantedAbilityId};
use ugas_core::id::AttributeSetId;

use crate::ability::{granted_of, ugas_granted_ability};
use crate::catalog::ugas_attribute_set;
use crate::effect::{active_of, ugas_active_effect};
use crate::guard::{enter, ugas_context};
use crate::memory::{Memory, Plain, SizePrefixed, ugas_str};
use crate::simulation::{ugas_controller, ugas_simulation};
use crate::status::{Outcome, ugas_status};

/// Abilities, effects and attribute sets that an ability set granted. The lists are valid until the next
/// call: copy them to keep them.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_granted_set {
    /// sizeof(ugas_granted_set).
    pub size: usize,
    /// Granted abilities.
    pub abilities: *const ugas_granted_ability,
    /// Number of entries in `abilities`.
    pub ability_count: usize,
    /// Applied effects, beginning with the one that grants the tags.
    pub effects: *const ugas_active_effect,
    /// Number of entries in `effects`.
    pub effect_count: usize,
    /// Attribute sets that the controller did not have before.
    pub attribute_sets: *const ugas_attribute_set,
    /// Number of entries in `attribute_sets`.
    pub attribute_set_count: usize,
}

// SAFETY: `repr(C)`, numbers and pointers.
unsafe impl Plain for ugas_granted_set {}
// SAFETY: it begins with its size.
unsafe impl SizePrefixed for ugas_granted_set {}

/// Storage behind the lists of the last returned [`ugas_granted_set`].
#[derive(Default)]
pub(crate) struct GrantedLists {
    abilities: Vec<ugas_granted_ability>,
    effects: Vec<ugas_active_effect>,
    attribute_sets: Vec<ugas_attribute_set>,
}

impl GrantedLists {
    fn new(granted: &GrantedSet) -> Self {
        Self {
            abilities: granted.abilities.iter().map(|ability| ability.to_bits().get()).collect(),
            effects: granted.effects.iter().map(|active| active.to_bits().get()).collect(),
            attribute_sets: granted.attribute_sets.iter().map(|set| set.index()).collect(),
        }
    }

    fn to_c(&self) -> ugas_granted_set {
        ugas_granted_set {
            size: size_of::<ugas_granted_set>(),
            abilities: self.abilities.as_ptr(),
            ability_count: self.abilities.len(),
            effects: self.effects.as_ptr(),
            effect_count: self.effects.len(),
            attribute_sets: self.attribute_sets.as_ptr(),
            attribute_set_count: self.attribute_sets.len(),
        }
    }
}

/// Grants the named ability set to a controller, all or nothing. `out` gets what was granted.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_ability_set_grant(
    context: *mut ugas_context,
    simulation: ugas_simulation,
    controller: ugas_controller,
    name: ugas_str,
    out: *mut ugas_granted_set,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let out = memory.out_sized(out)?;
        let set = memory.text(name)?.to_owned();
        let entry = context.simulation_mut(simulation)?;
        let controller = entry.controller(controller)?;
        if let CommandOutcome::GrantedSet(granted) = entry.execute(Command::GrantSet { controller, set })? {
            context.granted = GrantedLists::new(&granted);
            out.set(context.granted.to_c());
        }
        Ok(())
    })
}

/// Revokes what an ability set granted, as far as the controller still has it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_ability_set_revoke(
    context: *mut ugas_context,
    simulation: ugas_simulation,
    controller: ugas_controller,
    granted: *const ugas_granted_set,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let granted = Box::new(set_of(&memory.input(granted)?, memory)?);
        let entry = context.simulation_mut(simulation)?;
        let controller = entry.controller(controller)?;
        entry.execute(Command::RevokeSet { controller, granted }).map(drop)
    })
}

fn set_of(given: &ugas_granted_set, memory: Memory<'_>) -> Outcome<GrantedSet> {
    let abilities = memory.list(given.abilities, given.ability_count)?.iter();
    let effects = memory.list(given.effects, given.effect_count)?.iter();
    let sets = memory.list(given.attribute_sets, given.attribute_set_count)?.iter();
    Ok(GrantedSet {
        abilities: abilities.map(|&bits| granted_of(bits)).collect::<Outcome<Vec<GrantedAbilityId>>>()?,
        effects: effects.map(|&bits| active_of(bits)).collect::<Outcome<Vec<ActiveEffectId>>>()?,
        attribute_sets: sets.map(|&set| AttributeSetId::from_index(set)).collect(),
    })
}
