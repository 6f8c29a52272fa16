//! [`Settings`] of an inspector.

use ugas_core::debug::ControllerNames;
use ugas_core::handle::ControllerId;
use ugas_data::Scenario;

/// Settings of an inspector: access, permissions, and the length of the timeline.
#[derive(Clone)]
pub struct Settings {
    pub(crate) title: String,
    pub(crate) edit: bool,
    pub(crate) paced: bool,
    pub(crate) beyond_loopback: bool,
    pub(crate) token: Option<String>,
    pub(crate) origins: Vec<String>,
    pub(crate) fallback: bool,
    pub(crate) always: bool,
    pub(crate) max_moments: usize,
    pub(crate) max_bytes: usize,
    pub(crate) max_connections: usize,
    pub(crate) scenario: Option<Scenario>,
    pub(crate) pack: String,
    pub(crate) names: ControllerNames,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            title: "UGAS".to_owned(),
            edit: false,
            paced: true,
            beyond_loopback: false,
            token: None,
            origins: Vec::new(),
            fallback: false,
            always: false,
            max_moments: 3_600,
            max_bytes: 128 << 20,
            max_connections: 16,
            scenario: None,
            pack: String::new(),
            names: ControllerNames::default(),
        }
    }
}

impl Settings {
    /// Sets the title of the page: the name of the game or the recording.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = title.into();
        self
    }

    /// Allows the page to change the game; see [`Inspector::perform`](crate::Inspector::perform).
    #[must_use]
    pub fn allow_edit(mut self) -> Self {
        self.edit = true;
        self
    }

    /// Forbids changing the pace even if edits are allowed, for a server that must not pause under its
    /// clients.
    #[must_use]
    pub fn fixed_pace(mut self) -> Self {
        self.paced = false;
        self
    }

    /// Allows addresses that other machines can reach. A token is required then.
    #[must_use]
    pub fn beyond_loopback(mut self) -> Self {
        self.beyond_loopback = true;
        self
    }

    /// The token that every connection needs, even from this machine. By default a random one is generated
    /// where one is required.
    #[must_use]
    pub fn token(mut self, token: impl Into<String>) -> Self {
        self.token = Some(token.into());
        self
    }

    /// Admits pages of another origin, such as `http://localhost:8000`, for editors that use the protocol.
    #[must_use]
    pub fn admit_origin(mut self, origin: impl Into<String>) -> Self {
        self.origins.push(origin.into());
        self
    }

    /// Falls back to any free port if the requested one is in use.
    #[must_use]
    pub fn or_any_port(mut self) -> Self {
        self.fallback = true;
        self
    }

    /// Keeps the timeline even while nobody watches, so that a page that connects later has it. Costs a copy
    /// of the state a tick.
    #[must_use]
    pub fn record_always(mut self) -> Self {
        self.always = true;
        self
    }

    /// Limits the timeline: the number of moments, and the bytes of their states. The oldest are dropped
    /// first.
    #[must_use]
    pub fn window(mut self, moments: usize, bytes: usize) -> Self {
        (self.max_moments, self.max_bytes) = (moments.max(1), bytes);
        self
    }

    /// The scenario that is shown. A moment is exported as this scenario up to the moment, if that reproduces
    /// it.
    #[must_use]
    pub fn scenario(mut self, scenario: Scenario) -> Self {
        self.scenario = Some(scenario);
        self
    }

    /// The path of the game's pack. An exported moment includes its rules; a comment in it says how to use
    /// the pack's current rules instead.
    #[must_use]
    pub fn pack(mut self, pack: impl Into<String>) -> Self {
        self.pack = pack.into();
        self
    }

    /// The name of a controller.
    #[must_use]
    pub fn name(mut self, controller: ControllerId, name: impl Into<String>) -> Self {
        self.names.insert(controller, name);
        self
    }
}

impl core::fmt::Debug for Settings {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        // The token stays out of logs.
        f.debug_struct("Settings")
            .field("title", &self.title)
            .field("edit", &self.edit)
            .field("beyond_loopback", &self.beyond_loopback)
            .finish_non_exhaustive()
    }
}
