//! Classes of cues: what is registered for a tag, and what the manager keeps of each.

/// How long a cue lives (§12.3).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum CueKind {
    /// Triggered once, plays to its end. If it is added, it is played as if it were executed; to end it does nothing.
    #[default]
    Burst,
    /// Lasts from being added to being removed. If it is executed in between, the instance that is there hears of it.
    Looping,
}

/// A kind of presentation that the host has: a particle system, a sound, a script.
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
    /// How long it lives.
    pub kind: CueKind,
    /// The more, the more important. What is more important takes the place of what is less, if places are short.
    pub priority: i32,
    /// The most instances at the same time; 0 is no limit.
    pub max_active: u32,
    /// The most unused instances that are kept for the next time.
    pub pool: u32,
    /// Instances that are created as soon as the class is loaded.
    pub prewarm: u32,
    /// The magnitude that counts as full: what is shown as 1. Without it the magnitude itself is taken.
    pub full_magnitude: Option<f64>,
}

impl CueClassDef {
    /// A class that plays once. Eight unused instances are kept.
    pub fn burst(name: impl Into<String>) -> Self {
        Self { name: name.into(), pool: 8, ..Self::default() }
    }

    /// A class that lasts as long as its cue. Eight unused instances are kept.
    pub fn looping(name: impl Into<String>) -> Self {
        Self { kind: CueKind::Looping, ..Self::burst(name) }
    }

    /// Sets how important it is.
    #[must_use]
    pub fn priority(mut self, priority: i32) -> Self {
        self.priority = priority;
        self
    }

    /// Sets the most instances at the same time; 0 is no limit.
    #[must_use]
    pub fn max_active(mut self, most: u32) -> Self {
        self.max_active = most;
        self
    }

    /// Sets how many unused instances are kept.
    #[must_use]
    pub fn pooled(mut self, most: u32) -> Self {
        self.pool = most;
        self
    }

    /// Sets how many instances are created as soon as the class is loaded.
    #[must_use]
    pub fn prewarmed(mut self, count: u32) -> Self {
        self.prewarm = count;
        self
    }

    /// Sets the magnitude that is shown as 1.
    #[must_use]
    pub fn full_magnitude(mut self, magnitude: f64) -> Self {
        self.full_magnitude = Some(magnitude);
        self
    }

    /// The magnitude from 0 to 1, without its sign.
    pub(super) fn normalise(&self, magnitude: f64) -> f64 {
        let share = match self.full_magnitude {
            Some(full) if full.abs() > 0.0 => (magnitude / full).abs(),
            _ => magnitude.abs(),
        };
        if share.is_nan() { 0.0 } else { share.min(1.0) }
    }
}

/// A class that was registered with a manager.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct CueClassId(pub(super) u32);

impl CueClassId {
    /// Position in the order of registration, for hosts that keep their own table.
    pub fn index(self) -> u32 {
        self.0
    }
}

/// How far the loading of a class is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum LoadState {
    /// Nobody needed it yet.
    #[default]
    NotAsked,
    /// The host is at it.
    Loading,
    /// It can be played.
    Loaded,
    /// It cannot be had.
    Unavailable,
}

/// A class and what is kept of it.
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
    fn magnitudes_are_measured_by_the_class() {
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
