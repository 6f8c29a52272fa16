// The world view: the list of controllers.

import { fill, h, later, meter, number, options } from "/elements.js";

const ROWS = 60;

export class World {
  constructor(app) {
    this.app = app;
    this.filter = { search: "", tags: "", template: "", attribute: "" };
    this.offset = 0;
    const changed = later(() => { this.offset = 0; app.refresh(); });
    const field = (key, label, properties) => h("label", { class: properties.class }, label,
      h("input", { ...properties, class: null, "data-key": key, oninput: (event) => { this.filter[key] = event.target.value.trim(); changed(); } }));
    const choice = (key, label) => {
      const select = h("select", { "data-key": key, onchange: (event) => { this.filter[key] = event.target.value; this.chosen = true; changed(); } });
      this[key] = select;
      return h("label", {}, label, select);
    };
    this.facts = h("dl", { class: "facts" });
    this.body = h("div");
    this.problem = h("p", { class: "note bad", role: "alert", hidden: true });
    this.element = h("section", { "aria-label": "World" },
      h("div", { class: "head" }, h("h1", {}, "World")),
      h("div", { class: "card", style: null }, this.facts),
      h("div", { class: "cards" }, h("div", { class: "card w12" },
        h("form", { class: "bar", role: "search", onsubmit: (event) => event.preventDefault() },
          field("search", "Name", { type: "search", placeholder: "part of a name", class: "grow" }),
          field("tags", "Tags", { type: "text", placeholder: "State.Burning !State.Dead a|b", class: "grow", spellcheck: "false" }),
          choice("template", "Template"), choice("attribute", "Attribute")),
        this.problem, this.body)));
  }

  async update() {
    const { search, tags, template, attribute } = this.filter;
    let world;
    try {
      world = await this.app.ask("world", { search, tags, template, attribute, offset: this.offset, limit: ROWS });
      this.problem.hidden = true;
    } catch (error) {
      if (error.code !== "bad-request") throw error;
      this.problem.textContent = error.message;
      this.problem.hidden = false;
      return;
    }
    options(this.template, [["", "all"], ...world.templates.filter((known) => known.name).map((known) => [known.name, `${known.name} (${known.count})`])], template);
    options(this.attribute, [["", "none"], ...world.attributes.map((name) => [name, name])], attribute);
    if (!this.chosen && world.attributes.length) {
      this.chosen = true;
      this.filter.attribute = world.attributes.includes("Health") ? "Health" : world.attributes[0];
      return this.update();
    }
    const head = this.app.connection.head;
    this.facts.replaceChildren(...Object.entries({
      Controllers: number(world.controllers, 0), Effects: number(world.effects, 0), "Abilities running": number(world.running, 0),
      Events: number(head.events, 0),
      // A recording has no tick times of its own: this is the time that the inspector needed to replay the tick.
      [this.app.connection.hello.live ? "Tick time" : "Replayed in"]: world.tickMilliseconds === null ? "–" : `${number(world.tickMilliseconds)} ms`,
    }).map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))));
    fill(this.body, this.table(world), this.pages(world));
  }

  table(world) {
    if (!world.rows.length) return h("p", { class: "empty" }, world.controllers ? "No controller matches." : "There are no controllers at this moment.");
    const attribute = this.filter.attribute;
    const rows = world.rows.map((row) => h("tr", { class: "pick", onclick: () => this.app.show("controller", row.id) },
      h("td", {}, h("button", { class: "link", "data-key": `row-${row.id}` }, row.name)),
      h("td", { class: "opt muted" }, row.template ?? ""),
      h("td", { class: "opt" }, row.tags.slice(0, 4).map((tag) => h("span", { class: "chip" }, tag)), row.tagCount > 4 ? h("span", { class: "muted small" }, `+${row.tagCount - 4}`) : null),
      h("td", { class: "num opt" }, row.effects || ""),
      h("td", { class: "num opt" }, row.running ? h("span", { class: "chip on" }, `${row.running} running`) : row.abilities || ""),
      attribute ? h("td", { class: "num" }, row.value ? h("button", { class: "link", "data-key": `value-${row.id}`, "aria-label": `Explain ${attribute} of ${row.name}`,
        onclick: (event) => { event.stopPropagation(); this.app.explain(row.id, attribute); } }, number(row.value.current)) : "–") : null,
      attribute ? h("td", { class: "opt" }, row.value ? meter(row.value, attribute) : null) : null,
      attribute ? h("td", { class: "opt" }, row.value ? h("ugas-spark", { data: { points: row.spark, since: this.app.since, now: world.time, value: row.value.current } }) : null) : null));
    return h("div", { class: "wide" }, h("table", {},
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Controller"), h("th", { scope: "col", class: "opt" }, "Template"), h("th", { scope: "col", class: "opt" }, "Tags"),
        h("th", { scope: "col", class: "num opt" }, "Effects"), h("th", { scope: "col", class: "num opt" }, "Abilities"),
        attribute ? [h("th", { scope: "col", class: "num" }, attribute), h("th", { scope: "col", class: "opt" }, "Range"), h("th", { scope: "col", class: "opt" }, "Over time")] : null)),
      h("tbody", {}, rows)));
  }

  pages(world) {
    if (world.matching <= ROWS) return h("p", { class: "muted small" }, `${number(world.matching, 0)} of ${number(world.controllers, 0)}`);
    const move = (by) => () => { this.offset = Math.max(0, this.offset + by); this.app.refresh(); };
    return h("div", { class: "head" },
      h("span", { class: "muted small" }, `${world.offset + 1}–${world.offset + world.rows.length} of ${number(world.matching, 0)}`),
      h("span", { class: "right" },
        h("button", { type: "button", "data-key": "earlier", disabled: world.offset === 0, onclick: move(-ROWS) }, "Previous"), " ",
        h("button", { type: "button", "data-key": "more", disabled: world.offset + world.rows.length >= world.matching, onclick: move(ROWS) }, "Next")));
  }
}
