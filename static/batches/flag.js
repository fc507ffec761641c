// The person's own mark to come back to a prompt. Tried again until the server has it, also on a later page.

import { isSignedOut, readReply } from "../js/replies.js";
import { csrfToken } from "./saver.js";

const RETRY_MS = 5_000;

export class Flag extends EventTarget {
  // Event: "change" with detail {flagged}.
  constructor(button) {
    super();
    this.button = button;
    const { session, position } = button.form.dataset;
    this.key = `chiron:flag:${session}:${position}`;
    this.flagged = button.getAttribute("aria-pressed") === "true";
    this.sending = false;
    button.addEventListener("click", (event) => {
      event.preventDefault();
      this.toggle();
    });
    window.addEventListener("online", () => this.#send());
    const unsent = this.#unsent();
    if (unsent !== null) this.#set(unsent);
  }

  // The server knows of another mark, of another page, and nothing of this one is on its way.
  learn(flagged) {
    if (this.sending || this.#unsent() !== null || flagged === this.flagged) return;
    this.#show(flagged);
  }

  toggle() {
    if (!this.button.disabled) this.#set(!this.flagged);
  }

  #set(flagged) {
    this.#remember(flagged);
    this.#show(flagged);
    this.#send();
  }

  #show(flagged) {
    this.flagged = flagged;
    this.button.setAttribute("aria-pressed", String(flagged));
    this.dispatchEvent(new CustomEvent("change", { detail: { flagged } }));
  }

  async #send() {
    if (this.sending || this.#unsent() === null) return;
    this.sending = true;
    const flagged = this.flagged;
    try {
      const response = await fetch(this.button.dataset.flagUrl, {
        method: "PUT",
        headers: { "Content-Type": "application/json", "X-CSRFToken": csrfToken() },
        body: JSON.stringify({ flagged }),
        keepalive: true,
      });
      await readReply(response);
      // After the end, or in another session, there is nothing to mark any more.
      const isSettled = response.ok || [404, 410, 422].includes(response.status);
      if (isSettled && !isSignedOut(response)) this.#forget(flagged);
      else this.#retry();
    } catch {
      this.#retry();
    } finally {
      this.sending = false;
    }
    if (this.flagged !== flagged) this.#send();
  }

  #retry() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.#send(), RETRY_MS);
  }

  #remember(flagged) {
    this.waiting = flagged;
    try {
      localStorage.setItem(this.key, String(flagged));
    } catch {
      // It is tried again as long as this page is open.
    }
  }

  #forget(flagged) {
    if (this.waiting !== flagged) return;
    this.waiting = null;
    try {
      localStorage.removeItem(this.key);
    } catch {
      // Without storage there is nothing to remove.
    }
  }

  #unsent() {
    if (typeof this.waiting === "boolean") return this.waiting;
    if (this.waiting === null) return null;
    try {
      const kept = localStorage.getItem(this.key);
      return kept === null ? null : kept === "true";
    } catch {
      return null;
    }
  }
}
