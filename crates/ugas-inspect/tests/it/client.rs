//! A minimal HTTP and WebSocket client, so that tests can send malformed requests.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::{Value, json};

/// Sends a raw request, and returns the status and the whole response.
pub(crate) fn request(address: SocketAddr, text: &str) -> (u16, String) {
    let mut stream = connect(address);
    stream.write_all(text.as_bytes()).unwrap();
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    let answer = String::from_utf8_lossy(&answer).into_owned();
    let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
    (status, answer)
}

pub(crate) fn get(address: SocketAddr, path: &str) -> (u16, String) {
    request(address, &format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n"))
}

fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    stream
}

/// A connection to an inspector.
pub(crate) struct Client {
    stream: TcpStream,
    next: u64,
}

impl Client {
    pub(crate) fn open(address: SocketAddr) -> Self {
        Self::try_open(address, "/socket", &[]).unwrap_or_else(|status| panic!("refused with {status}"))
    }

    /// Opens a connection with additional headers; returns the status if it is refused.
    pub(crate) fn try_open(address: SocketAddr, path: &str, headers: &[(&str, &str)]) -> Result<Self, u16> {
        let mut stream = connect(address);
        let has_host = headers.iter().any(|(name, _)| *name == "Host");
        let mut text = format!(
            "GET {path} HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
             Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
        );
        if !has_host {
            text.push_str(&format!("Host: {address}\r\n"));
        }
        for (name, value) in headers {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        text.push_str("\r\n");
        stream.write_all(text.as_bytes()).unwrap();
        let mut head = Vec::new();
        let mut byte = [0];
        while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte).unwrap_or(0) == 1 {
            head.push(byte[0]);
        }
        let head = String::from_utf8_lossy(&head).into_owned();
        match head.split(' ').nth(1).and_then(|status| status.parse().ok()) {
            Some(101) => Ok(Self { stream, next: 1 }),
            status => Err(status.unwrap_or(0)),
        }
    }

    /// Sends a request and waits for its answer; head messages in between are skipped.
    pub(crate) fn ask(&mut self, mut request: Value) -> Value {
        let id = self.next;
        self.next += 1;
        request["id"] = json!(id);
        self.send(&request.to_string());
        loop {
            let message = self.receive().expect("the connection is open");
            if message["id"] == json!(id) {
                return message;
            }
        }
    }

    /// The answer to a request that must succeed.
    pub(crate) fn answer(&mut self, request: Value) -> Value {
        let message = self.ask(request);
        assert!(message["error"].is_null(), "{message}");
        message["answer"].clone()
    }

    /// The error code of a request that must fail.
    pub(crate) fn error(&mut self, request: Value) -> String {
        let message = self.ask(request);
        message["error"]["code"].as_str().unwrap_or_else(|| panic!("{message}")).to_owned()
    }

    pub(crate) fn send(&mut self, text: &str) {
        let _ = self.try_send(text);
    }

    pub(crate) fn try_send(&mut self, text: &str) -> std::io::Result<()> {
        let bytes = text.as_bytes();
        let mut frame = vec![0x81];
        match bytes.len() {
            short @ 0..126 => frame.push(0x80 | short as u8),
            middle @ 126..0x1_0000 => {
                frame.push(0x80 | 126);
                frame.extend((middle as u16).to_be_bytes());
            }
            long => {
                frame.push(0x80 | 127);
                frame.extend((long as u64).to_be_bytes());
            }
        }
        // A mask of zeros is a valid mask.
        frame.extend([0; 4]);
        frame.extend(bytes);
        self.stream.write_all(&frame)
    }

    /// The next message; `None` if the connection is closed.
    pub(crate) fn receive(&mut self) -> Option<Value> {
        loop {
            let mut head = [0; 2];
            self.stream.read_exact(&mut head).ok()?;
            let length = match head[1] & 0x7F {
                126 => {
                    let mut length = [0; 2];
                    self.stream.read_exact(&mut length).ok()?;
                    u64::from(u16::from_be_bytes(length))
                }
                127 => {
                    let mut length = [0; 8];
                    self.stream.read_exact(&mut length).ok()?;
                    u64::from_be_bytes(length)
                }
                short => u64::from(short),
            };
            let mut payload = vec![0; length as usize];
            self.stream.read_exact(&mut payload).ok()?;
            match head[0] & 0x0F {
                1 => return Some(serde_json::from_slice(&payload).unwrap()),
                8 => return None,
                _ => {}
            }
        }
    }
}
