// The answer as formatted Markdown below the field, kept up to date while it is open.

import { gettext } from "../js/texts.js";
import { csrfToken } from "./saver.js";

const PAUSE_MS = 800;
const TIMEOUT_MS = 20_000;

export class Preview {
  constructor({ button, field }) {
    Object.assign(this, { button, field });
    this.section = document.getElementById("answer-preview");
    this.status = this.section.querySelector("[data-preview-status]");
    this.place = this.section.querySelector("[data-preview-html]");
    button.hidden = false;
    button.addEventListener("click", () => this.toggle());
    field.addEventListener("input", () => this.#later());
  }

  toggle() {
    const isOpen = this.section.hidden;
    this.section.hidden = !isOpen;
    this.button.setAttribute("aria-expanded", String(isOpen));
    if (!isOpen) return;
    this.#load();
    this.section.scrollIntoView({ block: "nearest" });
  }

  refresh() {
    if (!this.section.hidden) this.#load();
  }

  #later() {
    clearTimeout(this.timer);
    if (!this.section.hidden) this.timer = setTimeout(() => this.#load(), PAUSE_MS);
  }

  async #load() {
    this.asked?.abort();
    const asked = (this.asked = new AbortController());
    // Somebody who types on with the preview open is not told of every reload.
    if (this.place.childElementCount === 0) this.status.textContent = gettext("Loading the preview…");
    try {
      const { html, sentence } = await this.#ask(this.field.value, asked.signal);
      if (asked.signal.aborted) return;
      if (typeof html === "string") this.place.innerHTML = html; // Sanitised by the server.
      this.status.textContent = sentence ?? (html ? "" : gettext("There is nothing to show yet."));
    } catch {
      if (this.asked !== asked) return;
      this.status.textContent = gettext("The preview cannot be loaded now. Your answer is not affected.");
    }
  }

  async #ask(text, signal) {
    const reply = await fetch(this.button.dataset.previewUrl, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-CSRFToken": csrfToken() },
      body: JSON.stringify({ text }),
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    return reply.json();
  }
}
