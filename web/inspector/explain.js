// Explanations: the calculation from base to current value, and the checks of an activation.

import { h, number, styled } from "/elements.js";

export function explanation(answer, close) {
  const skipped = answer.layers.flatMap((layer) => layer.terms).filter((term) => !term.counts);
  return [
    h("div", { class: "head" }, h("h1", {}, answer.attribute), h("span", { class: "muted" }, answer.name), h("span", { class: "right" }, close)),
    h("p", { class: "muted small" }, `at ${answer.time.toFixed(3)} s`, answer.derivedFrom ? h("span", {}, ", base derived from ", h("code", {}, answer.derivedFrom)) : null),
    answer.stale ? h("p", { class: "note warn" }, "A batch is open: this is the value from before it.") : null,
    answer.present ? waterfall(answer) : h("p", { class: "note" }, "The controller does not have this attribute."),
    bounds(answer),
    layers(answer),
    skipped.length ? h("section", {}, h("h2", {}, "Modifiers that do not count, and why"), h("ul", { class: "checks" }, skipped.map((term) =>
      h("li", {}, h("span", { class: "none", "aria-hidden": "true" }, "○"), h("span", {}, h("strong", {}, term.effect), ` ${term.operation} ${number(term.magnitude, 4)}`, h("div", { class: "small muted" }, term.why)))))) : null,
  ].filter(Boolean);
}

function waterfall(answer) {
  const bars = answer.waterfall;
  const values = bars.flatMap((bar) => [bar.from, bar.to]);
  const low = Math.min(0, ...values);
  const high = Math.max(0, ...values);
  const at = (value) => ((value - low) / (high - low || 1)) * 100;
  return h("div", { class: "fall", role: "table", "aria-label": `From base to current value of ${answer.attribute}` }, bars.map((bar) => {
    const whole = bar.kind === "base" || bar.kind === "current";
    const by = bar.to - bar.from;
    const direction = bar.kind === "current" ? "result" : whole ? "whole" : by < 0 ? "drop" : "rise";
    const area = h("div", { class: "area", role: "presentation" },
      styled(h("u"), { left: `${at(0)}%` }),
      styled(h("i"), { left: `${Math.min(at(bar.from), at(bar.to))}%`, width: `${Math.abs(at(bar.to) - at(bar.from))}%` }));
    return h("div", { class: `row ${direction}`, role: "row" },
      h("div", { class: "label", role: "rowheader" }, bar.label, bar.note ? h("small", {}, bar.note) : null), area,
      h("div", { class: "num", role: "cell" }, whole ? number(bar.to, 4) : `${by < 0 ? "−" : "+"}${number(Math.abs(by), 4)}`));
  }));
}

function bounds(answer) {
  const bound = (word, value) => value ? `${word} ${number(value.value)}${value.attribute ? ` (${value.attribute})` : ""}` : null;
  const text = [bound("at least", answer.min), bound("at most", answer.max)].filter(Boolean).join(", ");
  return text ? h("p", { class: "small muted" }, `Bounds: ${text}${answer.clamped ? ", and they changed the value" : ""}.`) : null;
}

function layers(answer) {
  if (!answer.layers.length) return h("p", { class: "note" }, "No modifier acts on it: the current value is the base value.");
  return h("section", {}, h("h2", {}, "Term by term"), answer.layers.map((layer) => h("div", {},
    answer.layers.length > 1 ? h("p", { class: "small muted" }, `Layer ${layer.index}: ${number(layer.input, 4)} → ${number(layer.output, 4)}`) : null,
    h("div", { class: "wide" }, h("table", {}, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Effect"), h("th", { scope: "col" }, "Operation"), h("th", { scope: "col", class: "num" }, "Magnitude"))),
      h("tbody", {}, layer.terms.map((term) => h("tr", {},
        h("td", {}, term.counts ? term.effect : h("s", { class: "muted" }, term.effect), term.source ? h("div", { class: "small muted" }, `from ${term.source}`) : null),
        h("td", {}, term.operation, term.channel ? h("div", { class: "small muted" }, term.channel) : null),
        h("td", { class: "num" }, number(term.magnitude, 4), term.stacks > 1 ? ` ×${term.stacks}` : "")))))))));
}

export function checksHead(answer, close) {
  return h("div", { class: "head" }, h("h1", {}, answer.ability), h("span", { class: "muted" }, answer.name), h("span", { class: "right" }, close));
}

export function checks(answer) {
  const mark = { pass: "✓", fail: "✕", none: "○" };
  const word = { pass: "passes", fail: "fails", none: "does not apply" };
  return [
    h("p", { class: answer.allowed ? "note" : "note bad" }, answer.allowed ? "It could be activated at this moment." : "It could not be activated at this moment."),
    h("h2", {}, "Checks, in order"),
    h("ul", { class: "checks" }, answer.checks.map((check) => h("li", { class: check.verdict },
      h("span", { role: "img", "aria-label": word[check.verdict] }, mark[check.verdict]),
      h("span", {}, check.check, check.reasons.map((reason) => h("div", { class: "small" }, reason)))))),
  ];
}
