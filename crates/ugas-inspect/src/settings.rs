//! How an inspector is set up.

use std::collections::BTreeMap;

use ugas_core::handle::ControllerId;
use ugas_data::Scenario;

/// How an inspector is set up: who may look, what may be done, and how much of the past is kept.
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
    pub(crate) most_moments: usize,
    pub(crate) most_bytes: usize,
    pub(crate) most_connections: usize,
    pub(crate) scenario: Option<Scenario>,
    pub(crate) pack: String,
    pub(crate) names: BTreeMap<ControllerId, String>,
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
            most_moments: 3_600,
            most_bytes: 128 << 20,
            most_connections: 16,
            scenario: None,
            pack: String::new(),
            names: BTreeMap::new(),
        }
    }
}

impl Settings {
    /// What is shown at the top of the page.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = title.into();
        self
    }

    /// Lets the page change the game; see [`Inspector::perform`](crate::Inspector::perform).
    #[must_use]
    pub fn allow_edit(mut self) -> Self {
        self.edit = true;
        self
    }

    /// Leaves the pace to the host, although edits are allowed: a server whose clients have clocks of their own does not stop.
    #[must_use]
    pub fn fixed_pace(mut self) -> Self {
        self.paced = false;
        self
    }

    /// Admits addresses that other machines can reach. Whoever looks needs the token then.
    #[must_use]
    pub fn beyond_loopback(mut self) -> Self {
        self.beyond_loopback = true;
        self
    }

    /// A token that everybody needs, from this machine too. Without it, one is made up where one is needed.
    #[must_use]
    pub fn token(mut self, token: impl Into<String>) -> Self {
        self.token = Some(token.into());
        self
    }

    /// Admits pages of another origin, such as `http://localhost:8000`: an editor that embeds the protocol.
    #[must_use]
    pub fn admit_origin(mut self, origin: impl Into<String>) -> Self {
        self.origins.push(origin.into());
        self
    }

    /// Takes any free port if the one that was asked for is taken.
    #[must_use]
    pub fn or_any_port(mut self) -> Self {
        self.fallback = true;
        self
    }

    /// Keeps the past although nobody watches, so that whoever opens the page finds it. Costs a copy of the state a tick.
    #[must_use]
    pub fn record_always(mut self) -> Self {
        self.always = true;
        self
    }

    /// How much of the past is kept at most: moments, and bytes of their states. The oldest go first.
    #[must_use]
    pub fn window(mut self, moments: usize, bytes: usize) -> Self {
        (self.most_moments, self.most_bytes) = (moments.max(1), bytes);
        self
    }

    /// The scenario that is shown: a moment of it is exported as the scenario up to that moment, if that leads there.
    #[must_use]
    pub fn scenario(mut self, scenario: Scenario) -> Self {
        self.scenario = Some(scenario);
        self
    }

    /// Where the pack of the game is. An exported moment brings its rules along; a remark in it says how to go on under
    /// those of the pack, as they are by then.
    #[must_use]
    pub fn pack(mut self, pack: impl Into<String>) -> Self {
        self.pack = pack.into();
        self
    }

    /// What a controller is called.
    #[must_use]
    pub fn name(mut self, controller: ControllerId, name: impl Into<String>) -> Self {
        self.names.insert(controller, name.into());
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
