// Names of the pack `spells`, made by `ugas generate --rust`. Do not edit.
// Catalog hash: 817acabd50668098

/// Attributes as types.
#[rustfmt::skip]
#[allow(dead_code, unreachable_pub, nonstandard_style, clippy::all, clippy::pedantic, clippy::restriction, reason = "generated")]
pub mod attributes {
    /// "Health"
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
    pub struct Health;
    impl ugas::AttributeName for Health {
        const NAME: &'static str = super::names::attributes::HEALTH;
    }
    /// "Mana"
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
    pub struct Mana;
    impl ugas::AttributeName for Mana {
        const NAME: &'static str = super::names::attributes::MANA;
    }
    /// "MaxHealth"
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
    pub struct MaxHealth;
    impl ugas::AttributeName for MaxHealth {
        const NAME: &'static str = super::names::attributes::MAX_HEALTH;
    }
    /// "MaxMana"
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
    pub struct MaxMana;
    impl ugas::AttributeName for MaxMana {
        const NAME: &'static str = super::names::attributes::MAX_MANA;
    }
}

/// Tags as types.
#[rustfmt::skip]
#[allow(dead_code, unreachable_pub, nonstandard_style, clippy::all, clippy::pedantic, clippy::restriction, reason = "generated")]
pub mod tags {
    /// "Ability"
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
    pub struct Ability;
    impl ugas::TagName for Ability {
        const NAME: &'static str = super::names::tags::ABILITY;
    }
    /// "Ability.Element"
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
    pub struct AbilityElement;
    impl ugas::TagName for AbilityElement {
        const NAME: &'static str = super::names::tags::ABILITY_ELEMENT;
    }
    /// "Ability.Element.Fire"
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
    pub struct AbilityElementFire;
    impl ugas::TagName for AbilityElementFire {
        const NAME: &'static str = super::names::tags::ABILITY_ELEMENT_FIRE;
    }
    /// "Ability.Type"
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
    pub struct AbilityType;
    impl ugas::TagName for AbilityType {
        const NAME: &'static str = super::names::tags::ABILITY_TYPE;
    }
    /// "Ability.Type.Spell"
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
    pub struct AbilityTypeSpell;
    impl ugas::TagName for AbilityTypeSpell {
        const NAME: &'static str = super::names::tags::ABILITY_TYPE_SPELL;
    }
    /// "Cooldown"
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
    pub struct Cooldown;
    impl ugas::TagName for Cooldown {
        const NAME: &'static str = super::names::tags::COOLDOWN;
    }
    /// "Cooldown.Ability"
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
    pub struct CooldownAbility;
    impl ugas::TagName for CooldownAbility {
        const NAME: &'static str = super::names::tags::COOLDOWN_ABILITY;
    }
    /// "Cooldown.Ability.Fireball"
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
    pub struct CooldownAbilityFireball;
    impl ugas::TagName for CooldownAbilityFireball {
        const NAME: &'static str = super::names::tags::COOLDOWN_ABILITY_FIREBALL;
    }
    /// "Event"
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
    pub struct Event;
    impl ugas::TagName for Event {
        const NAME: &'static str = super::names::tags::EVENT;
    }
    /// "Event.Projectile"
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
    pub struct EventProjectile;
    impl ugas::TagName for EventProjectile {
        const NAME: &'static str = super::names::tags::EVENT_PROJECTILE;
    }
    /// "Event.Projectile.Hit"
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
    pub struct EventProjectileHit;
    impl ugas::TagName for EventProjectileHit {
        const NAME: &'static str = super::names::tags::EVENT_PROJECTILE_HIT;
    }
    /// "Gameplay"
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
    pub struct Gameplay;
    impl ugas::TagName for Gameplay {
        const NAME: &'static str = super::names::tags::GAMEPLAY;
    }
    /// "Gameplay.Effect"
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
    pub struct GameplayEffect;
    impl ugas::TagName for GameplayEffect {
        const NAME: &'static str = super::names::tags::GAMEPLAY_EFFECT;
    }
    /// "Gameplay.Effect.AuthoritativeOnly"
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
    pub struct GameplayEffectAuthoritativeOnly;
    impl ugas::TagName for GameplayEffectAuthoritativeOnly {
        const NAME: &'static str = super::names::tags::GAMEPLAY_EFFECT_AUTHORITATIVE_ONLY;
    }
    /// "GameplayCue"
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
    pub struct GameplayCue;
    impl ugas::TagName for GameplayCue {
        const NAME: &'static str = super::names::tags::GAMEPLAY_CUE;
    }
    /// "State"
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
    pub struct State;
    impl ugas::TagName for State {
        const NAME: &'static str = super::names::tags::STATE;
    }
    /// "State.Casting"
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
    pub struct StateCasting;
    impl ugas::TagName for StateCasting {
        const NAME: &'static str = super::names::tags::STATE_CASTING;
    }
    /// "State.Silenced"
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
    pub struct StateSilenced;
    impl ugas::TagName for StateSilenced {
        const NAME: &'static str = super::names::tags::STATE_SILENCED;
    }
    /// "State.Stunned"
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
    pub struct StateStunned;
    impl ugas::TagName for StateStunned {
        const NAME: &'static str = super::names::tags::STATE_STUNNED;
    }
}

