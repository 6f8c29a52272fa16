// The timeline: events, their causes, and the differences between two moments.

import { fill, h, later, number, options } from "/elements.js";

/** Milliseconds between two requests for the list of controllers. */
const PAUSE = 1000;

const CATEGORIES = ["attribute", "tag", "effect", "ability", "task", "input", "cue", "controller", "error"];

export class Timeline {
  constructor(app) {
    this.app = app;
    this.categories = new Set();
    this.search = "";
    this.only = true;
    /** Names of controllers whose events are shown in addition to the chosen one's, by handle. */
    this.others = new Map();
    this.looked = -Infinity;
    this.mark = null;
    this.chain = null;
    const changed = later(() => app.refresh());
    this.feed = h("div");
    this.side = h("div", { class: "stack" });
    this.who = h("label", { class: "tick-box" }, h("input", { type: "checkbox", checked: true, "data-key": "only", onchange: (event) => { this.only = event.target.checked; changed(); } }), h("span"));
    this.add = h("select", { "data-key": "add", onchange: (event) => {
      const { value, selectedOptions } = event.target;
      if (value) this.others.set(value, selectedOptions[0].textContent);
      this.looked = -Infinity;
      changed();
    } });
    this.chosen = h("div", { class: "picked" });
    this.element = h("section", { "aria-label": "Timeline" },
      h("div", { class: "head" }, h("h1", {}, "Timeline"), h("span", { class: "right" },
        h("button", { type: "button", "data-key": "mark", onclick: () => { this.mark = this.app.now; app.refresh(); } }, "Mark this moment"), " ",
        h("button", { type: "button", "data-key": "export", onclick: () => this.export() }, "Export as scenario"))),
      h("div", { class: "cards" },
        h("div", { class: "card w7" },
          h("form", { class: "bar", role: "search", onsubmit: (event) => event.preventDefault() },
            h("label", { class: "grow" }, "Find", h("input", { type: "search", placeholder: "a word or a kind of event", "data-key": "find", oninput: (event) => { this.search = event.target.value.trim(); changed(); } })), h("label", {}, "Of", this.add), this.who),
          this.chosen,
          h("div", { role: "group", "aria-label": "Kinds of events" }, CATEGORIES.map((name) => h("button", { type: "button", class: "quiet chip", "aria-pressed": "false", "data-key": `kind-${name}`,
            onclick: (event) => {
              const on = !this.categories.delete(name);
              if (on) this.categories.add(name);
              event.target.setAttribute("aria-pressed", on);
              event.target.classList.toggle("on", on);
              app.refresh();
            } }, name))),
          this.feed),
        h("div", { class: "w5" }, this.side)));
  }

  async update() {
    if (performance.now() - this.looked > PAUSE) await this.look();
    const controllers = [...(this.only && this.app.controller ? [this.app.controller] : []), ...this.others.keys()];
    const log = await this.app.ask("events", { controllers, categories: [...this.categories], search: this.search, limit: 200 });
    this.who.hidden = !this.app.controller;
    this.who.querySelector("span").textContent = "only the chosen controller";
    const here = this.app.now;
    fill(this.feed, log.events.length
      ? h("div", { class: "scroll", "data-scroll": "feed", tabindex: "0", role: "region", "aria-label": "Events" }, h("ul", { class: "feed" }, log.events.map((event) => h("li", { class: event.moment === here ? "here" : null },
        h("button", { class: "link num", "data-key": `time-${event.sequence}`, "aria-label": `Go to ${event.time.toFixed(3)} seconds`, onclick: () => this.app.goTo(event.moment) }, `${event.time.toFixed(3)}`),
        h("button", { class: "link small", "data-key": `why-${event.sequence}`, "aria-label": `Why ${event.kind}`, onclick: () => this.why(event.sequence) }, event.kind),
        h("span", { class: "what small" }, event.text)))))
      : h("p", { class: "empty" }, "No matching events up to this moment."),
    log.more ? h("p", { class: "muted small" }, "There are older events: go back in time, or filter.") : null,
    log.lost ? h("p", { class: "muted small" }, `${number(log.lost, 0)} events were dropped.`) : null);
    await this.beside();
  }

