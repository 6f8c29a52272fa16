//! Events of hand-written systems: the contents of ours, with numbers of their own instead of ids.

/// Absent number of an effect, a unit or an ability.
pub(crate) const NONE: u32 = u32::MAX;

/// An event with its cause.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Event {
    pub(crate) sequence: u64,
    /// Microseconds since the start.
    pub(crate) time: u64,
    pub(crate) cause: Cause,
    pub(crate) kind: Kind,
}

/// The call or timer that led to an event, and the effect and ability in between. Numbers are [`NONE`] if
/// they are absent.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Cause {
    pub(crate) operation: u64,
    pub(crate) effect: u32,
    /// Handle of the active effect; 0 if there is none.
    pub(crate) active: u64,
    pub(crate) source: u32,
    pub(crate) ability: u32,
}

/// Kind of an event, with its data.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Kind {
    Spawned {
        unit: u32,
    },
    Despawned {
        unit: u32,
    },
    Executed {
        effect: u32,
        active: u64,
        target: u32,
    },
    Applied {
        effect: u32,
        active: u64,
        target: u32,
    },
    /// `expired` is false if it was removed early.
    Removed {
        effect: u32,
        active: u64,
        target: u32,
        expired: bool,
    },
    Changed {
        unit: u32,
        attribute: u32,
        old_base: f64,
        new_base: f64,
        old: f64,
        new: f64,
    },
    TagAdded {
        unit: u32,
        tag: u32,
    },
    TagRemoved {
        unit: u32,
        tag: u32,
    },
    Activated {
        unit: u32,
        ability: u32,
        activation: u64,
    },
    Committed {
        unit: u32,
        ability: u32,
        activation: u64,
    },
    Ended {
        unit: u32,
        ability: u32,
        activation: u64,
    },
    /// Duration in microseconds.
    CooldownBegan {
        unit: u32,
        ability: u32,
        duration: u64,
    },
    CooldownEnded {
        unit: u32,
        ability: u32,
    },
    /// Reasons: a missing tag, a blocking tag, tag and microseconds of a cooldown, and attribute and value after
    /// a cost that is too high.
    Refused {
        unit: u32,
        ability: u32,
        missing: Option<u32>,
        blocked: Option<u32>,
        cooldown: Option<(u32, u64)>,
        cost: Option<(u32, f64)>,
    },
}

impl Event {
    /// The event without handles, which every system allocates in its own way, and with sequence and
    /// operation counted from those of `first`.
    fn comparable(mut self, first: &Self) -> Self {
        self.sequence -= first.sequence;
        self.cause.operation -= first.cause.operation;
        self.cause.active = u64::from(self.cause.active != 0);
        match &mut self.kind {
            Kind::Executed { active, .. } | Kind::Applied { active, .. } | Kind::Removed { active, .. } => {
                *active = u64::from(*active != 0);
            }
            Kind::Activated { activation, .. }
            | Kind::Committed { activation, .. }
            | Kind::Ended { activation, .. } => *activation = u64::from(*activation != 0),
            Kind::Spawned { .. }
            | Kind::Despawned { .. }
            | Kind::Changed { .. }
            | Kind::TagAdded { .. }
            | Kind::TagRemoved { .. }
            | Kind::CooldownBegan { .. }
            | Kind::CooldownEnded { .. }
            | Kind::Refused { .. } => {}
        }
        self
    }
}

/// Checks that two systems raised the same events, in the same order, with the same values and causes.
pub(crate) fn assert_same_events(name: &str, ours: &[Event], others: &[Event]) {
    let comparable = |events: &[Event]| -> Vec<Event> {
        events.iter().map(|event| event.comparable(&events[0])).collect()
    };
    let (ours, others) = (comparable(ours), comparable(others));
    let differs = ours.iter().zip(&others).position(|(one, other)| one != other);
    if let Some(at) = differs {
        panic!("{name}: event {at} differs:\nours:   {:?}\nby hand: {:?}", ours[at], others[at]);
    }
    assert_eq!(ours.len(), others.len(), "{name}: the number of events differs");
}

/// A queue of events that shares time and cause with its writers.
#[derive(Clone)]
pub(crate) struct Log {
    pub(crate) events: Vec<Event>,
    pub(crate) now: u64,
    pub(crate) cause: Cause,
    sequence: u64,
}

impl Log {
    pub(crate) fn new() -> Self {
        let cause = Cause { operation: 0, effect: NONE, active: 0, source: NONE, ability: NONE };
        Self { events: Vec::with_capacity(1 << 12), now: 0, cause, sequence: 0 }
    }

    /// Begins an operation without an effect.
    #[inline]
    pub(crate) fn begin(&mut self) {
        let operation = self.cause.operation + 1;
        self.cause = Cause { operation, effect: NONE, active: 0, source: NONE, ability: NONE };
    }

    #[inline]
    pub(crate) fn push(&mut self, kind: Kind) {
        self.events.push(Event { sequence: self.sequence, time: self.now, cause: self.cause, kind });
        self.sequence += 1;
    }

    /// Visits and removes all events; returns their number.
    pub(crate) fn drain(&mut self) -> usize {
        let count = self.events.len();
        for event in self.events.drain(..) {
            std::hint::black_box(&event);
        }
        count
    }
}