/// Cues as types.
#[rustfmt::skip]
#[allow(dead_code, unreachable_pub, nonstandard_style, clippy::all, clippy::pedantic, clippy::restriction, reason = "generated")]
pub mod cues {
    /// "GameplayCue.Ability"
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
    pub struct Ability;
    impl ugas::TagName for Ability {
        const NAME: &'static str = super::names::cues::ABILITY;
    }
    /// "GameplayCue.Ability.Casting"
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
    pub struct AbilityCasting;
    impl ugas::TagName for AbilityCasting {
        const NAME: &'static str = super::names::cues::ABILITY_CASTING;
    }
    /// "GameplayCue.Ability.Interrupted"
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
    pub struct AbilityInterrupted;
    impl ugas::TagName for AbilityInterrupted {
        const NAME: &'static str = super::names::cues::ABILITY_INTERRUPTED;
    }
    /// "GameplayCue.Impact"
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
    pub struct Impact;
    impl ugas::TagName for Impact {
        const NAME: &'static str = super::names::cues::IMPACT;
    }
    /// "GameplayCue.Impact.Fire"
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
    pub struct ImpactFire;
    impl ugas::TagName for ImpactFire {
        const NAME: &'static str = super::names::cues::IMPACT_FIRE;
    }
}

/// Effects as types.
#[rustfmt::skip]
#[allow(dead_code, unreachable_pub, nonstandard_style, clippy::all, clippy::pedantic, clippy::restriction, reason = "generated")]
pub mod effects {
    /// "GE_FireballDamage"
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
    pub struct GEFireballDamage;
    impl ugas::EffectName for GEFireballDamage {
        const NAME: &'static str = super::names::effects::GE_FIREBALL_DAMAGE;
    }
    /// "GE_Fireball_Cooldown"
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
    pub struct GEFireballCooldown;
    impl ugas::EffectName for GEFireballCooldown {
        const NAME: &'static str = super::names::effects::GE_FIREBALL_COOLDOWN;
    }
    /// "GE_Fireball_Cost"
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
    pub struct GEFireballCost;
    impl ugas::EffectName for GEFireballCost {
        const NAME: &'static str = super::names::effects::GE_FIREBALL_COST;
    }
    /// "GE_Silence"
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
    pub struct GESilence;
    impl ugas::EffectName for GESilence {
        const NAME: &'static str = super::names::effects::GE_SILENCE;
    }
    /// "GE_Stun"
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
    pub struct GEStun;
    impl ugas::EffectName for GEStun {
        const NAME: &'static str = super::names::effects::GE_STUN;
    }
}

/// Abilities as types.
#[rustfmt::skip]
#[allow(dead_code, unreachable_pub, nonstandard_style, clippy::all, clippy::pedantic, clippy::restriction, reason = "generated")]
pub mod abilities {
    /// "GA_Fireball"
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
    pub struct GAFireball;
    impl ugas::AbilityName for GAFireball {
        const NAME: &'static str = super::names::abilities::GA_FIREBALL;
    }
    /// "GA_FireballImpact"
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
    pub struct GAFireballImpact;
    impl ugas::AbilityName for GAFireballImpact {
        const NAME: &'static str = super::names::abilities::GA_FIREBALL_IMPACT;
    }
}

