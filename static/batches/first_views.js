// When a question was first shown from the page's memory. What cannot be told now waits in this page; the server keeps
// how long ago it was by this device, and when it heard of it.

import { isSignedOut, readReply } from "../js/replies.js";
import { csrfToken } from "./saver.js";

const TIMEOUT_MS = 10_000;

export class FirstViews {
  constructor(url) {
    Object.assign(this, { url, waiting: new Map(), isSending: false });
  }

  note(position) {
    if (!this.waiting.has(position)) this.waiting.set(position, { steady: performance.now(), device: Date.now() });
    return this.send();
  }

  // The oldest first; the rest waits for the next time that the server is heard.
  async send() {
    if (this.isSending) return;
    this.isSending = true;
    for (const [position, seenAt] of this.waiting) {
      if (!(await this.#tell(position, seenAt))) break;
      this.waiting.delete(position);
    }
    this.isSending = false;
  }

  async #tell(position, { steady, device }) {
    // While the device sleeps one of its clocks may stand still.
    const passed = Math.max(performance.now() - steady, Date.now() - device);
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
}
