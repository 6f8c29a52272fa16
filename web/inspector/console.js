// The console: edits, if the host allows them. The host executes each edit and writes it to its recording, if it has one.

import { fill, h, options } from "/elements.js";

/** Milliseconds between two requests for the list of controllers. */
const PAUSE = 1000;

const FORMS = {
  apply: ["Apply an effect", [["controller", "To", "controllers"], ["effect", "Effect", "effects"], ["source", "From", "controllers?"], ["level", "Level", "number"]]],
  "set-base": ["Set a base value", [["controller", "Of", "controllers"], ["attribute", "Attribute", "attributes"], ["value", "Value", "number!"]]],
  activate: ["Activate an ability", [["controller", "Of", "controllers"], ["ability", "Ability", "abilities"], ["target", "At", "controllers?"]]],
  grant: ["Grant an ability", [["controller", "To", "controllers"], ["ability", "Ability", "abilities"]]],
  event: ["Send an event", [["controller", "To", "controllers"], ["tag", "Tag", "tags"], ["magnitude", "Magnitude", "number"]]],
  spawn: ["Spawn", [["template", "Template", "templates"]]],
  despawn: ["Despawn", [["controller", "Controller", "controllers"]]],
};

export class Console {
  constructor(app) {
    this.app = app;
    this.log = h("div");
    this.forms = h("div", { class: "cards" });
    this.pace = h("div", { class: "bar" });
    this.element = h("section", { "aria-label": "Console" }, h("div", { class: "head" }, h("h1", {}, "Console")), this.kept = h("p", { role: "status" }),
      this.paceCard = h("div", { class: "cards" }, h("section", { class: "card w12", "aria-label": "Pace" }, h("h2", {}, "Pace"), this.pace)),
      this.forms,
      h("div", { class: "cards" }, h("section", { class: "card w12", "aria-label": "Executed edits" }, h("h2", {}, "Executed edits"), h("div", { "aria-live": "polite" }, this.log))));
  }

  async update() {
    if (!this.app.connection.hello.edit) return fill(this.element, h("p", { class: "empty" }, "This inspector is read-only. Start the host with --allow-edit to allow edits."));
    if (!this.built) await this.build();
    if (performance.now() - this.looked > PAUSE) await this.look();
    this.paceCard.hidden = this.app.connection.hello.pace === false;
    const { paused, speed } = this.app.connection.head.pace;
    this.pause.textContent = paused ? "Run" : "Pause";
    this.step.disabled = !paused;
    if (document.activeElement !== this.speed) this.speed.value = String(speed);
    const { lines, recording } = await this.app.ask("console");
    this.kept.className = recording ? "note" : "note warn";
    this.kept.textContent = recording ? `Recorded in ${recording}.` : "Edits are not recorded and are lost when the game ends. Start the host with --record to keep them.";
    fill(this.log, lines.length ? h("ul", { class: "feed" }, lines.map((line) => h("li", {}, h("span", { class: "num muted" }, `${line.time.toFixed(2)} s`),
      h("span", { class: line.error ? "chip bad" : "chip on" }, line.error ? "refused" : "done"), h("span", { class: "what small" }, line.text, line.error ? h("div", { class: "muted" }, line.error) : null)))) : h("p", { class: "muted" }, "No edits yet."));
  }

  /** Updates the lists of controllers. */
  async look() {
    const world = await this.app.connection.ask("world", { limit: 200 });
    this.looked = performance.now();
    const controllers = world.rows.map((row) => [row.id, row.name]);
    for (const [select, first] of this.controllerLists) {
      const chosen = select.value;
      options(select, [...first, ...controllers], controllers.some(([id]) => id === chosen) ? chosen : (first[0] ?? controllers[0] ?? [""])[0]);
    }
    return world;
  }

  async build() {
    const names = await this.app.connection.ask("vocabulary");
    this.controllerLists = [];
    const world = await this.look();
    this.built = true;
    const lists = { effects: names.effects, abilities: names.abilities, templates: names.templates, tags: names.tags, attributes: world.attributes };
    const pace = (fields) => this.app.connection.ask("pace", fields).then(() => this.app.refresh());
    this.pause = h("button", { type: "button", class: "primary", "data-key": "pause", onclick: () => pace({ paused: !this.app.connection.head.pace.paused }) });
    this.step = h("button", { type: "button", "data-key": "game-step", onclick: () => pace({ steps: 1 }) }, "Step");
    this.speed = h("input", { type: "number", min: "0.01", max: "100", step: "any", onchange: (event) => pace({ speed: Number(event.target.value) }) });
    this.pace.append(this.pause, this.step, h("label", {}, "Speed", this.speed));
    this.forms.append(...Object.entries(FORMS).map(([command, [title, fields]]) => this.form(command, title, fields, lists)));
    await this.look();
    const isThere = (select) => [...select.options].some((option) => option.value === this.app.controller);
    for (const [select, first] of this.controllerLists) if (!first.length && isThere(select)) select.value = this.app.controller;
  }

  form(command, title, fields, lists) {
    const result = h("span", { class: "small muted", role: "status" });
    const inputs = fields.map(([key, label, kind]) => {
      const name = `${command}-${key}`;
      if (kind.startsWith("number")) return h("label", {}, label, h("input", { name: key, type: "number", step: "any", required: kind.endsWith("!"), "data-key": name }));
      const choices = (lists[kind.replace("?", "")] ?? []).map((choice) => [choice, choice]);
      const select = h("select", { name: key, "data-key": name }, choices.map(([value, text]) => h("option", { value }, text)));
      if (kind.startsWith("controllers")) this.controllerLists.push([select, kind.endsWith("?") ? [["", "(none)"]] : []]);
      return h("label", {}, label, select);
    });
    const submit = async (event) => {
      event.preventDefault();
      const values = {};
      for (const [key, , kind] of fields) {
        const value = event.target.elements[key].value;
        if (value !== "") values[key] = kind.startsWith("number") ? Number(value) : value;
      }
      try {
        const { accepted, recording } = await this.app.connection.ask("edit", { command, ...values });
        result.textContent = recording ? accepted : `${accepted}, not recorded`;
      } catch (error) { result.textContent = error.message; }
    };
    return h("section", { class: "card w6", "aria-label": title }, h("h2", {}, title), h("form", { class: "bar", onsubmit: submit }, inputs, h("button", { class: "primary", type: "submit", "aria-label": title }, title.split(" ")[0])), result);
  }
}
