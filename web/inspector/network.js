// The network view: statistics, corrections and rejections of each client.

import { fill, h, number, styled } from "/elements.js";

/** A sample is `[time, round trip, bytes received, rejected, corrected]`. */
const [TIME, TRIP, BYTES, REJECTED, CORRECTED] = [0, 1, 2, 3, 4];

/** Seconds over which a rate is averaged. */
const RATE = 1;

/** Milliseconds between two requests while following a running game: with many clients, an answer is long. */
const PAUSE = 200;

/** Maximum number of shown corrections of a client. */
const MAX_CORRECTIONS = 40;

export class Network {
  constructor(app) {
    this.app = app;
    this.looked = -Infinity;
    this.body = h("div", { class: "cards" });
    this.element = h("section", { "aria-label": "Network" }, h("div", { class: "head" }, h("h1", {}, "Network")), this.body);
  }

  async update() {
    const rest = this.looked + PAUSE - performance.now();
    if (this.app.moment === null && rest > 0) {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.app.refresh(), rest);
      return;
    }
    const { clients, time } = await this.app.ask("network");
    this.looked = performance.now();
    fill(this.body, clients.length ? clients.map((client) => this.client(client, time)) : h("p", { class: "empty w12" }, "No clients at this moment."));
  }

  client(client, now) {
    const { samples } = client;
    const since = samples.length ? samples[0][TIME] : 0;
    const trips = samples.filter((sample) => sample[TRIP] !== null).map((sample) => [sample[TIME], sample[TRIP]]);
    const rates = rate(samples);
    const known = (value, unit = "") => (value === null ? "–" : `${number(value, 0)}${unit}`);
    const facts = {
      "Round trip": known(client.roundTripMilliseconds, " ms"), Ahead: known(client.aheadTicks, " ticks"),
      Confirmed: known(client.confirmed), Rejected: known(client.rejected), Corrected: known(client.corrected),
      Received: bytes(client.receivedBytes), Sent: bytes(client.sentBytes),
    };
    const spark = (label, points, unit) => points.length < 2 ? null : h("div", { class: "curve" }, h("h3", { class: "muted small" }, label),
      wide(h("ugas-spark", { class: "wide-spark", data: { points, since, now, value: points.at(-1)[1] } })), h("span", { class: "num small" }, unit(points.at(-1)[1])));
    return h("section", { class: "card w6", "aria-label": client.name },
      h("div", { class: "head" }, h("h2", { class: "plain" }, client.name), client.plays ? h("span", { class: "muted" }, `plays ${client.plays}`) : null),
      h("dl", { class: "facts small" }, Object.entries(facts).map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value)))),
      spark("Round trip", trips, (value) => `${number(value, 0)} ms`),
      spark("Received", rates, (value) => `${bytes(value)}/s`),
      h("h3", { class: "muted small" }, "Corrections and rejections"),
      this.timeline(client, since, now),
      this.corrections(client),
      rejections(client),
      classes("Bytes received, by class", client.receivedByClass),
      classes("Bytes sent, by class", client.sentByClass));
  }

  /** A mark for each correction and rejection. */
  timeline(client, since, now) {
    const { samples, name } = client;
    const place = (time) => `${Math.max(0, Math.min(100, ((time - since) / Math.max(now - since, 1e-6)) * 100))}%`;
    let [corrections, rejected] = [0, 0];
    const marks = samples.flatMap((sample, index) => {
      const before = samples[index - 1] ?? sample;
      const by = (field) => Math.max(0, (sample[field] ?? 0) - (before[field] ?? 0));
      const [corrected, refused] = [by(CORRECTED), by(REJECTED)];
      corrections += corrected;
      rejected += refused;
      return [corrected ? styled(h("i", { class: "corrected" }), { left: place(sample[TIME]), height: `${Math.min(18, 6 * corrected)}px` }) : null,
        refused ? styled(h("i", { class: "rejected" }), { left: place(sample[TIME]) }) : null].filter(Boolean);
    });
    return h("div", {},
      h("div", { class: "rail-marks", role: "img", "aria-label": `${name}: ${corrections} corrections and ${rejected} rejections in ${number(now - since, 0)} s` }, marks),
      h("div", { class: "axis muted small" }, h("span", {}, `${since.toFixed(1)} s`), h("span", { class: "legend" }, h("i", { class: "corrected" }), "corrected ", h("i", { class: "rejected" }), "rejected"), h("span", {}, `${now.toFixed(1)} s`)));
  }

  /** The corrections of a client, with predicted and actual values. */
  corrections({ name, corrections: all }) {
    const corrections = all.slice(0, MAX_CORRECTIONS);
    if (!corrections.length) return h("p", { class: "muted small" }, "No corrections up to this moment.");
    return h("div", { class: "scroll short", "data-scroll": `corrections-${name}`, tabindex: "0", role: "region", "aria-label": `Corrections of ${name}` },
      h("ul", { class: "feed undone" }, corrections.map((correction) => h("li", {},
        h("button", { class: "link num", "data-key": `undone-${name}-${correction.time}-${correction.reason ?? ""}`, "aria-label": `Go to ${correction.time.toFixed(3)} seconds`, onclick: () => this.app.goToTime(correction.time) }, correction.time.toFixed(2)),
        h("span", { class: correction.cause === "rejected" ? "chip bad" : "chip warn" }, correction.cause === "rejected" ? "rejected" : "corrected"),
        h("span", { class: "what small" }, correction.cause === "rejected" ? h("div", {}, correction.command ? h("strong", {}, correction.command) : null, correction.command ? `: ${correction.reason}` : correction.reason) : null,
          correction.differences.length ? h("dl", { class: "diff" }, correction.differences.map((difference) => h("div", {}, h("dt", {}, difference.what), h("dd", {},
            h("s", {}, h("span", { class: "unseen" }, "predicted "), difference.predicted), " → ", h("span", { class: "unseen" }, "is "), h("strong", {}, difference.actual))))) : h("span", { class: "muted" }, "no visible change"))))));
  }
}

