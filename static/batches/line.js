// Whether the server can be reached, and what the page says while it cannot.

import { announce } from "./announcer.js";

// One lost request is no lost line, unless the browser says so.
const MOST_MISSES = 2;

export class Line extends EventTarget {
  // Events: "found" each time the server answers.
  constructor(countdown) {
    super();
    Object.assign(this, { countdown, misses: 0, isLost: false });
    this.notice = document.getElementById("line-lost");
    countdown.addEventListener("unheard", () => this.#miss());
    countdown.addEventListener("answered", () => this.#find());
    window.addEventListener("offline", () => this.#lose());
    window.addEventListener("online", () => countdown.ask());
    if (!navigator.onLine) this.#lose();
  }

  // Asks now: a page that is opened on a lost line would be the browser's own.
  async isReachable() {
    if (!navigator.onLine) this.#lose();
    else {
      const before = this.misses;
      await this.countdown.ask();
      if (this.misses > before) this.#lose();
    }
    return !this.isLost;
  }

  // What more there is to say: that something cannot be opened now.
  say(words) {
    this.notice.querySelector("[data-words]").textContent = words;
    this.notice.hidden = false;
    announce(words || this.notice.textContent.replace(/\s+/g, " ").trim());
  }

  #miss() {
    this.misses += 1;
    if (this.misses >= MOST_MISSES || !navigator.onLine) this.#lose();
  }

  #lose() {
    if (this.isLost) return;
    this.isLost = true;
    this.say("");
    this.dispatchEvent(new Event("lost"));
  }

  #find() {
    this.misses = 0;
    this.isLost = false;
    this.notice.hidden = true;
    this.dispatchEvent(new Event("found"));
  }
}
