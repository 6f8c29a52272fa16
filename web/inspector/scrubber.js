// The scrubber: goes to any moment of the timeline.

import { clock, h, icon } from "/elements.js";

class Scrubber extends HTMLElement {
  #times = [];
  #counts = [];
  #first = 0;
  #timer = 0;
  #built = false;

  #build() {
    this.#built = true;
    const button = (label, text, work, key) => h("button", { type: "button", "aria-label": label, title: label, "data-key": key, onclick: work }, text);
    this.range = h("input", { type: "range", min: 0, max: 0, step: 1, value: 0, "aria-label": "Moment", oninput: () => { this.stop(); this.app.goTo(Number(this.range.value)); } });
    this.canvas = h("canvas", { "aria-hidden": "true" });
    this.play = button("Play", icon("play"), () => this.toggle(), "play");
    this.speed = h("select", { "aria-label": "Speed", title: "Speed" }, ["0.1", "0.25", "0.5", "1", "2", "4", "10"].map((value) => h("option", { value }, `${value}×`)));
    this.speed.value = "1";
    this.speed.style.width = "auto";
    this.clock = h("output", { class: "clock", "aria-live": "off" });
    this.live = button("Follow the game", "Live", () => this.app.goTo(Infinity), "live");
    this.append(h("div", { class: "line", role: "group", "aria-label": "Time" },
      button("To the beginning", icon("start"), () => this.app.goTo(this.app.connection.head.first), "start"),
      button("One moment back", icon("back"), () => { this.stop(); this.app.goTo(this.app.now - 1); }, "back"),
      this.play,
      button("One moment forward", icon("step"), () => { this.stop(); this.app.goTo(this.app.now + 1); }, "step"),
      button("To the end", icon("end"), () => this.app.goTo(this.app.connection.head.last), "end"),
      h("div", { class: "rail" }, this.canvas, this.range), this.clock, this.speed, this.live));
  }

  async update(app) {
    if (!this.#built) this.#build();
    const head = app.connection.head;
    this.live.hidden = !app.connection.hello.live;
    this.live.classList.toggle("primary", app.moment === null);
    this.range.min = head.first;
    this.range.max = head.last;
    this.range.value = app.now;
    await this.#load(app, head);
    app.since = this.#times[0] ?? 0;
    const time = this.#times[app.now - this.#first] ?? head.time;
    // The newest moments may be newer than the last head message.
    this.clock.value = `${clock(time)} / ${clock(Math.max(time, head.time))}`;
    this.range.setAttribute("aria-valuetext", clock(time));
    this.#draw();
  }

  async #load(app, head) {
    const known = this.#first + this.#times.length;
    if (known > head.last && this.#first >= head.first) return;
    const restart = head.first > known || head.last < known - 1;
    const added = await app.connection.ask("moments", { since: restart ? 0 : known });
    if (restart || !this.#times.length) {
      [this.#first, this.#times, this.#counts] = [added.first, added.times, added.events];
    } else {
      this.#times.push(...added.times);
      this.#counts.push(...added.events);
    }
    const gone = head.first - this.#first;
    if (gone > 0) {
      this.#times.splice(0, gone);
      this.#counts.splice(0, gone);
      this.#first = head.first;
    }
  }

  /** The moment at a time: the first that is not before it. */
  momentAt(time) {
    let [low, high] = [0, Math.max(0, this.#times.length - 1)];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#times[middle] < time - 1e-9) low = middle + 1; else high = middle;
    }
    return this.#first + low;
  }

  /** Draws the number of events of each moment above the slider. */
  #draw() {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (!width || !this.#counts.length) return;
    this.canvas.width = width;
    this.canvas.height = height;
    const context = this.canvas.getContext("2d");
    const columns = Math.max(1, Math.floor(width / 3));
    const sums = new Array(columns).fill(0);
    this.#counts.forEach((count, at) => { sums[Math.min(columns - 1, Math.floor((at / this.#counts.length) * columns))] += count; });
    const most = Math.max(1, ...sums);
    context.fillStyle = getComputedStyle(this).getPropertyValue("--accent");
    sums.forEach((sum, at) => {
      const tall = sum ? Math.max(2, (Math.log1p(sum) / Math.log1p(most)) * height) : 0;
      context.fillRect(at * 3, height - tall, 2, tall);
    });
  }

  toggle() { if (this.#timer) this.stop(); else this.#start(); }

  #start() {
    const head = this.app.connection.head;
    if (this.app.now >= head.last) this.app.goTo(head.first);
    let from = performance.now();
    let at = this.#times[this.app.now - this.#first] ?? 0;
    this.play.replaceChildren(icon("pause"));
    this.play.setAttribute("aria-label", "Pause");
    this.#timer = setInterval(() => {
      const now = performance.now();
      at += ((now - from) / 1000) * Number(this.speed.value);
      from = now;
      let next = this.app.now;
      while (next < this.app.connection.head.last && (this.#times[next + 1 - this.#first] ?? Infinity) <= at) next += 1;
      if (next !== this.app.now) this.app.goTo(next);
      if (next >= this.app.connection.head.last) this.stop();
    }, 33);
  }

  stop() {
    clearInterval(this.#timer);
    this.#timer = 0;
    this.play.replaceChildren(icon("play"));
    this.play.setAttribute("aria-label", "Play");
  }
}

customElements.define("ugas-scrubber", Scrubber);
