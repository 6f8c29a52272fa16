// A browser, driven over its own pipe: nothing to install but the browser.

import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/** The browser of this machine, or null. */
export function findBrowser() {
  if (process.env.CHROMIUM) return process.env.CHROMIUM;
  const folders = (process.env.PATH ?? "").split(delimiter);
  for (const name of NAMES) {
    for (const folder of folders) {
      const file = join(folder, name);
      if (existsSync(file)) return file;
    }
  }
  return null;
}

export class Browser {
  #next = 1;
  #waiting = new Map();
  #rest = "";
  #listeners = [];

  static async launch(file) {
    const browser = new Browser();
    browser.profile = mkdtempSync(join(tmpdir(), "ugas-browser-"));
    const flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking",
      "--disable-component-update", "--disable-default-apps", "--disable-extensions", "--disable-sync", "--mute-audio", "--hide-scrollbars",
      `--user-data-dir=${browser.profile}`, "--remote-debugging-pipe", "about:blank"];
    browser.process = spawn(file, flags, { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
    browser.process.stdio[4].setEncoding("utf8").on("data", (data) => browser.#hear(data));
    browser.process.on("exit", () => { for (const { reject } of browser.#waiting.values()) reject(new Error("the browser is gone")); });
    return browser;
  }

  #hear(data) {
    const parts = (this.#rest + data).split("\0");
    this.#rest = parts.pop();
    for (const part of parts) {
      const message = JSON.parse(part);
      const waiting = this.#waiting.get(message.id);
      if (waiting) {
        this.#waiting.delete(message.id);
        if (message.error) waiting.reject(new Error(`${waiting.method}: ${message.error.message}`));
        else waiting.resolve(message.result);
      } else for (const listener of this.#listeners) listener(message);
    }
  }

  on(listener) { this.#listeners.push(listener); }

  send(method, params = {}, sessionId = undefined) {
    return new Promise((resolve, reject) => {
      const id = this.#next++;
      this.#waiting.set(id, { resolve, reject, method });
      this.process.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    });
  }

  async page(url, { width = 1280, height = 860, dark = false, mobile = false } = {}) {
    const { targetId } = await this.send("Target.createTarget", { url: "about:blank" });
    const { sessionId } = await this.send("Target.attachToTarget", { targetId, flatten: true });
    const page = new Page(this, sessionId, targetId);
    this.on((message) => page.hear(message));
    for (const domain of ["Page", "Runtime", "Log", "Network"]) await page.send(`${domain}.enable`);
    await page.send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile });
    await page.send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: dark ? "dark" : "light" }] });
    await page.send("Page.navigate", { url });
    return page;
  }

  async close() {
    this.process.kill();
    await new Promise((resolve) => { if (this.process.exitCode !== null) resolve(); else this.process.once("exit", resolve); });
    // Its helpers outlive it for a moment and write on. What they leave behind says nothing about the page.
    for (let tries = 20; tries; tries--) {
      try { return rmSync(this.profile, { recursive: true, force: true }); } catch { await new Promise((resolve) => setTimeout(resolve, 100)); }
    }
  }
}

class Page {
  problems = [];
  constructor(browser, session, target) { Object.assign(this, { browser, session, target }); }

  send(method, params) { return this.browser.send(method, params, this.session); }

  hear({ method, params, sessionId }) {
    if (sessionId !== this.session) return;
    if (method === "Runtime.exceptionThrown") this.problems.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
    if (method === "Runtime.consoleAPICalled" && ["error", "warning", "assert"].includes(params.type)) this.problems.push(params.args.map((arg) => arg.value ?? arg.description).join(" "));
    if (method === "Log.entryAdded" && ["error", "warning"].includes(params.entry.level)) this.problems.push(`${params.entry.text} ${params.entry.url ?? ""}`);
    if (method === "Network.responseReceived" && params.response.status >= 400) this.problems.push(`${params.response.status} ${params.response.url}`);
  }

  /** What an expression of the page is. */
  async evaluate(expression) {
    const { result, exceptionDetails } = await this.send("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
    if (exceptionDetails) throw new Error(`${expression}: ${exceptionDetails.exception?.description ?? exceptionDetails.text}`);
    return result.value;
  }

  /** Waits until an expression is true, and gives back what it is. */
  async until(expression, what = expression) {
    const end = Date.now() + 30_000;
    for (;;) {
      const value = await this.evaluate(expression).catch(() => false);
      if (value) return value;
      if (Date.now() > end) throw new Error(`waited in vain for: ${what}\nproblems: ${this.problems.join("\n")}\npage: ${await this.evaluate("document.body.innerText").catch(() => "")}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  text(selector = "body") { return this.evaluate(`document.querySelector(${JSON.stringify(selector)})?.innerText ?? ""`); }

  /** Clicks where the element is, as a hand does: a button is down for a while. */
  async click(selector) {
    const quoted = JSON.stringify(selector);
    const place = await this.until(`(() => { const e = document.querySelector(${quoted}); if (!e) return null; e.scrollIntoView({ block: "center" }); const r = e.getBoundingClientRect(); return { x: r.x + r.width / 2, y: r.y + r.height / 2 }; })()`, selector);
    await this.send("Input.dispatchMouseEvent", { type: "mousePressed", ...place, button: "left", clickCount: 1 });
    await new Promise((resolve) => setTimeout(resolve, 80));
    await this.send("Input.dispatchMouseEvent", { type: "mouseReleased", ...place, button: "left", clickCount: 1 });
  }

  /** Modifiers are 1 for Alt, 2 for Control, 4 for Meta. */
  async key(key, modifiers = 0) {
    for (const type of ["keyDown", "keyUp"]) await this.send("Input.dispatchKeyEvent", { type, key, code: key, modifiers });
  }

  async type(selector, text) {
    await this.evaluate(`document.querySelector(${JSON.stringify(selector)}).focus()`);
    await this.send("Input.insertText", { text });
  }

  async screenshot() {
    const { data } = await this.send("Page.captureScreenshot", { format: "png" });
    return Buffer.from(data, "base64");
  }

  close() { return this.browser.send("Target.closeTarget", { targetId: this.target }); }
}
