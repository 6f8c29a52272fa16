//! The host's handle.

use std::io::{self, Read, Seek};
use std::net::{SocketAddr, TcpListener, ToSocketAddrs};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::JoinHandle;
use std::time::Duration;

use thiserror::Error;
use tokio::sync::{mpsc, oneshot};
use ugas_core::command::{Command, CommandError, Outcome};
use ugas_core::event::Event;
use ugas_core::handle::ControllerId;
use ugas_core::simulation::Simulation;
use ugas_core::time::Time;
use ugas_replay::Player;

use crate::back_room::BackRoom;
use crate::chronicle::Chronicle;
use crate::console::Pace;
use crate::desk::{Desk, Subject};
use crate::doorway::{Doorway, Pass};
use crate::export::Origin;
use crate::mailbox::lock;
use crate::names::Names;
use crate::reel::{Reel, Tape, Window};
use crate::report::ClientReport;
use crate::security::{Gate, encoded, new_token};
use crate::server::{Door, router};
use crate::settings::Settings;
use crate::shared::{Line, Message, Shared};

/// Questions that wait at the desk.
const QUEUE: usize = 64;

/// Why there is no inspector.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The address cannot be listened at.
    #[error("the inspector cannot listen at {address}: {error}")]
    Listen {
        /// The address that was asked for.
        address: String,
        /// What the system says.
        error: io::Error,
    },
    /// Other machines can reach the address.
    #[error(
        "{0} can be reached from other machines: use an address of this one, such as 127.0.0.1, or allow it in the settings"
    )]
    NotLoopback(SocketAddr),
    /// A thread, a run time or a token could not be made.
    #[error("the inspector cannot be started: {0}")]
    Start(#[from] io::Error),
    /// A recording cannot be played.
    #[error("the recording cannot be shown: {0}")]
    Play(String),
}

/// Shows a simulation to whoever opens its page.
///
/// It works on three threads of its own, and ends when it is dropped.
pub struct Inspector {
    shared: Arc<Shared>,
    address: SocketAddr,
    token: Option<String>,
    stop: Option<oneshot::Sender<()>>,
    server: Option<JoinHandle<()>>,
    desk: Option<JoinHandle<()>>,
}

impl Inspector {
    /// Begins to listen, for a game that runs: show it with [`observe`](Self::observe).
    ///
    /// # Errors
    /// If the address cannot be listened at, or is not of this machine alone.
    pub fn serve(address: impl ToSocketAddrs) -> Result<Self, ServeError> {
        Self::serve_with(address, Settings::default())
    }

    /// Begins to listen, for a game that runs.
    ///
    /// # Errors
    /// If the address cannot be listened at, or the settings do not admit it.
    pub fn serve_with(address: impl ToSocketAddrs, settings: Settings) -> Result<Self, ServeError> {
        let window = Window::new(settings.most_moments, settings.most_bytes);
        Self::start(address, settings, Subject::Live(Box::new(window)), Chronicle::default())
    }

