// The page's frame: the current view, the shown moment, and the drawer with explanations.

import { Connection } from "/connection.js";
import { fill, h, newestWins, options } from "/elements.js";
import { World } from "/world.js";
import { Controller } from "/controller.js";
import { Timeline } from "/timeline.js";
import { Network } from "/network.js";
import { Console } from "/console.js";
import { checks, checksHead, explanation } from "/explain.js";
import "/scrubber.js";

const connection = new Connection();
const main = document.getElementById("main");
const drawer = document.getElementById("drawer");
const scrubber = document.getElementById("scrubber");
const status = document.getElementById("connection");

/** Resolves when no button is held down: an element that is replaced between press and release gets no click. */
const released = (() => {
  const LONGEST = 1000;
  let held = null;
  const press = () => {
    if (held) return;
    const now = {};
    now.promise = new Promise((resolve) => { now.resolve = resolve; });
    held = now;
    setTimeout(release, LONGEST, now);
  };
  const release = (which = held) => {
    if (!held || which !== held) return;
    // The click event comes after the release.
    setTimeout(held.resolve);
    held = null;
  };
  const isHeld = (event) => event.target.closest?.("main, #drawer");
  addEventListener("pointerdown", (event) => { if (isHeld(event)) press(); }, true);
  addEventListener("keydown", (event) => { if (event.key === " " && isHeld(event) && event.target.closest("button, a")) press(); }, true);
  for (const type of ["pointerup", "pointercancel", "keyup", "blur"]) addEventListener(type, () => release(), true);
  return () => held?.promise;
})();

/** State shared by all views. `moment` is null while the page follows the newest moment. */
const app = {
  connection,
  moment: null,
  since: 0,
  view: "world",
  controller: null,
  open: null,
  get now() { return this.moment ?? connection.head?.last ?? 0; },
  async ask(request, fields = {}) {
    const at = this.moment === null ? {} : { at: this.moment };
    const answer = await connection.ask(request, { ...at, ...fields });
    await released();
    return answer;
  },
  show(view, controller) {
    location.hash = controller ? `${view}/${controller}` : view;
  },
  goTo(moment) {
    const head = connection.head;
    const isNewest = connection.hello?.live && moment >= (head?.last ?? 0);
    this.moment = isNewest ? null : Math.max(head?.first ?? 0, Math.min(moment, head?.last ?? 0));
    refresh();
  },
  goToTime(time) { scrubber.stop(); this.goTo(scrubber.momentAt(time)); },
  explain(controller, attribute) { this.open = { kind: "explain", controller, attribute }; refresh(); focusDrawer(); },
  check(ability) { this.open = { kind: "checks", ability, target: "" }; refresh(); focusDrawer(); },
};

const views = { world: new World(app), controller: new Controller(app), timeline: new Timeline(app), network: new Network(app), console: new Console(app) };

const refresh = newestWins(async () => {
  if (!connection.hello) return;
  await scrubber.update(app).catch(() => {});
  const view = views[app.view];
  try {
    await view.update();
    if (main.firstElementChild !== view.element) main.replaceChildren(view.element);
    main.querySelector(":scope > .note.bad")?.remove();
  } catch (error) {
    if (error.code === "not-there") fill(main, h("p", { class: "empty" }, `${error.message}.`));
    else fill(main, h("p", { class: "note bad", role: "alert" }, error.message));
  }
  await showDrawer();
});

async function showDrawer() {
  const open = app.open;
  drawer.hidden = !open;
  if (!open) return;
  const close = h("button", { class: "quiet", type: "button", "aria-label": "Close the explanation", "data-key": "close", onclick: closeDrawer }, "✕");
  try {
    if (open.kind === "checks") await showChecks(open, close);
    else fill(drawer, explanation(await app.ask("explain", { controller: open.controller, attribute: open.attribute }), close));
    if (wantsFocus) close.focus();
    wantsFocus = false;
  } catch (error) {
    fill(drawer, h("div", { class: "head" }, h("h1", {}, "Explanation"), h("span", { class: "right" }, close)), h("p", { class: "note" }, `${error.message}.`));
  }
}