function rejections({ rejections }) {
  if (!rejections.length) return null;
  return h("table", { class: "gap" }, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Rejected because"), h("th", { scope: "col", class: "num" }, "Times"))),
    h("tbody", {}, rejections.map(({ reason, count }) => h("tr", {}, h("td", {}, reason), h("td", { class: "num" }, number(count, 0))))));
}

/** Bytes by traffic class: a stacked bar and a table. */
function classes(title, parts) {
  const whole = parts.reduce((sum, part) => sum + part.bytes, 0);
  if (!whole) return null;
  const share = (part) => (part.bytes / whole) * 100;
  // The last class is the overhead, in a muted colour.
  const colour = (index) => (index === parts.length - 1 ? "part-rest" : `part-${index % 4}`);
  return h("div", { class: "classes" }, h("h3", { class: "muted small" }, title),
    h("div", { class: "parts", "aria-hidden": "true" }, parts.map((part, index) => styled(h("i", { class: colour(index) }), { width: `${share(part)}%` }))),
    h("table", {}, h("thead", { class: "unseen" }, h("tr", {}, ["Class", "Bytes", "Share"].map((name) => h("th", { scope: "col" }, name)))),
      h("tbody", {}, parts.map((part, index) => h("tr", {}, h("td", {}, h("i", { class: `key ${colour(index)}`, "aria-hidden": "true" }), part.class),
        h("td", { class: "num" }, bytes(part.bytes)), h("td", { class: "num muted" }, `${number(share(part), 0)} %`))))));
}

/** Stretches a sparkline to the full width, without its dot, which would be distorted. */
function wide(spark) {
  spark.querySelector("svg").setAttribute("preserveAspectRatio", "none");
  spark.querySelector("path").setAttribute("vector-effect", "non-scaling-stroke");
  spark.querySelector("circle").remove();
  return spark;
}

/** Received bytes a second, from the counters of the samples. */
function rate(samples) {
  let first = 0;
  return samples.flatMap((sample, index) => {
    while (samples[first + 1] && samples[first + 1][TIME] <= sample[TIME] - RATE) first += 1;
    const passed = sample[TIME] - samples[first][TIME];
    return index && passed > 0 ? [[sample[TIME], Math.max(0, sample[BYTES] - samples[first][BYTES]) / passed]] : [];
  });
}

function bytes(value) {
  if (value < 1000) return `${number(value, 0)} B`;
  return value < 1e6 ? `${number(value / 1000, 1)} kB` : `${number(value / 1e6, 1)} MB`;
}