    /// Shows a recording, all of it: the page goes to any moment.
    ///
    /// # Errors
    /// If the address cannot be listened at, the settings do not admit it, or the recording cannot be played.
    pub fn recording<R: Read + Seek + Send + 'static>(
        address: impl ToSocketAddrs,
        mut settings: Settings,
        player: Player<R>,
    ) -> Result<Self, ServeError> {
        let names: Vec<(ControllerId, String)> =
            player.recording().names().map(|(id, name)| (id, name.to_owned())).collect();
        settings.names.extend(names);
        let mut tape = Tape::new(player);
        let chronicle = tape.tell(|_, _| ()).map_err(ServeError::Play)?;
        Self::start(address, settings, Subject::Over(Box::new(tape)), chronicle)
    }

    /// Begins to listen for a game that goes on from the end of a recording, which is its past.
    ///
    /// # Errors
    /// If the address cannot be listened at, the settings do not admit it, or the recording cannot be played.
    pub fn continuing<R: Read + Seek + Send + 'static>(
        address: impl ToSocketAddrs,
        mut settings: Settings,
        player: Player<R>,
    ) -> Result<Self, ServeError> {
        let names: Vec<(ControllerId, String)> =
            player.recording().names().map(|(id, name)| (id, name.to_owned())).collect();
        settings.names.extend(names);
        let mut window = Window::new(settings.most_moments, settings.most_bytes);
        let mut tape = Tape::new(player);
        let told = tape.tell(|simulation, work| {
            window.push(&simulation.snapshot(), simulation.config(), Some(work));
        });
        let mut chronicle = told.map_err(ServeError::Play)?;
        chronicle.forget_before(window.first());
        Self::start(address, settings, Subject::Live(Box::new(window)), chronicle)
    }

    /// Shows the simulation as it is now. Call it once a tick, before the events are polled: those that wait in the
    /// simulation are what the timeline shows. Returns at once while nobody watches.
    pub fn observe(&self, simulation: &Simulation) {
        if self.shared.is_watched() {
            self.post(simulation, simulation.pending_events(), None);
        }
    }

    /// The same, with the time that the host worked on the tick.
    pub fn observe_timed(&self, simulation: &Simulation, work: Duration) {
        if self.shared.is_watched() {
            self.post(simulation, simulation.pending_events(), Some(work));
        }
    }

    /// The same for a host that has polled the events already, as a server does that takes them from the network layer:
    /// `events` are those since the last call. Without the time that the host worked, the page has none to show.
    pub fn observe_events<'a>(
        &self,
        simulation: &Simulation,
        events: impl IntoIterator<Item = &'a Event>,
        work: impl Into<Option<Duration>>,
    ) {
        if self.shared.is_watched() {
            self.post(simulation, events.into_iter().cloned(), work.into());
        }
    }

    fn post(&self, simulation: &Simulation, events: impl Iterator<Item = Event>, work: Option<Duration>) {
        self.shared.mailbox.post(simulation, events, work);
        self.shared.posts.fetch_add(1, Ordering::Relaxed);
        // A full queue means that the desk is at work, and it looks into the mailbox before every answer.
        let _ = self.shared.desk.try_send(Message::Frame);
    }

    /// Tells of the clients of a networked game, at the game's time: call it once a tick, or less often. Returns at once
    /// while nobody watches.
    pub fn report_network(&self, time: Time, clients: impl IntoIterator<Item = ClientReport>) {
        if !self.shared.is_watched() {
            return;
        }
        let mut network = lock(&self.shared.network);
        network.take(time, clients);
        let count = network.len();
        drop(network);
        self.shared.head.send_if_modified(|head| {
            let is_other = head.clients != count;
            head.clients = count;
            is_other
        });
    }

    /// Whether somebody watches.
    pub fn is_watched(&self) -> bool {
        self.shared.is_watched()
    }

    /// Tells what a controller is called.
    pub fn name(&self, controller: ControllerId, name: impl Into<String>) {
        lock(&self.shared.names).0.insert(controller, name.into());
    }

    /// Forgets what a controller is called, for hosts in which controllers come and go for days.
    pub fn forget_name(&self, controller: ControllerId) {
        lock(&self.shared.names).0.remove(&controller);
    }

    /// Carries out the changes that were asked for on the page, with `execute`: `|command| simulation.execute(command)`, or
    /// a recorder's `execute`, so that each is written to the recording. Returns how many there were. Without
    /// [`Settings::allow_edit`] there are none.
    pub fn perform(&self, mut execute: impl FnMut(Command) -> Result<Outcome, CommandError>) -> usize {
        for effect in self.shared.take_spent() {
            // The host may have forgotten it already.
            let _ = execute(Command::ForgetEffect(effect));
        }
        let edits = self.shared.take_edits();
        let count = edits.len();
        for edit in edits {
            let mut spent = Vec::new();
            let (text, result) = edit.perform(&mut execute, &mut spent);
            self.shared.leave_spent(spent);
            let time = self.shared.head.borrow().time;
            self.shared.note(Line { time, text, error: result.err() });
        }
        count
    }

    /// Tells where changes are recorded, for whoever makes them; without it, the page says that they are not.
    pub fn set_recording(&self, place: Option<String>) {
        *lock(&self.shared.recording) = place;
        // The page looks at the console again.
        self.shared.head.send_modify(|head| head.console += 1);
    }

    /// How fast the game shall run, as the page says. Steps are taken with [`take_step`](Self::take_step).
    pub fn pace(&self) -> Pace {
        self.shared.pace()
    }

    /// Decides how fast the game runs, for example that it begins paused.
    pub fn set_pace(&self, pace: Pace) {
        self.shared.set_pace(|known| *known = pace);
    }

    /// Takes one of the steps that were asked for while the game stands still; false if there is none.
    pub fn take_step(&self) -> bool {
        self.shared.set_pace(|pace| match pace.steps.checked_sub(1) {
            Some(left) => {
                pace.steps = left;
                true
            }
            None => false,
        })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What to open in a browser, with the token if one is needed.
    pub fn url(&self) -> String {
        match &self.token {
            Some(token) => format!("http://{}/#token={}", self.address, encoded(token)),
            None => format!("http://{}/", self.address),
        }
    }

    fn start(
        address: impl ToSocketAddrs,
        settings: Settings,
        subject: Subject,
        chronicle: Chronicle,
    ) -> Result<Self, ServeError> {
        let listener = listen(address, &settings)?;
        let address = listener.local_addr()?;
        let loopback = address.ip().is_loopback();
        // An empty token would be none, and let in everybody.
        let token = match settings.token.filter(|token| !token.is_empty()) {
            None if !loopback => Some(new_token().map_err(|error| io::Error::other(error.to_string()))?),
            given => given,
        };
        listener.set_nonblocking(true)?;
        let (desk, messages) = mpsc::channel(QUEUE);
        let shared = Arc::new(Shared::new(desk, Names(settings.names), settings.always));
        let origin = Origin { scenario: settings.scenario, pack: settings.pack };
        let worker = Desk {
            subject,
            chronicle,
            back_room: BackRoom::open(origin)?,
            title: settings.title,
            edit: settings.edit,
            paced: settings.paced,
        };
        let gate = Gate { loopback, token: token.clone(), origins: settings.origins };
        let door = Door { shared: Arc::clone(&shared), gate, most_connections: settings.most_connections };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().enable_time().build()?;
        let (stop, stopped) = oneshot::channel();
        let desk_shared = Arc::clone(&shared);
        let desk = std::thread::Builder::new()
            .name("ugas-inspect-desk".to_owned())
            .spawn(move || worker.run(&desk_shared, messages))?;
        let server = std::thread::Builder::new().name("ugas-inspect".to_owned()).spawn(move || {
            runtime.block_on(async {
                let Ok(listener) = tokio::net::TcpListener::from_std(listener) else { return };
                let doorway = Doorway::new(listener, door.most_connections);
                let app = router(Arc::new(door)).into_make_service_with_connect_info::<Pass>();
                tokio::select! {
                    _ = axum::serve(doorway, app) => {}
                    _ = stopped => {}
                }
            });
            // Connections end with their run time.
            drop(runtime);
        })?;
        Ok(Self { shared, address, token, stop: Some(stop), server: Some(server), desk: Some(desk) })
    }
}