/// Names as constants.
#[rustfmt::skip]
#[allow(dead_code, unreachable_pub, nonstandard_style, clippy::all, clippy::pedantic, clippy::restriction, reason = "generated")]
pub mod names {
    /// Attributes.
    pub mod attributes {
        /// "Health"
        pub const HEALTH: &str = "Health";
        /// "Mana"
        pub const MANA: &str = "Mana";
        /// "MaxHealth"
        pub const MAX_HEALTH: &str = "MaxHealth";
        /// "MaxMana"
        pub const MAX_MANA: &str = "MaxMana";
    }
    /// Tags.
    pub mod tags {
        /// "Ability"
        pub const ABILITY: &str = "Ability";
        /// "Ability.Element"
        pub const ABILITY_ELEMENT: &str = "Ability.Element";
        /// "Ability.Element.Fire"
        pub const ABILITY_ELEMENT_FIRE: &str = "Ability.Element.Fire";
        /// "Ability.Type"
        pub const ABILITY_TYPE: &str = "Ability.Type";
        /// "Ability.Type.Spell"
        pub const ABILITY_TYPE_SPELL: &str = "Ability.Type.Spell";
        /// "Cooldown"
        pub const COOLDOWN: &str = "Cooldown";
        /// "Cooldown.Ability"
        pub const COOLDOWN_ABILITY: &str = "Cooldown.Ability";
        /// "Cooldown.Ability.Fireball"
        pub const COOLDOWN_ABILITY_FIREBALL: &str = "Cooldown.Ability.Fireball";
        /// "Event"
        pub const EVENT: &str = "Event";
        /// "Event.Projectile"
        pub const EVENT_PROJECTILE: &str = "Event.Projectile";
        /// "Event.Projectile.Hit"
        pub const EVENT_PROJECTILE_HIT: &str = "Event.Projectile.Hit";
        /// "Gameplay"
        pub const GAMEPLAY: &str = "Gameplay";
        /// "Gameplay.Effect"
        pub const GAMEPLAY_EFFECT: &str = "Gameplay.Effect";
        /// "Gameplay.Effect.AuthoritativeOnly"
        pub const GAMEPLAY_EFFECT_AUTHORITATIVE_ONLY: &str = "Gameplay.Effect.AuthoritativeOnly";
        /// "GameplayCue"
        pub const GAMEPLAY_CUE: &str = "GameplayCue";
        /// "State"
        pub const STATE: &str = "State";
        /// "State.Casting"
        pub const STATE_CASTING: &str = "State.Casting";
        /// "State.Silenced"
        pub const STATE_SILENCED: &str = "State.Silenced";
        /// "State.Stunned"
        pub const STATE_STUNNED: &str = "State.Stunned";
    }
    /// Cues.
    pub mod cues {
        /// "GameplayCue.Ability"
        pub const ABILITY: &str = "GameplayCue.Ability";
        /// "GameplayCue.Ability.Casting"
        pub const ABILITY_CASTING: &str = "GameplayCue.Ability.Casting";
        /// "GameplayCue.Ability.Interrupted"
        pub const ABILITY_INTERRUPTED: &str = "GameplayCue.Ability.Interrupted";
        /// "GameplayCue.Impact"
        pub const IMPACT: &str = "GameplayCue.Impact";
        /// "GameplayCue.Impact.Fire"
        pub const IMPACT_FIRE: &str = "GameplayCue.Impact.Fire";
    }
    /// Effects.
    pub mod effects {
        /// "GE_FireballDamage"
        pub const GE_FIREBALL_DAMAGE: &str = "GE_FireballDamage";
        /// "GE_Fireball_Cooldown"
        pub const GE_FIREBALL_COOLDOWN: &str = "GE_Fireball_Cooldown";
        /// "GE_Fireball_Cost"
        pub const GE_FIREBALL_COST: &str = "GE_Fireball_Cost";
        /// "GE_Silence"
        pub const GE_SILENCE: &str = "GE_Silence";
        /// "GE_Stun"
        pub const GE_STUN: &str = "GE_Stun";
    }
    /// Abilities.
    pub mod abilities {
        /// "GA_Fireball"
        pub const GA_FIREBALL: &str = "GA_Fireball";
        /// "GA_FireballImpact"
        pub const GA_FIREBALL_IMPACT: &str = "GA_FireballImpact";
    }
    /// Templates.
    pub mod templates {
        /// "Mage"
        pub const MAGE: &str = "Mage";
        /// "Ogre"
        pub const OGRE: &str = "Ogre";
    }
    /// Parameters.
    pub mod parameters {
    }
}

