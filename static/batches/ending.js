// The end of a session while its page is open: read-only, what counted, the receipt in place; and, where the
// study team gives more time, the way back.

import { fill, gettext } from "../js/texts.js";
import { addLocalTimes } from "./local_times.js";
import { addPrinting } from "./printing.js";
import { showUnsent } from "./unsent.js";

const RETRY_MS = 2_000;

export class Ending {
  // `workplace`: the questions that were opened, of which one is shown.
  constructor({ receiptUrl, workplace }) {
    Object.assign(this, { receiptUrl, workplace });
    this.notice = document.getElementById("session-over");
    this.place = document.getElementById("receipt-place");
    this.isOver = false;
  }

  lock(status) {
    if (this.isOver) return;
    this.isOver = true;
    this.wasUnsaved = this.workplace.unsaved.length > 0;
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
    const { shown, unsaved } = this.workplace;
    const isUnsaved = unsaved.includes(shown);
    this.notice.querySelector("[data-saved]").hidden = isUnsaved;
    this.notice.querySelector("[data-unsaved]").hidden = !isUnsaved;
    this.#sayOthers(unsaved.filter((work) => work !== shown));
    this.notice.classList.toggle("warn", unsaved.length > 0);
    this.notice.classList.toggle("info", unsaved.length === 0);
    for (const work of this.workplace.opened) if (!work.saver.unsaved) work.copies.drop();
    if (unsaved.length > 0) return;
    if (this.wasUnsaved) this.#fetchReceipt();
    this.wasUnsaved = false;
  }

  // The rule of the study holds for all alike; what did not arrive stays readable here.
  #sayOthers(works) {
    const place = this.notice.querySelector("[data-others]");
    const positions = works.map((work) => work.position).sort((one, other) => one - other);
    const words = gettext("Not saved in time as you wrote it either: question %(positions)s. You can read and copy these texts, too.");
    place.hidden = positions.length === 0;
    place.textContent = place.hidden ? "" : fill(words, { positions: positions.join(", ") });
  }

  #disable(isOver) {
    for (const work of this.workplace.opened) work.lock(isOver);
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
    addPrinting(receipt);
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
