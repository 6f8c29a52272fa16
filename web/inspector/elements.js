// Elements and helpers that all views share.

/** Creates an element: `h("td", { class: "num" }, "12")`. Text is never parsed as markup. */
export function h(name, properties = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(properties ?? {})) {
    if (key === "data") { element.data = value; continue; }
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key === "value" || key === "checked" || key === "disabled") element[key] = value;
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.flat(2).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export function svg(name, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

/** A number for people: at most `places` decimal places, no trailing zeros. */
export function number(value, places = 2) {
  if (value === null || value === undefined) return "–";
  if (!Number.isFinite(value)) return String(value);
  return value.toLocaleString("en-US", { maximumFractionDigits: places });
}

export const seconds = (value) => (value === null || value === undefined ? "∞" : `${number(value)} s`);
export const clock = (value) => `${value.toFixed(3)} s`;

export function styled(element, styles) {
  Object.assign(element.style, styles);
  return element;
}

/** A bar from the lower to the upper bound, with a mark at the base value. */
export function meter({ base, current, min, max }, label) {
  const low = min ?? Math.min(0, base, current);
  const high = max ?? Math.max(base, current, low + 1);
  const at = (value) => `${Math.max(0, Math.min(100, ((value - low) / (high - low || 1)) * 100))}%`;
  const bar = h("div", { class: "meter", role: "img", "aria-label": `${label}: ${number(current)} of ${number(high)}` });
  bar.append(styled(h("i"), { width: at(current) }));
  if (base !== current) bar.append(styled(h("b"), { left: at(base) }));
  return bar;
}

/** A sparkline: values over time as steps. `data` is `{ points: [[time, value], …], since, now, value }`. */
class Spark extends HTMLElement {
  set data({ points, since = 0, now, value }) {
    const before = [Math.min(since, now), points?.length ? points[0][1] : value];
    const steps = [before, ...(points ?? []).filter((point) => point[0] >= before[0]), [now, value]];
    const [width, height] = [110, 24];
    const first = steps[0][0];
    const last = Math.max(now, first + 1e-6);
    const values = steps.map((point) => point[1]);
    const [low, high] = [Math.min(...values), Math.max(...values)];
    const x = (time) => ((time - first) / (last - first)) * (width - 4) + 2;
    const y = (v) => (high === low ? height / 2 : height - 3 - ((v - low) / (high - low)) * (height - 6));
    let path = `M${x(steps[0][0]).toFixed(1)} ${y(steps[0][1]).toFixed(1)}`;
    for (const [time, v] of steps.slice(1)) path += `H${x(time).toFixed(1)}V${y(v).toFixed(1)}`;
    const line = svg("path", { d: path, fill: "none", stroke: "currentColor", "stroke-width": 1.5, "stroke-linejoin": "round" });
    const dot = svg("circle", { cx: x(last), cy: y(value), r: 2.2, fill: "currentColor" });
    const title = svg("title");
    title.textContent = high === low ? `steady at ${number(value)}` : `from ${number(low)} to ${number(high)}`;
    this.replaceChildren(svg("svg", { viewBox: `0 0 ${width} ${height}`, width: "100%", height: "100%", role: "img" }, title, line, dot));
  }
}

/** A dial of a cooldown. `data` is `[left, whole]` in seconds; nothing if the ability is ready. */
class Dial extends HTMLElement {
  set data(cooldown) {
    const part = cooldown ? Math.max(0, Math.min(1, cooldown[1] > 0 ? cooldown[0] / cooldown[1] : 0)) : 0;
    const round = 2 * Math.PI * 11;
    const ring = (attributes) => svg("circle", { cx: 14, cy: 14, r: 11, fill: "none", "stroke-width": 4, ...attributes });
    const title = svg("title");
    title.textContent = cooldown ? `${seconds(cooldown[0])} of ${seconds(cooldown[1])} left` : "ready";
    const picture = svg("svg", { viewBox: "0 0 28 28", width: "100%", height: "100%", role: "img" }, title,
      ring({ stroke: "var(--line)" }),
      ring({ stroke: "currentColor", "stroke-dasharray": `${(1 - part) * round} ${round}`, transform: "rotate(-90 14 14)", opacity: cooldown ? 0.9 : 1 }));
    this.replaceChildren(picture);
  }
}

customElements.define("ugas-spark", Spark);
customElements.define("ugas-dial", Dial);

const ICONS = {
  start: "M6 5v14M19 6l-9 6 9 6z", back: "M17 6l-9 6 9 6z", play: "M8 5l11 7-11 7z", pause: "M9 5v14M15 5v14", step: "M7 6l9 6-9 6z", end: "M18 5v14M5 6l9 6-9 6z",
};

/** An icon of a button. Its accessible name is the button's. */
export function icon(name) {
  const path = svg("path", { d: ICONS[name], fill: "currentColor", stroke: "currentColor", "stroke-width": 2, "stroke-linejoin": "round", "stroke-linecap": "round" });
  return svg("svg", { viewBox: "0 0 24 24", width: 16, height: 16, "aria-hidden": "true" }, path);
}

/** Runs one call at a time. Calls during a run are merged into one more run. */
export function newestWins(work) {
  let running = false;
  let again = false;
  return async function call() {
    if (running) { again = true; return; }
    running = true;
    try {
      do { again = false; await work(); } while (again);
    } finally { running = false; }
  };
}

/** Delays work until input has paused (debounce). */
export function later(work, pause = 150) {
  let timer = 0;
  return () => { clearTimeout(timer); timer = setTimeout(work, pause); };
}

/** Replaces the children, but keeps the focus (by `data-key`) and scroll positions (by `data-scroll`). */
export function fill(element, ...children) {
  const key = element.contains(document.activeElement) ? document.activeElement.dataset.key : undefined;
  const scrolled = [...element.querySelectorAll("[data-scroll]")].map((part) => [part.dataset.scroll, part.scrollTop]);
  element.replaceChildren(...children.flat(2).filter(Boolean));
  for (const [name, top] of scrolled) {
    const part = element.querySelector(`[data-scroll="${CSS.escape(name)}"]`);
    if (part) part.scrollTop = top;
  }
  if (key) element.querySelector(`[data-key="${CSS.escape(key)}"]`)?.focus({ preventScroll: true });
}

/** Sets the choices of a list. Unchanged choices are not replaced, so that an open list stays open. */
export function options(select, choices, value) {
  const known = JSON.stringify(choices);
  if (select.dataset.known !== known) {
    select.dataset.known = known;
    select.replaceChildren(...choices.map(([key, label]) => h("option", { value: key }, label)));
  }
  if (select.value !== value) select.value = value;
}
