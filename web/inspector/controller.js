// One controller: everything about it.

import { fill, h, meter, number, seconds, styled } from "/elements.js";

export class Controller {
  constructor(app) {
    this.app = app;
    this.element = h("section", { "aria-label": "Controller" });
  }

  async update() {
    if (!this.app.controller) {
      const world = await this.app.ask("world", { limit: 1 });
      this.app.controller = world.rows[0]?.id;
    }
    if (!this.app.controller) return fill(this.element, h("p", { class: "empty" }, "There are no controllers at this moment."));
    const [page, log] = await Promise.all([
      this.app.ask("controller", { controller: this.app.controller }),
      this.app.ask("events", { controllers: [this.app.controller], limit: 12 }),
    ]);
    fill(this.element, this.head(page), h("div", { class: "cards" },
      card("w7", "Attributes", this.attributes(page)),
      card("w5", "Tags", tags(page)),
      card("w7", "Effects", this.effects(page)),
      card("w5", "Abilities", this.abilities(page)),
      page.runs.length ? card("w12", "Running", programs(page)) : null,
      card("w7", "Last events", this.events(log)),
      card("w5", "Cues and inputs", cues(page))));
  }

  head(page) {
    const facts = { Template: page.template, Team: page.team, State: page.inactive ? "inactive" : null, "Summoned by": page.summonedBy, Owner: page.owner, Avatar: page.avatar, Position: page.position?.map((part) => number(part)).join(", ") };
    return h("div", { class: "card" },
      h("div", { class: "head" }, h("h1", {}, page.name),
        h("span", { class: "right" }, h("button", { class: "link", "data-key": "world", onclick: () => this.app.show("world") }, "All controllers"))),
      h("dl", { class: "facts small" }, Object.entries(facts).filter(([, value]) => value !== null && value !== undefined)
        .map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value)))));
  }

  attributes(page) {
    if (!page.attributes.length) return none("No attributes.");
    return h("div", { class: "wide" }, h("table", { class: "attributes" },
      h("thead", {}, h("tr", {}, ["Attribute", "Base", "Current", "Range", "Over time"].map((name, at) => h("th", { scope: "col", class: at === 1 || at === 2 ? "num" : at === 3 ? "opt" : at === 4 ? "opt late" : null }, name)))),
      h("tbody", {}, page.attributes.map((line) => h("tr", { class: "pick", onclick: () => this.app.explain(page.id, line.name) },
        h("td", {}, line.name),
        h("td", { class: "num muted" }, number(line.base)),
        h("td", { class: "num" }, h("button", { class: "link", "data-key": `explain-${line.name}`, "aria-label": `${line.name} is ${number(line.current)}: explain`,
          onclick: (event) => { event.stopPropagation(); this.app.explain(page.id, line.name); } },
          h("strong", {}, number(line.current)), change(line))),
        h("td", { class: "opt" }, meter(line, line.name)),
        h("td", { class: "opt late" }, h("ugas-spark", { data: { points: line.spark, since: this.app.since, now: page.time, value: line.current } })))))));
  }

  effects(page) {
    if (!page.effects.length) return none("No effects.");
    return page.effects.map((line) => {
      const lane = h("div", { class: line.inhibited || line.queued ? "lane off" : "lane" });
      const track = h("div", { class: "track", role: "img", "aria-label": line.duration === null ? (line.nextTick === null ? "for ever" : `for ever, next tick in ${seconds(line.nextTick - page.time)}`) : `${seconds(line.remaining)} of ${seconds(line.duration)} left` });
      // An effect without an end shows the progress to its next tick, or a full bar.
      const endless = line.duration === null;
      const length = line.duration ?? line.period ?? 1;
      const gone = !endless ? page.time - line.started : line.period && line.nextTick !== null ? line.period - (line.nextTick - page.time) : length;
      const at = (time) => `${Math.max(0, Math.min(100, (time / length) * 100))}%`;
      track.append(styled(h("i", { class: "fill" }), { width: at(gone) }));
      if (gone < length) track.append(styled(h("i", { class: "now" }), { left: at(gone) }));
      if (!endless && line.period && length / line.period <= 80) {
        const first = line.nextTick === null ? line.period : (((line.nextTick - line.started) % line.period) + line.period) % line.period;
        for (let tick = first || line.period; tick < length; tick += line.period) track.append(styled(h("i", { class: "tick" }), { left: at(tick) }));
      }
      lane.append(
        h("div", { class: "name" }, h("h3", {}, line.name), h("div", { class: "small muted" }, line.modifiers.join(", ") || line.grantedTags.join(", ")),
          line.contextTags.length ? h("div", { class: "small muted" }, `context: ${line.contextTags.join(", ")}`) : null,
          line.abilityTags.length ? h("div", { class: "small muted" }, `ability tags: ${line.abilityTags.join(", ")}`) : null,
          named(line.setByCaller),
          line.source ? h("div", { class: "small muted" }, "from ", line.sourceId ? h("button", { class: "link", onclick: () => this.app.show("controller", line.sourceId) }, line.source) : line.source) : null),
        track,
        h("div", { class: "num small" }, line.duration === null ? "∞" : `${seconds(line.remaining)} left`,
          h("div", {}, line.stacks > 1 ? h("span", { class: "chip on" }, `×${line.stacks}`) : null,
            line.inhibited ? h("span", { class: "chip warn" }, "inhibited") : null, line.queued ? h("span", { class: "chip" }, "queued") : null,
            line.period ? h("span", { class: "chip" }, `every ${seconds(line.period)}`) : null)));
      return lane;
    });
  }

  abilities(page) {
    if (!page.abilities.length) return none("No abilities.");
    return page.abilities.map((line) => h("div", { class: "skill" },
      h("ugas-dial", { data: line.cooldown }),
      h("div", { class: "body" },
        h("div", { class: "head" }, h("button", { class: "link", "data-key": `check-${line.handle}`, "aria-label": `${line.name}: why or why not`, onclick: () => this.app.check(line.handle) }, line.name),
          h("span", { class: line.runs ? "chip on" : line.obstacles.length ? "chip" : "chip on" }, line.runs ? line.state : line.obstacles.length ? "not now" : "ready"),
          line.level > 1 ? h("span", { class: "chip" }, `level ${line.level}`) : null,
          line.input ? h("span", { class: "chip" }, line.input) : null,
          line.charges ? h("span", { class: "chip" }, `${line.charges[0]}/${line.charges[1]} charges`) : null,
          line.cooldown ? h("span", { class: "small muted" }, `${seconds(line.cooldown[0])} left`) : null),
        named(line.parameters),
        line.obstacles.length ? h("ul", { class: "tree small muted" }, line.obstacles.map((text) => h("li", {}, text))) : null)));
  }

  events(log) {
    if (!log.events.length) return none("No events yet.");
    return [h("ul", { class: "feed" }, log.events.map((event) => h("li", {},
      h("span", { class: "num muted" }, `${event.time.toFixed(2)} s`), h("span", { class: "small" }, event.kind), h("span", { class: "what small" }, event.text)))),
    h("button", { class: "link", "data-key": "timeline", onclick: () => this.app.show("timeline", this.app.controller) }, "Open the timeline")];
  }
}