/// Ids by kind.
#[rustfmt::skip]
#[allow(dead_code, unreachable_pub, nonstandard_style, clippy::all, clippy::pedantic, clippy::restriction, reason = "generated")]
pub mod ids {
    /// Attributes.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub struct Attributes {
        /// "Health"
        pub health: ugas::AttributeId,
        /// "Mana"
        pub mana: ugas::AttributeId,
        /// "MaxHealth"
        pub max_health: ugas::AttributeId,
        /// "MaxMana"
        pub max_mana: ugas::AttributeId,
    }
    impl Attributes {
        pub(super) fn resolve(catalog: &ugas::Catalog) -> Result<Self, ugas::UnknownName> {
            Ok(Self {
                health: catalog.attribute(super::names::attributes::HEALTH)?,
                mana: catalog.attribute(super::names::attributes::MANA)?,
                max_health: catalog.attribute(super::names::attributes::MAX_HEALTH)?,
                max_mana: catalog.attribute(super::names::attributes::MAX_MANA)?,
            })
        }
    }
    /// Tags.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub struct Tags {
        /// "Ability"
        pub ability: ugas::TagId,
        /// "Ability.Element"
        pub ability_element: ugas::TagId,
        /// "Ability.Element.Fire"
        pub ability_element_fire: ugas::TagId,
        /// "Ability.Type"
        pub ability_type: ugas::TagId,
        /// "Ability.Type.Spell"
        pub ability_type_spell: ugas::TagId,
        /// "Cooldown"
        pub cooldown: ugas::TagId,
        /// "Cooldown.Ability"
        pub cooldown_ability: ugas::TagId,
        /// "Cooldown.Ability.Fireball"
        pub cooldown_ability_fireball: ugas::TagId,
        /// "Event"
        pub event: ugas::TagId,
        /// "Event.Projectile"
        pub event_projectile: ugas::TagId,
        /// "Event.Projectile.Hit"
        pub event_projectile_hit: ugas::TagId,
        /// "Gameplay"
        pub gameplay: ugas::TagId,
        /// "Gameplay.Effect"
        pub gameplay_effect: ugas::TagId,
        /// "Gameplay.Effect.AuthoritativeOnly"
        pub gameplay_effect_authoritative_only: ugas::TagId,
        /// "GameplayCue"
        pub gameplay_cue: ugas::TagId,
        /// "State"
        pub state: ugas::TagId,
        /// "State.Casting"
        pub state_casting: ugas::TagId,
        /// "State.Silenced"
        pub state_silenced: ugas::TagId,
        /// "State.Stunned"
        pub state_stunned: ugas::TagId,
    }
    impl Tags {
        pub(super) fn resolve(catalog: &ugas::Catalog) -> Result<Self, ugas::UnknownName> {
            Ok(Self {
                ability: catalog.tag(super::names::tags::ABILITY)?,
                ability_element: catalog.tag(super::names::tags::ABILITY_ELEMENT)?,
                ability_element_fire: catalog.tag(super::names::tags::ABILITY_ELEMENT_FIRE)?,
                ability_type: catalog.tag(super::names::tags::ABILITY_TYPE)?,
                ability_type_spell: catalog.tag(super::names::tags::ABILITY_TYPE_SPELL)?,
                cooldown: catalog.tag(super::names::tags::COOLDOWN)?,
                cooldown_ability: catalog.tag(super::names::tags::COOLDOWN_ABILITY)?,
                cooldown_ability_fireball: catalog.tag(super::names::tags::COOLDOWN_ABILITY_FIREBALL)?,
                event: catalog.tag(super::names::tags::EVENT)?,
                event_projectile: catalog.tag(super::names::tags::EVENT_PROJECTILE)?,
                event_projectile_hit: catalog.tag(super::names::tags::EVENT_PROJECTILE_HIT)?,
                gameplay: catalog.tag(super::names::tags::GAMEPLAY)?,
                gameplay_effect: catalog.tag(super::names::tags::GAMEPLAY_EFFECT)?,
                gameplay_effect_authoritative_only: catalog.tag(super::names::tags::GAMEPLAY_EFFECT_AUTHORITATIVE_ONLY)?,
                gameplay_cue: catalog.tag(super::names::tags::GAMEPLAY_CUE)?,
                state: catalog.tag(super::names::tags::STATE)?,
                state_casting: catalog.tag(super::names::tags::STATE_CASTING)?,
                state_silenced: catalog.tag(super::names::tags::STATE_SILENCED)?,
                state_stunned: catalog.tag(super::names::tags::STATE_STUNNED)?,
            })
        }
    }
    /// Cues.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub struct Cues {
        /// "GameplayCue.Ability"
        pub ability: ugas::TagId,
        /// "GameplayCue.Ability.Casting"
        pub ability_casting: ugas::TagId,
        /// "GameplayCue.Ability.Interrupted"
        pub ability_interrupted: ugas::TagId,
        /// "GameplayCue.Impact"
        pub impact: ugas::TagId,
        /// "GameplayCue.Impact.Fire"
        pub impact_fire: ugas::TagId,
    }
    impl Cues {
        pub(super) fn resolve(catalog: &ugas::Catalog) -> Result<Self, ugas::UnknownName> {
            Ok(Self {
                ability: catalog.tag(super::names::cues::ABILITY)?,
                ability_casting: catalog.tag(super::names::cues::ABILITY_CASTING)?,
                ability_interrupted: catalog.tag(super::names::cues::ABILITY_INTERRUPTED)?,
                impact: catalog.tag(super::names::cues::IMPACT)?,
                impact_fire: catalog.tag(super::names::cues::IMPACT_FIRE)?,
            })
        }
    }
    /// Effects.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub struct Effects {
        /// "GE_FireballDamage"
        pub ge_fireball_damage: ugas::EffectId,
        /// "GE_Fireball_Cooldown"
        pub ge_fireball_cooldown: ugas::EffectId,
        /// "GE_Fireball_Cost"
        pub ge_fireball_cost: ugas::EffectId,
        /// "GE_Silence"
        pub ge_silence: ugas::EffectId,
        /// "GE_Stun"
        pub ge_stun: ugas::EffectId,
    }
    impl Effects {
        pub(super) fn resolve(catalog: &ugas::Catalog) -> Result<Self, ugas::UnknownName> {
            Ok(Self {
                ge_fireball_damage: catalog.effect(super::names::effects::GE_FIREBALL_DAMAGE)?,
                ge_fireball_cooldown: catalog.effect(super::names::effects::GE_FIREBALL_COOLDOWN)?,
                ge_fireball_cost: catalog.effect(super::names::effects::GE_FIREBALL_COST)?,
                ge_silence: catalog.effect(super::names::effects::GE_SILENCE)?,
                ge_stun: catalog.effect(super::names::effects::GE_STUN)?,
            })
        }
    }
    /// Abilities.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub struct Abilities {
        /// "GA_Fireball"
        pub ga_fireball: ugas::AbilityId,
        /// "GA_FireballImpact"
        pub ga_fireball_impact: ugas::AbilityId,
    }
    impl Abilities {
        pub(super) fn resolve(catalog: &ugas::Catalog) -> Result<Self, ugas::UnknownName> {
            Ok(Self {
                ga_fireball: catalog.ability(super::names::abilities::GA_FIREBALL)?,
                ga_fireball_impact: catalog.ability(super::names::abilities::GA_FIREBALL_IMPACT)?,
            })
        }
    }
    /// Templates.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub struct Templates {
        /// "Mage"
        pub mage: ugas::TemplateId,
        /// "Ogre"
        pub ogre: ugas::TemplateId,
    }
    impl Templates {
        pub(super) fn resolve(catalog: &ugas::Catalog) -> Result<Self, ugas::UnknownName> {
            Ok(Self {
                mage: catalog.template(super::names::templates::MAGE)?,
                ogre: catalog.template(super::names::templates::OGRE)?,
            })
        }
    }
}