  /** Updates the list of controllers that can be added. */
  async look() {
    const { rows } = await this.app.ask("world", { limit: 200 });
    this.looked = performance.now();
    options(this.add, [["", this.others.size ? "add another" : "all controllers"], ...rows.filter((row) => !this.others.has(row.id)).map((row) => [row.id, row.name])], "");
    fill(this.chosen, [...this.others].map(([id, name]) => h("button", { type: "button", class: "quiet chip on", "data-key": `without-${id}`, "aria-label": `Without ${name}`,
      onclick: () => { this.others.delete(id); this.looked = -Infinity; this.app.refresh(); } }, `${name} ✕`)));
  }

  async beside() {
    const parts = [];
    // Null means none: 0 is the sequence number of the first event.
    if (this.chain !== null) {
      try {
        const { links } = await this.app.ask("chain", { sequence: this.chain });
        parts.push(h("section", { class: "card", "aria-label": "Causes" }, h("h2", {}, "Causes"), h("ol", { class: "chain" }, links.map((link) => h("li", {},
          h("div", { class: "head" }, h("h3", {}, link.kind), h("button", { class: "link small", onclick: () => this.app.goTo(link.moment) }, `${link.time.toFixed(3)} s`)), h("div", { class: "small muted" }, link.text))))));
      } catch { this.chain = null; }
    }
    if (this.mark !== null) {
      try {
        const diff = await this.app.ask("compare", { with: this.mark });
        parts.push(h("section", { class: "card", "aria-label": "Comparison" }, h("div", { class: "head" }, h("h2", { class: "plain" }, `From ${diff.left.toFixed(3)} s to ${diff.right.toFixed(3)} s`),
          h("span", { class: "right" }, h("button", { class: "quiet", "aria-label": "Remove the mark", onclick: () => { this.mark = null; this.app.refresh(); } }, "✕"))),
        diff.differences.length ? h("div", { class: "scroll", "data-scroll": "diff" }, h("table", {}, h("tbody", {}, diff.differences.map((line) => h("tr", {},
          h("td", {}, line.controller ?? "", h("div", { class: "small muted" }, line.field)), h("td", { class: "num muted" }, show(line.left)), h("td", { class: "num" }, show(line.right))))))) : h("p", { class: "muted" }, "No differences."),
        diff.total > diff.differences.length ? h("p", { class: "muted small" }, `and ${diff.total - diff.differences.length} more`) : null));
      } catch { this.mark = null; }
    }
    if (this.exported) {
      const { file, text, exact } = this.exported;
      parts.push(h("section", { class: "card", "aria-label": "Exported scenario" }, h("div", { class: "head" }, h("h2", { class: "plain" }, file), h("span", { class: "right" },
        exact ? h("button", { class: "primary", type: "button", "data-key": "save", onclick: () => save(file, text) }, "Save") : null)),
      exact ? h("p", { class: "small muted" }, "Verified: running it ends in exactly this state.") : null,
      h("pre", { class: "mono scroll", tabindex: "0" }, text)));
    }
    if (!parts.length) parts.push(h("div", { class: "card" }, h("h2", {}, "Causes"), h("p", { class: "muted" }, "Choose an event to see its causes. Mark a moment and go to another to compare them.")));
    fill(this.side, parts);
  }

  why(sequence) { this.chain = sequence; this.app.refresh(); }

  async export() {
    try { this.exported = await this.app.ask("export"); } catch (error) { this.exported = { file: "not exported", text: error.message, exact: false }; }
    this.app.refresh();
  }
}

const show = (value) => (typeof value === "number" ? number(value, 4) : value ?? "–");

function save(file, text) {
  const link = h("a", { download: file, href: URL.createObjectURL(new Blob([text], { type: "application/yaml" })) });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
