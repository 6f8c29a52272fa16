//! [`Inspector`]: the host's handle of a running inspector.

use std::io::{self, Read, Seek};
use std::net::{SocketAddr, TcpListener, ToSocketAddrs};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::JoinHandle;
use std::time::Duration;

use thiserror::Error;
use tokio::sync::{mpsc, oneshot};
use ugas_core::command::{Command, CommandError, Outcome};
use ugas_core::event::{Event, EventRef};
use ugas_core::handle::ControllerId;
use ugas_core::simulation::Simulation;
use ugas_core::time::Time;
use ugas_replay::Player;

use crate::console::Pace;
use crate::event_log::EventLog;
use crate::export::ExportSource;
use crate::job_thread::JobThread;
use crate::listener::{LimitedListener, WatcherFlag};
use crate::mailbox::lock;
use crate::report::ClientReport;
use crate::security::{AccessPolicy, encoded, new_token};
use crate::server::{ServerState, router};
use crate::settings::Settings;
use crate::shared::{ConsoleLine, Message, Shared};
use crate::timeline::{LiveTimeline, RecordedTimeline, Timeline};
use crate::worker::{Subject, Worker};

/// Maximum number of messages that wait for the worker.
const QUEUE: usize = 64;

/// Why an inspector could not be started.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ServeError {
    /// Binding the address failed.
    #[error("the inspector cannot listen at {address}: {error}")]
    Listen {
        /// The requested address.
        address: String,
        /// The system's error.
        error: io::Error,
    },
    /// Other machines can reach the address, and [`Settings::beyond_loopback`] was not called.
    #[error(
        "{0} is reachable from other machines: use a loopback address such as 127.0.0.1, or allow it in the settings"
    )]
    NotLoopback(SocketAddr),
    /// A thread, a runtime or a token could not be created.
    #[error("the inspector cannot be started: {0}")]
    Start(#[from] io::Error),
    /// A recording cannot be played.
    #[error("the recording cannot be shown: {0}")]
    Play(String),
}

/// Serves a page that shows a simulation.
///
/// It runs on three threads of its own, and stops when it is dropped.
pub struct Inspector {
    shared: Arc<Shared>,
    address: SocketAddr,
    token: Option<String>,
    stop: Option<oneshot::Sender<()>>,
    server: Option<JoinHandle<()>>,
    worker: Option<JoinHandle<()>>,
}

impl Inspector {
    /// Starts an inspector of a running game, which is passed to [`observe`](Self::observe) once a tick.
    ///
    /// # Errors
    /// If the address cannot be bound, or is not a loopback address.
    pub fn serve(address: impl ToSocketAddrs) -> Result<Self, ServeError> {
        Self::serve_with(address, Settings::default())
    }

    /// Starts an inspector of a running game, with settings.
    ///
    /// # Errors
    /// If the address cannot be bound, or the settings do not allow it.
    pub fn serve_with(address: impl ToSocketAddrs, settings: Settings) -> Result<Self, ServeError> {
        let timeline = LiveTimeline::new(settings.max_moments, settings.max_bytes);
        Self::start(address, settings, Subject::Live(Box::new(timeline)), EventLog::default())
    }