/// Ids of all names in one catalog. Resolve them once for each catalog: after a hot reload they may differ.
#[rustfmt::skip]
#[allow(dead_code, unreachable_pub, nonstandard_style, clippy::all, clippy::pedantic, clippy::restriction, reason = "generated")]
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ids {
    /// Attributes.
    pub attributes: ids::Attributes,
    /// Tags.
    pub tags: ids::Tags,
    /// Cues.
    pub cues: ids::Cues,
    /// Effects.
    pub effects: ids::Effects,
    /// Abilities.
    pub abilities: ids::Abilities,
    /// Templates.
    pub templates: ids::Templates,
}

#[rustfmt::skip]
#[allow(dead_code, unreachable_pub, nonstandard_style, clippy::all, clippy::pedantic, clippy::restriction, reason = "generated")]
impl Ids {
    /// Looks up all names.
    ///
    /// # Errors
    /// If the catalog lacks one of them: it is another pack, or this file is stale.
    pub fn resolve(catalog: &ugas::Catalog) -> Result<Self, ugas::UnknownName> {
        Ok(Self {
            attributes: ids::Attributes::resolve(catalog)?,
            tags: ids::Tags::resolve(catalog)?,
            cues: ids::Cues::resolve(catalog)?,
            effects: ids::Effects::resolve(catalog)?,
            abilities: ids::Abilities::resolve(catalog)?,
            templates: ids::Templates::resolve(catalog)?,
        })
    }
}