function card(size, title, ...content) {
  return h("section", { class: `card ${size}`, "aria-label": title }, h("h2", {}, title), content);
}

/** Values by name in one line; null if there are none. */
const named = (values) => Object.keys(values).length ? h("div", { class: "small muted" }, Object.entries(values).map(([name, value]) => `${name} ${value}`).join(", ")) : null;

const none = (text) => h("p", { class: "muted" }, text);

function change(line) {
  const by = line.current - line.base;
  if (Math.abs(by) < 1e-9) return null;
  return h("span", { class: `small ${by > 0 ? "up" : "down"}` }, ` ${by > 0 ? "+" : "−"}${number(Math.abs(by))}`);
}

/** Tags as a tree; inner tags without an entry of their own are parents of granted tags. */
function tags(page) {
  if (!page.tags.length) return none("No tags.");
  const root = { children: new Map() };
  for (const tag of page.tags) {
    let node = root;
    for (const part of tag.name.split(".")) {
      if (!node.children.has(part)) node.children.set(part, { children: new Map() });
      node = node.children.get(part);
    }
    node.tag = tag;
  }
  const list = (node) => h("ul", { class: "tree" }, [...node.children].sort().map(([part, child]) => h("li", {},
    h("div", { class: "leaf" }, h("span", { class: child.tag ? "" : "muted" }, part),
      child.tag?.count > 1 ? h("span", { class: "chip on" }, `×${child.tag.count}`) : null,
      (child.tag?.by ?? []).map((by) => h("span", { class: by.inhibited ? "chip warn" : "chip" }, by.name))),
    child.children.size ? list(child) : null)));
  return list(root);
}

/** The programs of running activations, with the current steps highlighted. */
function programs(page) {
  return page.runs.map((run) => h("div", { class: "skill" }, h("div", { class: "body" },
    h("div", { class: "head" }, h("h3", {}, run.ability), h("span", { class: "small muted" }, `for ${seconds(page.time - run.started)}`), run.committed ? h("span", { class: "chip on" }, "committed") : null),
    named(run.numbers),
    h("ol", { class: "program" }, run.steps.map((step) => h("li", { class: step.here ? "here" : null, "aria-current": step.here ? "step" : null },
      step.kind, step.here && step.deadline !== null ? ` · ${seconds(step.deadline - page.time)} left` : "",
      step.here && step.waitsFor?.length ? ` · waits for ${step.waitsFor.join(", ")}` : ""))))));
}

function cues(page) {
  if (!page.cues.length && !page.inputs.length) return none("None at this moment.");
  return [page.cues.map((cue) => h("span", { class: "chip on" }, cue.count > 1 ? `${cue.name} ×${cue.count}` : cue.name)),
    page.inputs.map((input) => h("span", { class: "chip" }, `buffered ${input}`))];
}
