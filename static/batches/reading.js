// How the study's comparison reads the answer so far, as the server says it. Asked after a pause.

import { csrfToken } from "./saver.js";

const PAUSE_MS = 600;
const TIMEOUT_MS = 20_000;

export class Reading {
  // Without a place, the study's judge is no comparison.
  constructor({ place, field }) {
    Object.assign(this, { place, field });
    if (place) field.addEventListener("input", () => this.later());
  }

  later() {
    clearTimeout(this.timer);
    if (this.place) this.timer = setTimeout(() => this.#ask(), PAUSE_MS);
  }

  // What cannot be asked now leaves the page as it is: the answer is saved all the same.
  async #ask() {
    this.asked?.abort();
    const asked = (this.asked = new AbortController());
    try {
      const reply = await fetch(this.place.dataset.readingUrl, {
        method: "POST",
        headers: { "X-CSRFToken": csrfToken() },
        body: new URLSearchParams({ text: this.field.value }),
        signal: AbortSignal.any([asked.signal, AbortSignal.timeout(TIMEOUT_MS)]),
      });
      const html = await reply.text();
      if (reply.ok && !asked.signal.aborted) this.place.querySelector("[data-reading]").innerHTML = html;
    } catch {
      return;
    }
  }
}
