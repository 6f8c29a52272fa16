//! `--ops`: health, readiness and metrics over HTTP, on a thread of their own.

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::Context;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use axum::routing::get;
use prometheus_client::registry::Registry;

use super::metrics::{Published, Snapshot};

/// Time without a round of the loop after which a server is not healthy.
const STALL: Duration = Duration::from_secs(5);
/// Type of the metrics' text.
const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// What the loop reports to the other threads, without waiting for them.
#[derive(Clone, Debug)]
pub(super) struct Vitals {
    start: Instant,
    /// Milliseconds from the start to the last round of the loop.
    last_round: Arc<AtomicU64>,
    /// Whether newcomers are let in.
    is_ready: Arc<AtomicBool>,
    pub(super) metrics: Published,
}

impl Vitals {
    pub(super) fn new() -> Self {
        Self {
            start: Instant::now(),
            last_round: Arc::default(),
            is_ready: Arc::default(),
            metrics: Published::default(),
        }
    }

    /// The loop has done a round.
    pub(super) fn beat(&self) {
        let millis = u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.last_round.store(millis, Ordering::Relaxed);
    }

    /// Sets whether newcomers are let in.
    pub(super) fn set_ready(&self, is_ready: bool) {
        self.is_ready.store(is_ready, Ordering::Relaxed);
    }

    /// Whether the loop has done a round lately.
    pub(super) fn is_alive(&self) -> bool {
        let last = Duration::from_millis(self.last_round.load(Ordering::Relaxed));
        self.start.elapsed().saturating_sub(last) < STALL
    }
}

/// State of the HTTP server.
#[derive(Clone)]
struct Ops {
    vitals: Vitals,
    /// UDP port of the server, by which its drops are found.
    port: u16,
}

/// Starts the HTTP server, and returns its address. It ends with the process.
///
/// # Errors
/// If the address cannot be bound.
pub(super) fn start(address: SocketAddr, vitals: Vitals, port: u16) -> anyhow::Result<SocketAddr> {
    let listener = TcpListener::bind(address).with_context(|| format!("--ops cannot listen on {address}"))?;
    listener.set_nonblocking(true)?;
    let bound = listener.local_addr()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().enable_time().build()?;
    let app = axum::Router::new()
        .route("/healthz", get(health))
        .route("/readyz", get(readiness))
        .route("/metrics", get(metrics))
        .with_state(Ops { vitals, port });
    std::thread::Builder::new().name("ugas-ops".to_owned()).spawn(move || {
        runtime.block_on(async {
            let Ok(listener) = tokio::net::TcpListener::from_std(listener) else { return };
            let _ = axum::serve(listener, app).await;
        });
    })?;
    Ok(bound)
}

/// 200 while the loop runs.
async fn health(State(ops): State<Ops>) -> impl IntoResponse {
    match ops.vitals.is_alive() {
        true => (StatusCode::OK, "ok\n"),
        false => (StatusCode::SERVICE_UNAVAILABLE, "the loop stands still\n"),
    }
}

/// 200 while newcomers are let in.
async fn readiness(State(ops): State<Ops>) -> impl IntoResponse {
    match ops.vitals.is_ready.load(Ordering::Relaxed) && ops.vitals.is_alive() {
        true => (StatusCode::OK, "ready\n"),
        false => (StatusCode::SERVICE_UNAVAILABLE, "not ready: starting, draining or stalled\n"),
    }
}

async fn metrics(State(ops): State<Ops>) -> impl IntoResponse {
    let mut snapshot = Snapshot::clone(&ops.vitals.metrics.newest());
    snapshot.totals.insert("ugas_kernel_drops", kernel_drops(ops.port));
    if let Some(bytes) = resident_bytes() {
        snapshot.gauges.insert("process_resident_memory_bytes", bytes);
    }
    let mut registry = Registry::default();
    registry.register_collector(Box::new(snapshot));
    let mut text = String::new();
    match prometheus_client::encoding::text::encode(&mut text, &registry) {
        Ok(()) => (StatusCode::OK, [(header::CONTENT_TYPE, OPEN_METRICS)], text),
        Err(error) => (
            StatusCode::INTERNAL_SERVER_ERROR,
            [(header::CONTENT_TYPE, "text/plain; charset=utf-8")],
            error.to_string(),
        ),
    }
}

/// Datagrams to a UDP port that the system dropped because its buffer was full; 0 where Linux's tables are
/// missing.
pub(super) fn kernel_drops(port: u16) -> u64 {
    let tables = ["/proc/net/udp", "/proc/net/udp6"];
    tables
        .iter()
        .filter_map(|table| std::fs::read_to_string(table).ok())
        .map(|text| drops_in(&text, port))
        .sum()
}

/// Drops of a port in a table of sockets. The second column ends with the port in hexadecimal digits; the last
/// has the drops.
fn drops_in(table: &str, port: u16) -> u64 {
    let of_line = |line: &str| {
        let local = line.split_whitespace().nth(1)?;
        let (_, found) = local.rsplit_once(':')?;
        (u16::from_str_radix(found, 16).ok()? == port).then_some(())?;
        line.split_whitespace().last()?.parse::<u64>().ok()
    };
    table.lines().skip(1).filter_map(of_line).sum()
}

/// Memory of the process; `None` where Linux's tables are missing.
fn resident_bytes() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: f64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drops_are_read_from_the_table_of_sockets() {
        let table = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode ref pointer drops\n \
            123: 0100007F:20EB 00000000:0000 07 00000000:00000000 00:00000000 00000000     0        0 21 2 0 17\n \
            124: 0100007F:20EC 00000000:0000 07 00000000:00000000 00:00000000 00000000     0        0 22 2 0 5\n";
        // 0x20EB = 8427.
        assert_eq!(drops_in(table, 8427), 17);
        assert_eq!(drops_in(table, 1), 0);
    }

    #[test]
    fn vitals_begin_not_ready() {
        let vitals = Vitals::new();
        vitals.beat();
        assert!(vitals.is_alive() && !vitals.is_ready.load(Ordering::Relaxed));
    }
}
