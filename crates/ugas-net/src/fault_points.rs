//! Fault points: places in server and client that fail on purpose, by a seed, in soak tests.
//!
//! They exist with the feature `fault-points` alone, which is off by default; without it nothing of them is compiled.
//! [`arm`] holds for the calling thread.

#[cfg(feature = "fault-points")]
use std::cell::RefCell;
#[cfg(feature = "fault-points")]
use std::collections::BTreeMap;

#[cfg(feature = "fault-points")]
use ugas_core::random::RandomStream;

/// A place that can fail.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[cfg_attr(not(feature = "fault-points"), allow(unreachable_pub, reason = "public with the feature"))]
pub enum FaultPoint {
    /// The server loses a datagram between its record and its queue.
    ServerSend,
    /// The server loses a datagram before it is decoded.
    ServerReceive,
    /// The server has no room for a session, and refuses it as full.
    NewSession,
    /// The server handles the acknowledgement in a datagram later, by that of the next one.
    LateAcknowledgement,
    /// The server skips the update of a client in a tick.
    SkippedUpdate,
    /// The client loses a datagram between its record and its queue.
    ClientSend,
    /// The client loses a datagram before it is decoded.
    ClientReceive,
}

#[cfg(feature = "fault-points")]
impl FaultPoint {
    /// Name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ServerSend => "point: server send",
            Self::ServerReceive => "point: server receive",
            Self::NewSession => "point: new session",
            Self::LateAcknowledgement => "point: late acknowledgement",
            Self::SkippedUpdate => "point: skipped update",
            Self::ClientSend => "point: client send",
            Self::ClientReceive => "point: client receive",
        }
    }
}

/// Armed fault points of a thread.
#[cfg(feature = "fault-points")]
struct Plan {
    dice: RandomStream,
    chance: f64,
    fired: BTreeMap<FaultPoint, u64>,
}

#[cfg(feature = "fault-points")]
thread_local! {
    static PLAN: RefCell<Option<Plan>> = const { RefCell::new(None) };
}

/// Lets every fault point of this thread fail with a chance from now on.
#[cfg(feature = "fault-points")]
pub fn arm(seed: u64, chance: f64) {
    PLAN.set(Some(Plan { dice: RandomStream::new(seed), chance, fired: BTreeMap::new() }));
}

/// Ends the faults of this thread, and returns how often each point has failed since [`arm`].
#[cfg(feature = "fault-points")]
pub fn disarm() -> BTreeMap<FaultPoint, u64> {
    PLAN.take().map(|plan| plan.fired).unwrap_or_default()
}

/// Whether a point fails this time.
#[cfg(feature = "fault-points")]
pub(crate) fn fails(point: FaultPoint) -> bool {
    PLAN.with_borrow_mut(|plan| {
        let Some(plan) = plan else { return false };
        let fails = plan.dice.chance(plan.chance);
        *plan.fired.entry(point).or_default() += u64::from(fails);
        fails
    })
}

/// Never: the feature is off.
#[cfg(not(feature = "fault-points"))]
#[inline(always)]
pub(crate) const fn fails(_point: FaultPoint) -> bool {
    false
}