/** The checks of an ability against a chosen target. The target's list stays in place while the rest is replaced. */
async function showChecks(open, close) {
  const answer = await app.ask("checks", { ability: open.ability, target: open.target });
  const { rows } = await app.ask("world", { limit: 200 });
  if (open.frame?.parentNode !== drawer) {
    open.body = h("div");
    open.select = h("select", { "data-key": "check-target", onchange: (event) => { open.target = event.target.value; refresh(); } });
    open.frame = h("div", {}, checksHead(answer, close), h("div", { class: "bar" }, h("label", { class: "grow" }, "Against", open.select)), open.body);
    fill(drawer, open.frame);
  }
  const gone = open.target && !rows.some((row) => row.id === open.target) ? [[open.target, "(despawned)"]] : [];
  options(open.select, [["", "(no target)"], ...gone, ...rows.map((row) => [row.id, row.name])], open.target);
  fill(open.body, checks(answer));
}

/** Focus moves into the drawer when it opens, and back to the opener when it closes. */
let opener = null;
let wantsFocus = false;
function focusDrawer() {
  opener = document.activeElement;
  wantsFocus = true;
}
function closeDrawer() {
  app.open = null;
  drawer.hidden = true;
  const key = opener?.dataset?.key;
  (key ? main.querySelector(`[data-key="${CSS.escape(key)}"]`) : opener)?.focus?.();
}

function route() {
  const [view, controller] = location.hash.slice(1).split("/");
  app.view = Object.hasOwn(views, view) ? view : "world";
  if (controller) app.controller = controller;
  for (const link of document.querySelectorAll("nav a")) {
    if (link.dataset.view === app.view) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  refresh();
}

/** Shows the link to the network view if the host reports clients. */
function showNetwork() {
  document.querySelector('nav a[data-view="network"]').hidden = !connection.head.clients;
}

/** The game or recording that the previous connection showed. */
let subject = null;

connection.addEventListener("hello", () => {
  const { title, live, edit, version, catalog } = connection.hello;
  // After a reconnect the game may be another one, with other names and permissions: reload the page.
  const now = JSON.stringify([title, live, edit, version]);
  if (subject && (subject.now !== now || (subject.catalog && catalog && subject.catalog !== catalog))) return location.reload();
  subject = { now, catalog };
  if (app.moment !== null && app.moment > connection.head.last) app.moment = live ? null : connection.head.last;
  document.getElementById("title").textContent = title;
  document.title = `${title} – UGAS inspector`;
  status.className = "dot on";
  status.textContent = `${live ? "live" : "recording"}${edit ? ", edits allowed" : ""}`;
  document.querySelector('nav a[data-view="console"]').hidden = !edit;
  showNetwork();
  if (!live && app.moment === null) app.moment = connection.head.last;
  refresh();
});
connection.addEventListener("head", () => {
  showNetwork();
  if (app.moment !== null && app.moment < connection.head.first) app.moment = connection.head.first;
  refresh();
});
connection.addEventListener("closed", () => { status.className = "dot off"; status.textContent = "not connected"; });
connection.addEventListener("problem", (event) => { fill(main, h("p", { class: "note bad", role: "alert" }, event.detail)); });
addEventListener("hashchange", route);
// The hash of the URL names the view, so this link must not change it.
document.querySelector(".skip").addEventListener("click", (event) => { event.preventDefault(); main.focus(); });
addEventListener("keydown", (event) => {
  if (!connection.hello) return;
  if (event.key === "Escape" && app.open) return closeDrawer();
  // Combinations with modifiers belong to the browser (Alt and an arrow goes back), and so do keys in input fields
  // and scrolling keys in scrollable areas.
  if (event.altKey || event.ctrlKey || event.metaKey || event.target.closest("input, select, textarea")) return;
  if (event.target.matches(".scroll") && ["PageUp", "PageDown", "Home", "End"].includes(event.key)) return;
  const step = { ArrowLeft: -1, ArrowRight: 1, PageUp: -20, PageDown: 20 }[event.key];
  if (step) { event.preventDefault(); app.goTo(app.now + step); }
  else if (event.key === "Home") app.goTo(connection.head?.first ?? 0);
  else if (event.key === "End") app.goTo(connection.head?.last ?? 0);
  else if (event.key === " " && !event.target.closest("button, a")) { event.preventDefault(); scrubber.toggle(); }
  else if (event.key === "/") { event.preventDefault(); main.querySelector("input[type=search]")?.focus(); }
});

const theme = document.getElementById("theme");
const setTheme = (name) => { if (name) document.documentElement.dataset.theme = name; };
setTheme(localStorage.getItem("theme"));
theme.addEventListener("click", () => {
  const isDark = getComputedStyle(document.documentElement).colorScheme === "dark";
  setTheme(isDark ? "light" : "dark");
  localStorage.setItem("theme", isDark ? "light" : "dark");
});

scrubber.app = app;
app.refresh = refresh;
route();
connection.open();
