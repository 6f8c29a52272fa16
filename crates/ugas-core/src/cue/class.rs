//! Cue classes: what is registered for a tag, and the manager's data about it.

/// How long a cue lives (§12.3).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum CueKind {
    /// Triggered once, plays to its end. Adding it executes it; removing it does nothing.
    #[default]
    Burst,
    /// Lasts from being added to being removed. An execution in between goes to its instance.
    Looping,
}

/// A kind of presentation of the host: a particle system, a sound, a script.
///
/// ```
/// use ugas_core::cue::CueClassDef;
///
/// let burning = CueClassDef::looping("FX_Burning").priority(5).max_active(20).pooled(8).full_magnitude(50.0);
/// assert_eq!(burning.name, "FX_Burning");
/// ```
#[derive(Clone, PartialEq, Debug, Default)]
pub struct CueClassDef {
    /// Its name in the host.
    pub name: String,
    /// Lifetime.
    pub kind: CueKind,
    /// Importance; higher evicts lower when the budget is used up.
    pub priority: i32,
    /// Maximum number of instances at the same time; 0 for no limit.
    pub max_active: u32,
    /// Maximum number of unused instances in the pool.
    pub pool: u32,
    /// Number of instances to create as soon as the class is loaded.
    pub prewarm: u32,
    /// The magnitude that is normalised to 1; `None` to use the magnitude itself.
    pub full_magnitude: Option<f64>,
}

impl CueClassDef {
    /// A class that plays once, with a pool of eight.
    pub fn burst(name: impl Into<String>) -> Self {
        Self { name: name.into(), pool: 8, ..Self::default() }
    }

    /// A class that lasts as long as its cue, with a pool of eight.
    pub fn looping(name: impl Into<String>) -> Self {
        Self { kind: CueKind::Looping, ..Self::burst(name) }
    }

    /// Sets its importance.
    #[must_use]
    pub fn priority(mut self, priority: i32) -> Self {
        self.priority = priority;
        self
    }

    /// Sets the maximum number of instances at the same time; 0 for no limit.
    #[must_use]
    pub fn max_active(mut self, most: u32) -> Self {
        self.max_active = most;
        self
    }

    /// Sets the maximum number of unused instances in the pool.
    #[must_use]
    pub fn pooled(mut self, most: u32) -> Self {
        self.pool = most;
        self
    }

    /// Sets the number of instances to create as soon as the class is loaded.
    #[must_use]
    pub fn prewarmed(mut self, count: u32) -> Self {
        self.prewarm = count;
        self
    }

    /// Sets the magnitude that is normalised to 1.
    #[must_use]
    pub fn full_magnitude(mut self, magnitude: f64) -> Self {
        self.full_magnitude = Some(magnitude);
        self
    }

    /// The magnitude normalised to 0 to 1, without its sign.
    pub(super) fn normalise(&self, magnitude: f64) -> f64 {
        let share = match self.full_magnitude {
            Some(full) if full.abs() > 0.0 => (magnitude / full).abs(),
            _ => magnitude.abs(),
        };
        if share.is_nan() { 0.0 } else { share.min(1.0) }
    }
}

/// Id of a class that was registered with a manager.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct CueClassId(pub(super) u32);

impl CueClassId {
    /// Position in the order of registration, for hosts that keep their own table.
    pub fn index(self) -> u32 {
        self.0
    }
}

/// Loading state of a class.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum LoadState {
    /// Not requested yet.
    #[default]
    NotAsked,
    /// The host is loading it.
    Loading,
    /// Ready to play.
    Loaded,
    /// Loading failed.
    Unavailable,
}

/// A class with its instances.
pub(super) struct Class<I> {
    pub(super) def: CueClassDef,
    pub(super) state: LoadState,
    /// Unused instances.
    pub(super) pool: Vec<I>,
    /// Instances in use.
    pub(super) active: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn magnitude_is_normalised_by_the_class() {
        let class = CueClassDef::burst("Hit").full_magnitude(50.0);
        assert_eq!(
            [-25.0, 0.0, 50.0, -99.0].map(|magnitude| class.normalise(magnitude)),
            [0.5, 0.0, 1.0, 1.0]
        );
        assert_eq!(CueClassDef::burst("Hit").normalise(0.25), 0.25);
        assert_eq!(CueClassDef::burst("Hit").full_magnitude(0.0).normalise(3.0), 1.0);
        assert_eq!(class.normalise(f64::NAN), 0.0);
    }
}
