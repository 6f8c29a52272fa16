//! The server: the page over HTTP, questions and answers over a WebSocket.

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

use crate::doorway::Pass;
use crate::page;
use crate::security::{Gate, Refused};
use crate::shared::{Message, Shared};

/// Longest message of a page: a question, never a file.
pub(crate) const LONGEST_MESSAGE: usize = 16 << 10;

/// Between two announcements of where the game is.
const PAUSE: Duration = Duration::from_millis(40);

/// How long a browser may take to accept an answer.
const PATIENCE: Duration = Duration::from_secs(20);

/// Between two looks whether somebody is still there.
const CALL: Duration = Duration::from_secs(5);

/// How long nothing may be heard from somebody, answers to these included.
const SILENCE: Duration = Duration::from_secs(15);

/// What the page may load: itself.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; \
                      connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'";

pub(crate) struct Door {
    pub(crate) shared: Arc<Shared>,
    pub(crate) gate: Gate,
    pub(crate) most_connections: usize,
}

pub(crate) fn router(door: Arc<Door>) -> Router {
    Router::new().route("/socket", get(socket)).fallback(files).with_state(door)
}

async fn files(State(door): State<Arc<Door>>, method: Method, uri: Uri, headers: HeaderMap) -> Response {
    if let Err(refused) = door.gate.admits_reader(&headers) {
        return turned_away(refused);
    }
    if method != Method::GET && method != Method::HEAD {
        return StatusCode::METHOD_NOT_ALLOWED.into_response();
    }
    let Some(file) = page::file(uri.path()) else {
        return (StatusCode::NOT_FOUND, "there is no such file\n").into_response();
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

fn turned_away(refused: Refused) -> Response {
    let (status, text) = match refused {
        Refused::Host => (StatusCode::FORBIDDEN, "this host is not served here\n"),
        Refused::Origin => (StatusCode::FORBIDDEN, "pages of this origin are not admitted\n"),
        Refused::Token => (StatusCode::UNAUTHORIZED, "the token is missing or wrong\n"),
    };
    (status, text).into_response()
}

async fn socket(
    State(door): State<Arc<Door>>,
    ConnectInfo(pass): ConnectInfo<Pass>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    upgrade: WebSocketUpgrade,
) -> Response {
    let query = query.unwrap_or_default();
    let token = query.split('&').find_map(|pair| pair.strip_prefix("token="));
    if let Err(refused) = door.gate.admits_connection(&headers, token) {
        return turned_away(refused);
    }
    let Some(visit) = Visit::new(&door) else {
        return (StatusCode::SERVICE_UNAVAILABLE, "too many are looking already\n").into_response();
    };
    pass.grant();
    let upgrade = upgrade.max_message_size(LONGEST_MESSAGE).max_frame_size(LONGEST_MESSAGE);
    upgrade.max_write_buffer_size(16 << 20).on_upgrade(move |socket| visit.attend(socket))
}

/// Somebody who watches; counted until they go.
struct Visit {
    shared: Arc<Shared>,
}

impl Visit {
    fn new(door: &Door) -> Option<Self> {
        let most = door.most_connections;
        let counted = door
            .shared
            .connections
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |known| (known < most).then_some(known + 1));
        counted.ok().map(|_| Self { shared: Arc::clone(&door.shared) })
    }

    /// One question after the other: whoever asks faster than they read waits.
    async fn attend(self, mut socket: WebSocket) {
        let mut head = self.shared.head.subscribe();
        head.mark_changed();
        let mut heard = Instant::now();
        let mut calls = tokio::time::interval(CALL);
        calls.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let packet = tokio::select! {
                packet = socket.recv() => packet,
                _ = calls.tick() => {
                    // Whoever is gone without a word must not keep a place.
                    if heard.elapsed() > SILENCE || !send(&mut socket, Packet::Ping(Bytes::new())).await {
                        return;
                    }
                    continue;
                }
                changed = head.changed() => {
                    if changed.is_err() {
                        return;
                    }
                    // Of all that happened meanwhile, only the newest is told.
                    let news = json!({ "head": head.borrow_and_update().to_json() });
                    if !send(&mut socket, text(&news)).await {
                        return;
                    }
                    tokio::time::sleep(PAUSE).await;
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

    async fn ask(&self, request: Value) -> Option<Value> {
        let (reply, answer) = oneshot::channel();
        self.shared.desk.send(Message::Request(Box::new(request), reply)).await.ok()?;
        answer.await.ok()
    }
}

impl Drop for Visit {
    fn drop(&mut self) {
        self.shared.connections.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Sends, unless the browser takes too long.
async fn send(socket: &mut WebSocket, packet: Packet) -> bool {
    matches!(timeout(PATIENCE, socket.send(packet)).await, Ok(Ok(())))
}

fn text(value: &Value) -> Packet {
    Packet::Text(value.to_string().into())
}