    /// Starts an inspector of a finished recording: the page can go to any moment of it.
    ///
    /// # Errors
    /// If the address cannot be bound, the settings do not allow it, or the recording cannot be played.
    pub fn recording<R: Read + Seek + Send + 'static>(
        address: impl ToSocketAddrs,
        mut settings: Settings,
        player: Player<R>,
    ) -> Result<Self, ServeError> {
        settings.names.extend(player.recording().names());
        let mut recorded = RecordedTimeline::new(player);
        let event_log = recorded.collect_events(|_, _| ()).map_err(ServeError::Play)?;
        Self::start(address, settings, Subject::Recorded(Box::new(recorded)), event_log)
    }

    /// Starts an inspector of a game that continues from the end of a recording; the recording is its past.
    ///
    /// # Errors
    /// If the address cannot be bound, the settings do not allow it, or the recording cannot be played.
    pub fn continuing<R: Read + Seek + Send + 'static>(
        address: impl ToSocketAddrs,
        mut settings: Settings,
        player: Player<R>,
    ) -> Result<Self, ServeError> {
        settings.names.extend(player.recording().names());
        let mut timeline = LiveTimeline::new(settings.max_moments, settings.max_bytes);
        let mut recorded = RecordedTimeline::new(player);
        let collected = recorded.collect_events(|simulation, work| {
            timeline.push(&simulation.snapshot(), simulation.config(), Some(work));
        });
        let mut event_log = collected.map_err(ServeError::Play)?;
        event_log.forget_before(timeline.first());
        Self::start(address, settings, Subject::Live(Box::new(timeline)), event_log)
    }

    /// Shows the current state of the simulation. Call it once a tick, before the events are polled: the
    /// page's timeline shows the simulation's pending events. Returns at once while nobody watches.
    pub fn observe(&self, simulation: &Simulation) {
        if self.shared.is_watched() {
            self.post(simulation, simulation.peek_events(), None);
        }
    }

    /// Like [`observe`](Self::observe), with the time that the host needed for the tick.
    pub fn observe_timed(&self, simulation: &Simulation, work: Duration) {
        if self.shared.is_watched() {
            self.post(simulation, simulation.peek_events(), Some(work));
        }
    }

    /// Like [`observe`](Self::observe), for a host that has polled the events already, such as a server that
    /// gets them from the network layer. `events` are those since the last call; `work` is the time that the
    /// host needed for the tick, if known.
    pub fn observe_events<'a>(
        &self,
        simulation: &Simulation,
        events: impl IntoIterator<Item = &'a Event>,
        work: impl Into<Option<Duration>>,
    ) {
        if self.shared.is_watched() {
            self.post(simulation, events.into_iter().map(EventRef::from), work.into());
        }
    }

    /// Posts a state with its events for the worker, and wakes it. Never waits: a busy worker takes the
    /// newest state later.
    fn post<'a>(
        &self,
        simulation: &Simulation,
        events: impl Iterator<Item = EventRef<'a>>,
        work: Option<Duration>,
    ) {
        self.shared.mailbox.post(simulation, events, work);
        self.shared.posts.fetch_add(1, Ordering::Relaxed);
        // A full queue means that the worker is busy, and it looks into the mailbox before every answer.
        let _ = self.shared.worker.try_send(Message::Frame);
    }

    /// Reports the clients of a networked game at a game time. Call it once a tick, or less often. Returns at
    /// once while nobody watches.
    pub fn report_network(&self, time: Time, clients: impl IntoIterator<Item = ClientReport>) {
        if !self.shared.is_watched() {
            return;
        }
        let mut network = lock(&self.shared.network);
        network.record(time, clients);
        let count = network.len();
        drop(network);
        self.shared.head.send_if_modified(|head| {
            let is_other = head.clients != count;
            head.clients = count;
            is_other
        });
    }

    /// Whether frames are wanted: a page is connected, or [`Settings::record_always`] was called.
    pub fn is_watched(&self) -> bool {
        self.shared.is_watched()
    }

    /// Sets the name of a controller.
    pub fn name(&self, controller: ControllerId, name: impl Into<String>) {
        lock(&self.shared.names).insert(controller, name);
    }

    /// Removes the name of a controller, for long-running hosts whose controllers come and go.
    pub fn forget_name(&self, controller: ControllerId) {
        lock(&self.shared.names).remove(controller);
    }

    /// Executes the edits that the page has queued, with `execute`: `|command| simulation.execute(command)`,
    /// or a recorder's `execute`, so that they are recorded. Returns the number of edits. Without
    /// [`Settings::allow_edit`] there are none.
    pub fn perform(&self, mut execute: impl FnMut(Command) -> Result<Outcome, CommandError>) -> usize {
        for effect in self.shared.take_retired_effects() {
            // The host may have forgotten it already.
            let _ = execute(Command::ForgetEffect(effect));
        }
        let edits = self.shared.take_edits();
        let count = edits.len();
        for edit in edits {
            let mut retired = Vec::new();
            let (text, result) = edit.perform(&mut execute, &mut retired);
            self.shared.retire_effects(retired);
            let time = self.shared.head.borrow().time;
            self.shared.note(ConsoleLine { time, text, error: result.err() });
        }
        count
    }

    /// Sets the path of the recording that edits are written to, which the page shows; `None` if there is
    /// none.
    pub fn set_recording(&self, place: Option<String>) {
        *lock(&self.shared.recording) = place;
        // Makes the page request the console again.
        self.shared.head.send_modify(|head| head.console += 1);
    }

    /// The pace that the page requests. Take single steps with [`take_step`](Self::take_step).
    pub fn pace(&self) -> Pace {
        self.shared.pace()
    }

    /// Sets the pace, for example to begin paused.
    pub fn set_pace(&self, pace: Pace) {
        self.shared.set_pace(|known| *known = pace);
    }

    /// Takes one of the single steps that were requested while paused; false if there is none.
    pub fn take_step(&self) -> bool {
        self.shared.set_pace(|pace| match pace.steps.checked_sub(1) {
            Some(left) => {
                pace.steps = left;
                true
            }
            None => false,
        })
    }

    /// The address that it listens at, with the port that was chosen if 0 was given.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The URL to open in a browser, with the token if one is needed.
    pub fn url(&self) -> String {
        match &self.token {
            Some(token) => format!("http://{}/#token={}", self.address, encoded(token)),
            None => format!("http://{}/", self.address),
        }
    }

    /// Binds the address and starts the threads. `event_log` has the events of the moments that `subject`
    /// begins with.
    fn start(
        address: impl ToSocketAddrs,
        settings: Settings,
        subject: Subject,
        event_log: EventLog,
    ) -> Result<Self, ServeError> {
        let listener = listen(address, &settings)?;
        let address = listener.local_addr()?;
        let loopback = address.ip().is_loopback();
        // An empty token would admit everybody.
        let token = match settings.token.filter(|token| !token.is_empty()) {
            None if !loopback => Some(new_token().map_err(|error| io::Error::other(error.to_string()))?),
            given => given,
        };
        listener.set_nonblocking(true)?;
        let (requests, messages) = mpsc::channel(QUEUE);
        let shared = Arc::new(Shared::new(requests, settings.names, settings.always));
        let source = ExportSource { scenario: settings.scenario, pack: settings.pack };
        let state = Worker {
            subject,
            event_log,
            job_thread: JobThread::spawn(source)?,
            title: settings.title,
            edit: settings.edit,
            paced: settings.paced,
        };
        let access = AccessPolicy { loopback, token: token.clone(), origins: settings.origins };
        let server_state =
            ServerState { shared: Arc::clone(&shared), access, max_connections: settings.max_connections };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().enable_time().build()?;
        let (stop, stopped) = oneshot::channel();
        let worker_shared = Arc::clone(&shared);
        let worker = std::thread::Builder::new()
            .name("ugas-inspect-work".to_owned())
            .spawn(move || state.run(&worker_shared, messages))?;
        let server = std::thread::Builder::new().name("ugas-inspect".to_owned()).spawn(move || {
            runtime.block_on(async {
                let Ok(listener) = tokio::net::TcpListener::from_std(listener) else { return };
                let listener = LimitedListener::new(listener, server_state.max_connections);
                let app = router(Arc::new(server_state)).into_make_service_with_connect_info::<WatcherFlag>();
                tokio::select! {
                    _ = axum::serve(listener, app) => {}
                    _ = stopped => {}
                }
            });
            // Connections end with their runtime.
            drop(runtime);
        })?;
        Ok(Self { shared, address, token, stop: Some(stop), server: Some(server), worker: Some(worker) })
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
        // The server is gone, so the queue only drains. `blocking_send` would panic in a host with a runtime
        // of its own.
        while let Err(mpsc::error::TrySendError::Full(_)) = self.shared.worker.try_send(Message::Stop) {
            std::thread::sleep(Duration::from_millis(1));
        }
        if let Some(worker) = self.worker.take() {
            let _ = worker.join();
        }
    }
}

/// Opens the listener. Refuses addresses that other machines reach unless the settings allow it; takes any
/// free port if that is allowed and the port is in use.
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
