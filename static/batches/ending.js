// The end of a session while its page is open: read-only, what counted, the receipt in place; and, where the
// study team gives more time, the way back.

import { gettext } from "../js/texts.js";
import { addLocalTimes } from "./local_times.js";
import { showUnsent } from "./unsent.js";

const RETRY_MS = 2_000;

export class Ending {
  constructor({ receiptUrl, form, fields, saver, copies }) {
    Object.assign(this, { receiptUrl, form, fields, saver, copies });
    this.notice = document.getElementById("session-over");
    this.place = document.getElementById("receipt-place");
    this.isOver = false;
  }

  lock(status) {
    if (this.isOver) return;
    this.isOver = true;
    this.wasUnsaved = this.saver.unsaved;
    this.#disable(true);
    this.notice.querySelector("[data-title]").textContent = title(status);
    this.notice.querySelector("[data-rule]").hidden = status !== "expired";
    this.notice.hidden = false;
    this.sayWhatIsSaved();
    this.#fetchReceipt();
  }

  unlock() {
    this.isOver = false;
    clearTimeout(this.timer);
    this.#disable(false);
    this.notice.hidden = true;
    this.place.hidden = true;
    this.place.querySelector("[data-receipt]").replaceChildren();
  }

  // A save that was on the wire at the end may come back after it.
  sayWhatIsSaved() {
    const { unsaved } = this.saver;
    this.notice.querySelector("[data-saved]").hidden = unsaved;
    this.notice.querySelector("[data-unsaved]").hidden = !unsaved;
    this.notice.classList.toggle("warn", unsaved);
    if (unsaved) return;
    this.copies.drop();
    if (this.wasUnsaved) this.#fetchReceipt();
    this.wasUnsaved = false;
  }

  #disable(isOver) {
    this.fields.lock(isOver);
    for (const button of this.form.querySelectorAll("button[type=submit]")) button.disabled = isOver;
  }

  async #fetchReceipt() {
    clearTimeout(this.timer);
    const receipt = await this.#receipt();
    if (!this.isOver) return;
    if (receipt === null) {
      this.timer = setTimeout(() => this.#fetchReceipt(), RETRY_MS);
      return;
    }
    this.place.querySelector("[data-receipt]").replaceChildren(receipt);
    this.place.hidden = false;
    addLocalTimes(receipt);
    showUnsent(receipt.querySelector("#unsent-texts"));
  }

  // null where the server cannot be reached or does not see the end yet.
  async #receipt() {
    try {
      const reply = await fetch(this.receiptUrl, { cache: "no-store" });
      const page = new DOMParser().parseFromString(await reply.text(), "text/html");
      return document.adoptNode(page.getElementById("receipt"));
    } catch {
      return null;
    }
  }
}

// The end of the practice clock: a notice says what it would mean, and nothing closes.
export class PracticeEnding {
  isOver = false;

  constructor(notice) {
    this.notice = notice;
  }

  lock() {
    this.notice.hidden = false;
  }

  unlock() {
    this.notice.hidden = true;
  }
}

function title(status) {
  if (status === "submitted") return gettext("You have submitted this question set.");
  return status === "expired" ? gettext("Your time has ended.") : gettext("This session has ended.");
}
