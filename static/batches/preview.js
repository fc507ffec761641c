// The answer as formatted Markdown, in the place of the field: two tabs, Write and Preview.

import { gettext } from "../js/texts.js";
import { csrfToken } from "./saver.js";

const TIMEOUT_MS = 20_000;

export class Preview {
  constructor({ tabs, field }) {
    Object.assign(this, { tabs, field });
    [this.writing, this.showing] = tabs.querySelectorAll("[role=tab]");
    this.writePlace = document.getElementById("answer-write");
    this.section = document.getElementById("answer-preview");
    this.status = this.section.querySelector("[data-preview-status]");
    this.place = this.section.querySelector("[data-preview-html]");
    tabs.hidden = false;
    // Only with the script are these the two sides of tabs.
    this.writePlace.setAttribute("role", "tabpanel");
    this.writePlace.setAttribute("aria-labelledby", this.writing.id);
    this.writing.addEventListener("click", () => this.#open(false));
    this.showing.addEventListener("click", () => this.#open(true));
    tabs.addEventListener("keydown", (event) => this.#press(event));
  }

  get isOpen() {
    return !this.section.hidden;
  }

  // By a shortcut: whoever goes back to writing goes on where they were.
  toggle() {
    this.#open(!this.isOpen);
    if (!this.isOpen) this.field.focus();
  }

  close() {
    this.#open(false);
  }

  refresh() {
    if (this.isOpen) this.#load();
  }

  #press(event) {
    if (!["ArrowLeft", "ArrowRight"].includes(event.key)) return;
    event.preventDefault();
    this.#open(!this.isOpen);
    (this.isOpen ? this.showing : this.writing).focus();
  }

  #open(isOpen) {
    this.section.hidden = !isOpen;
    this.writePlace.hidden = isOpen;
    for (const tab of [this.writing, this.showing]) {
      const isChosen = (tab === this.showing) === isOpen;
      tab.setAttribute("aria-selected", String(isChosen));
      tab.tabIndex = isChosen ? 0 : -1;
    }
    if (isOpen) this.#load();
  }

  async #load() {
    this.asked?.abort();
    const asked = (this.asked = new AbortController());
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
    const reply = await fetch(this.showing.dataset.previewUrl, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-CSRFToken": csrfToken() },
      body: JSON.stringify({ text }),
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    return reply.json();
  }
}