impl core::fmt::Debug for Inspector {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        // The token stays out of logs.
        f.debug_struct("Inspector").field("address", &self.address).finish_non_exhaustive()
    }
}

impl Drop for Inspector {
    fn drop(&mut self) {
        if let Some(stop) = self.stop.take() {
            let _ = stop.send(());
        }
        if let Some(server) = self.server.take() {
            let _ = server.join();
        }
        // Nobody else asks now, so there is room soon. Waiting in the channel itself is not for hosts with a run time of
        // their own.
        while let Err(mpsc::error::TrySendError::Full(_)) = self.shared.desk.try_send(Message::Stop) {
            std::thread::sleep(Duration::from_millis(1));
        }
        if let Some(desk) = self.desk.take() {
            let _ = desk.join();
        }
    }
}

fn listen(address: impl ToSocketAddrs, settings: &Settings) -> Result<TcpListener, ServeError> {
    let addresses: Vec<SocketAddr> = address
        .to_socket_addrs()
        .map_err(|error| ServeError::Listen { address: "the address".to_owned(), error })?
        .collect();
    if let Some(public) =
        addresses.iter().find(|address| !address.ip().is_loopback() && !settings.beyond_loopback)
    {
        return Err(ServeError::NotLoopback(*public));
    }
    match TcpListener::bind(&*addresses) {
        Ok(listener) => Ok(listener),
        Err(error) if settings.fallback && error.kind() == io::ErrorKind::AddrInUse => {
            let any: Vec<SocketAddr> =
                addresses.iter().map(|address| SocketAddr::new(address.ip(), 0)).collect();
            TcpListener::bind(&*any).map_err(|error| listen_error(&addresses, error))
        }
        Err(error) => Err(listen_error(&addresses, error)),
    }
}

fn listen_error(addresses: &[SocketAddr], error: io::Error) -> ServeError {
    let address = addresses.first().map_or_else(|| "no address".to_owned(), ToString::to_string);
    ServeError::Listen { address, error }
}
