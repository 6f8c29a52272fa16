// The WebSocket connection: requests with an id, answers by id, and head messages.

const PROTOCOL = 1;

export class Connection extends EventTarget {
  #socket = null;
  #waiting = new Map();
  #next = 1;
  #delay = 300;
  hello = null;
  head = null;

  open() {
    const token = new URLSearchParams(location.hash.slice(1)).get("token") ?? sessionStorage.getItem("token");
    if (token) sessionStorage.setItem("token", token);
    const query = token ? `?token=${encodeURIComponent(token)}` : "";
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const socket = new WebSocket(`${scheme}://${location.host}/socket${query}`);
    this.#socket = socket;
    socket.addEventListener("open", async () => {
      try {
        const hello = await this.ask("hello");
        if (hello.protocol !== PROTOCOL) throw new Error(`the inspector uses protocol ${hello.protocol}, but this page needs ${PROTOCOL}: reload the page`);
        this.#delay = 300;
        this.hello = hello;
        this.head = hello.head;
        this.dispatchEvent(new Event("hello"));
      } catch (error) {
        this.dispatchEvent(new CustomEvent("problem", { detail: error.message }));
      }
    });
    socket.addEventListener("message", (event) => this.#receive(JSON.parse(event.data)));
    socket.addEventListener("close", () => {
      for (const { reject } of this.#waiting.values()) reject(new Error("the connection was closed"));
      this.#waiting.clear();
      this.dispatchEvent(new Event("closed"));
      setTimeout(() => this.open(), this.#delay);
      this.#delay = Math.min(this.#delay * 2, 5000);
    });
  }

  #receive(message) {
    if (message.head) {
      this.head = message.head;
      this.dispatchEvent(new Event("head"));
      return;
    }
    const waiting = this.#waiting.get(message.id);
    if (!waiting) return;
    this.#waiting.delete(message.id);
    if (message.error) waiting.reject(Object.assign(new Error(message.error.message), { code: message.error.code }));
    else waiting.resolve(message.answer);
  }

  ask(request, fields = {}) {
    return new Promise((resolve, reject) => {
      if (this.#socket?.readyState !== WebSocket.OPEN) return reject(new Error("not connected"));
      const id = this.#next++;
      this.#waiting.set(id, { resolve, reject });
      this.#socket.send(JSON.stringify({ id, request, ...fields }));
    });
  }
}
