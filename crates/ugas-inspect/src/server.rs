//! The server: the page over HTTP, requests and answers over a WebSocket.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::ws::{Message as Packet, WebSocket, WebSocketUpgrade};
use axum::extract::{ConnectInfo, RawQuery, State};
use axum::http::{HeaderMap, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use serde_json::{Value, json};
use tokio::sync::oneshot;
use tokio::time::{MissedTickBehavior, timeout};

use crate::listener::WatcherFlag;
use crate::page;
use crate::security::{AccessPolicy, AccessRefusal};
use crate::shared::{Message, Shared};

/// Maximum length of a page's message in bytes.
pub(crate) const MAX_MESSAGE_BYTES: usize = 16 << 10;

/// Minimum interval between two head messages.
const HEAD_INTERVAL: Duration = Duration::from_millis(40);

/// Timeout for sending a message to a browser.
const SEND_TIMEOUT: Duration = Duration::from_secs(20);

/// Interval between pings.
const PING_INTERVAL: Duration = Duration::from_secs(5);

/// A connection is closed if nothing arrives for this long, not even a pong.
const IDLE_TIMEOUT: Duration = Duration::from_secs(15);

/// Content security policy: the page may load only its own files.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; \
                      connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'";

pub(crate) struct ServerState {
    pub(crate) shared: Arc<Shared>,
    pub(crate) access: AccessPolicy,
    pub(crate) max_connections: usize,
}

/// Routes: `/socket` for requests, and the files of the page for everything else.
pub(crate) fn router(state: Arc<ServerState>) -> Router {
    Router::new().route("/socket", get(socket)).fallback(files).with_state(state)
}

/// Serves a file of the page, with headers that keep other sites out. Hosts that are not allowed get nothing.
async fn files(
    State(state): State<Arc<ServerState>>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
) -> Response {
    if let Err(refused) = state.access.admits_reader(&headers) {
        return refusal_response(refused);
    }
    if method != Method::GET && method != Method::HEAD {
        return StatusCode::METHOD_NOT_ALLOWED.into_response();
    }
    let Some(file) = page::file(uri.path()) else {
        return (StatusCode::NOT_FOUND, "file not found\n").into_response();
    };
    let headers = [
        (header::CONTENT_TYPE, file.kind),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-cache"),
    ];
    (headers, Body::from(file.text)).into_response()
}

fn refusal_response(refused: AccessRefusal) -> Response {
    let (status, text) = match refused {
        AccessRefusal::Host => (StatusCode::FORBIDDEN, "this host is not served here\n"),
        AccessRefusal::Origin => (StatusCode::FORBIDDEN, "pages of this origin are not allowed\n"),
        AccessRefusal::Token => (StatusCode::UNAUTHORIZED, "the token is missing or wrong\n"),
    };
    (status, text).into_response()
}

/// Opens the socket of a page, if host, origin and token are right and there is room. From then on the
/// connection may stay open.
async fn socket(
    State(state): State<Arc<ServerState>>,
    ConnectInfo(watcher): ConnectInfo<WatcherFlag>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    upgrade: WebSocketUpgrade,
) -> Response {
    let query = query.unwrap_or_default();
    let token = query.split('&').find_map(|pair| pair.strip_prefix("token="));
    if let Err(refused) = state.access.admits_connection(&headers, token) {
        return refusal_response(refused);
    }
    let Some(connection) = Connection::new(&state) else {
        return (StatusCode::SERVICE_UNAVAILABLE, "too many connections\n").into_response();
    };
    watcher.set();
    let upgrade = upgrade.max_message_size(MAX_MESSAGE_BYTES).max_frame_size(MAX_MESSAGE_BYTES);
    upgrade.max_write_buffer_size(16 << 20).on_upgrade(move |socket| connection.serve(socket))
}

/// A connected page; counted in [`Shared::connections`] until it is dropped.
struct Connection {
    shared: Arc<Shared>,
}

impl Connection {
    /// Connection that counts towards the limit until it is dropped; `None` if the limit is reached.
    fn new(state: &ServerState) -> Option<Self> {
        let max = state.max_connections;
        let counted = state
            .shared
            .connections
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |known| (known < max).then_some(known + 1));
        counted.ok().map(|_| Self { shared: Arc::clone(&state.shared) })
    }

    /// Answers one request after the other, so a client that asks faster than it reads only delays itself.
    async fn serve(self, mut socket: WebSocket) {
        let mut head = self.shared.head.subscribe();
        head.mark_changed();
        let mut heard = Instant::now();
        let mut pings = tokio::time::interval(PING_INTERVAL);
        pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let packet = tokio::select! {
                packet = socket.recv() => packet,
                _ = pings.tick() => {
                    // A client that vanished without closing must not keep its place.
                    if heard.elapsed() > IDLE_TIMEOUT || !send(&mut socket, Packet::Ping(Bytes::new())).await {
                        return;
                    }
                    continue;
                }
                changed = head.changed() => {
                    if changed.is_err() {
                        return;
                    }
                    // Only the newest head is sent, however many there were meanwhile.
                    let message = json!({ "head": head.borrow_and_update().to_json() });
                    if !send(&mut socket, text(&message)).await {
                        return;
                    }
                    tokio::time::sleep(HEAD_INTERVAL).await;
                    continue;
                }
            };
            heard = Instant::now();
            let question = match packet {
                Some(Ok(Packet::Text(question))) => question,
                Some(Ok(Packet::Ping(_) | Packet::Pong(_))) => continue,
                Some(Ok(Packet::Binary(_) | Packet::Close(_)) | Err(_)) | None => return,
            };
            let answer = match serde_json::from_str::<Value>(question.as_str()) {
                Ok(request) if request.is_object() => self.ask(request).await,
                _ => Some(
                    json!({ "id": null, "error": { "code": "bad-request", "message": "not a JSON object" } }),
                ),
            };
            let Some(answer) = answer else { return };
            if !send(&mut socket, text(&answer)).await {
                return;
            }
            heard = Instant::now();
        }
    }

    /// Passes a request to the worker and waits for its answer; `None` if the worker has ended.
    async fn ask(&self, request: Value) -> Option<Value> {
        let (reply, answer) = oneshot::channel();
        self.shared.worker.send(Message::Request(Box::new(request), reply)).await.ok()?;
        answer.await.ok()
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.shared.connections.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Sends a message; false if that fails or takes too long.
async fn send(socket: &mut WebSocket, packet: Packet) -> bool {
    matches!(timeout(SEND_TIMEOUT, socket.send(packet)).await, Ok(Ok(())))
}

fn text(value: &Value) -> Packet {
    Packet::Text(value.to_string().into())
}
