// When a question was first shown from the page's memory. What cannot be told now waits, on this device, too, for a later
// page: the question's number and the time, nothing else. The server keeps how long ago it was by this device, and when
// it heard of it.

import { isSignedOut, readReply } from "../js/replies.js";
import { csrfToken } from "./saver.js";

const TIMEOUT_MS = 10_000;

export class FirstViews {
  constructor({ url, session }) {
    Object.assign(this, { url, prefix: `chiron:seen:${session}:`, waiting: new Map(), isSending: false });
    this.#recall();
  }

  note(position) {
    if (!this.waiting.has(position)) {
      this.waiting.set(position, { steady: performance.now(), device: Date.now() });
      this.#keep(position);
    }
    return this.send();
  }

  // The oldest first; the rest waits for the next time that the server is heard.
  async send() {
    if (this.isSending) return;
    this.isSending = true;
    for (const [position, seenAt] of this.waiting) {
      if (!(await this.#tell(position, seenAt))) break;
      this.#forget(position);
    }
    this.isSending = false;
  }

  async #tell(position, { steady, device }) {
    // While the device sleeps one of its clocks may stand still; that of an earlier page says nothing here.
    const passed = Math.max(performance.now() - (steady ?? performance.now()), Date.now() - device);
    try {
      const reply = await fetch(this.url.replace("/0/", `/${position}/`), {
        method: "POST",
        headers: { "Content-Type": "application/json", "X-CSRFToken": csrfToken() },
        body: JSON.stringify({ seconds_ago: Math.min(Math.floor(passed / 1_000), 2 ** 31 - 1) }),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      await readReply(reply);
      return !isSignedOut(reply);
    } catch {
      return false;
    }
  }

  // What earlier pages could not tell.
  #recall() {
    try {
      const kept = Object.keys(localStorage).filter((key) => key.startsWith(this.prefix));
      const views = kept.map((key) => [Number(key.slice(this.prefix.length)), { steady: null, device: Number(localStorage.getItem(key)) }]);
      this.waiting = new Map(views.sort(([, one], [, other]) => one.device - other.device));
    } catch {
      // Without storage there is nothing to recall.
    }
  }

  #keep(position) {
    try {
      localStorage.setItem(this.prefix + position, String(this.waiting.get(position).device));
    } catch {
      // It is told as long as this page is open.
    }
  }

  #forget(position) {
    this.waiting.delete(position);
    try {
      localStorage.removeItem(this.prefix + position);
    } catch {
      // Without storage there is nothing to remove.
    }
  }
}
