// The network: what it does to each client, and when.

import { fill, h, number, svg } from "/elements.js";

/** A sample is `[time, round trip, bytes received, rejected, corrected]`. */
const [TIME, TRIP, BYTES, REJECTED, CORRECTED] = [0, 1, 2, 3, 4];

/** Seconds over which a rate is taken. */
const RATE = 1;

export class Network {
  constructor(app) {
    this.app = app;
    this.body = h("div", { class: "cards" });
    this.element = h("section", { "aria-label": "Network" }, h("div", { class: "head" }, h("h1", {}, "Network")), this.body);
  }

  async update() {
    const { clients, time } = await this.app.ask("network");
    fill(this.body, clients.length ? clients.map((client) => this.client(client, time)) : h("p", { class: "empty" }, "The host tells nothing of a network."));
  }

  client(client, now) {
    const { samples } = client;
    const since = samples.length ? samples[0][TIME] : 0;
    const trips = samples.filter((sample) => sample[TRIP] !== null).map((sample) => [sample[TIME], sample[TRIP]]);
    const rates = rate(samples);
    const facts = {
      "Round trip": client.roundTripMilliseconds === null ? "–" : `${number(client.roundTripMilliseconds, 0)} ms`,
      Ahead: client.aheadTicks === null ? "–" : `${client.aheadTicks} ticks`,
      Confirmed: number(client.confirmed, 0), Rejected: number(client.rejected, 0), Corrected: number(client.corrected, 0),
      Received: bytes(client.receivedBytes), Sent: bytes(client.sentBytes),
    };
    const spark = (label, points, unit) => points.length < 2 ? null : h("div", {}, h("h3", { class: "muted small" }, label),
      wide(h("ugas-spark", { class: "wide-spark", data: { points, since, now, value: points.at(-1)[1] } })), h("span", { class: "muted small" }, unit(points.at(-1)[1])));
    return h("section", { class: "card w6", "aria-label": client.name },
      h("div", { class: "head" }, h("h2", { class: "plain" }, client.name), client.plays ? h("span", { class: "muted" }, `plays ${client.plays}`) : null),
      h("dl", { class: "facts small" }, Object.entries(facts).map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value)))),
      spark("Round trip", trips, (value) => `${number(value, 0)} ms`),
      spark("Received", rates, (value) => `${bytes(value)}/s`),
      h("h3", { class: "muted small" }, "Corrections and rejections"),
      timeline(client.name, samples, since, now),
      client.rejections.length ? h("table", {}, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Rejected because"), h("th", { scope: "col", class: "num" }, "Times"))),
        h("tbody", {}, client.rejections.map(({ reason, count }) => h("tr", {}, h("td", {}, reason), h("td", { class: "num" }, number(count, 0)))))) : null);
  }
}

/** A curve over all the room there is; a dot would become an egg. */
function wide(spark) {
  spark.querySelector("svg").setAttribute("preserveAspectRatio", "none");
  spark.querySelector("path").setAttribute("vector-effect", "non-scaling-stroke");
  spark.querySelector("circle").remove();
  return spark;
}

/** Bytes a second, from what was counted. */
function rate(samples) {
  let first = 0;
  return samples.flatMap((sample, index) => {
    while (samples[first + 1] && samples[first + 1][TIME] <= sample[TIME] - RATE) first += 1;
    const passed = sample[TIME] - samples[first][TIME];
    return index && passed > 0 ? [[sample[TIME], (sample[BYTES] - samples[first][BYTES]) / passed]] : [];
  });
}

/** A mark for each sample in which something was corrected or rejected. */
function timeline(name, samples, since, now) {
  const [width, height] = [400, 26];
  const x = (time) => (2 + ((time - since) / Math.max(now - since, 1e-6)) * (width - 4)).toFixed(1);
  const marks = [];
  let [corrections, rejections] = [0, 0];
  samples.forEach((sample, index) => {
    const before = samples[index - 1] ?? sample;
    const [corrected, rejected] = [sample[CORRECTED] - before[CORRECTED], sample[REJECTED] - before[REJECTED]];
    if (corrected > 0) marks.push(svg("line", { x1: x(sample[TIME]), x2: x(sample[TIME]), y1: height - 4, y2: height - 4 - Math.min(18, 6 * corrected), stroke: "var(--warn)", "stroke-width": 2 }));
    if (rejected > 0) marks.push(svg("circle", { cx: x(sample[TIME]), cy: 5, r: 3.5, fill: "var(--bad)" }));
    corrections += Math.max(0, corrected);
    rejections += Math.max(0, rejected);
  });
  const title = svg("title");
  title.textContent = `${name}: ${corrections} corrections and ${rejections} rejections in ${number(now - since, 0)} s`;
  return svg("svg", { viewBox: `0 0 ${width} ${height}`, width: "100%", height, preserveAspectRatio: "none", role: "img" }, title,
    svg("line", { x1: 0, x2: width, y1: height - 3, y2: height - 3, stroke: "var(--line-strong)" }), ...marks);
}

function bytes(value) {
  return value < 1000 ? `${number(value, 0)} B` : `${number(value / 1000, 1)} kB`;
}
