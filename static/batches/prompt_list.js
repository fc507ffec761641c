// The list of all questions: the state of each in words and signs, and going to another one.

import { gettext } from "../js/texts.js";
import { copiesOf } from "./copies.js";
import { isUnsent } from "./unsent.js";

export class PromptList {
  constructor({ session, position }) {
    this.list = document.querySelector(".answer-list");
    this.position = Number(position);
    this.#showCurrent();
    this.#showCopies(copiesOf(session).filter((copy) => copy.position !== this.position));
  }

  // Another question is shown from now on.
  move(position) {
    this.#link(this.position)?.removeAttribute("aria-current");
    this.position = position;
    this.#link(position)?.setAttribute("aria-current", "page");
    this.#showCurrent();
  }

  address(position) {
    return this.#link(position)?.href ?? null;
  }

  // The place of the question that an address leads to, or null.
  positionOf(address) {
    const entries = [...this.list.querySelectorAll("li[data-position]")];
    const entry = entries.find((one) => one.querySelector("a").href === address);
    return entry ? Number(entry.dataset.position) : null;
  }

  showSaved(isWritten, position) {
    const words = isWritten ? gettext("answered") : gettext("emptied");
    this.#say(position, isWritten ? "●" : "○", words);
  }

  showDraft(position) {
    this.#say(position, "✎", gettext("draft, not saved yet"));
  }

  showFlag(isFlagged, position) {
    const flag = this.#entry(position)?.querySelector("[data-flag]");
    if (flag) flag.hidden = !isFlagged;
  }

  // What this device keeps of other prompts. The state of the prompt being answered is told by its own saving.
  async #showCopies(copies) {
    for (const { position } of copies) this.showDraft(position);
    for (const copy of copies) {
      if (await isUnsent(this.list.dataset.answerUrl, copy)) this.showDraft(copy.position);
      else this.showSaved(copy.draft.text.trim() !== "", copy.position);
    }
  }

  // Where the list is longer than its room it scrolls by itself.
  #showCurrent() {
    const { list } = this;
    const entry = this.#entry(this.position);
    if (entry) list.scrollLeft = entry.offsetLeft - list.offsetLeft - list.clientWidth / 2;
  }

  #say(position, icon, words) {
    const entry = this.#entry(position);
    if (!entry) return;
    entry.dataset.sign = icon;
    const shown = entry.querySelector("[data-icon]");
    if (shown) shown.textContent = icon;
    entry.querySelector("[data-state]").textContent = words;
    const link = entry.querySelector("a[data-label]");
    if (link) link.title = [link.dataset.label, words].filter(Boolean).join(" · ");
  }

  #link(position) {
    return this.#entry(position)?.querySelector("a");
  }

  #entry(position) {
    return this.list.querySelector(`li[data-position="${position}"]`);
  }
}
