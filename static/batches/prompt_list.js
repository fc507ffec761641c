// The list of all prompts beside the one being answered: its state in words and signs, and going to another one.

import { gettext } from "../js/texts.js";
import { copiesOf } from "./copies.js";
import { isUnsent } from "./unsent.js";

export class PromptList {
  constructor({ session, position }) {
    this.list = document.querySelector(".answer-list");
    this.position = Number(position);
    // A narrow screen shows the prompt first.
    const drawer = document.getElementById("prompt-list");
    if (drawer && !window.matchMedia("(max-width: 52rem)").matches) drawer.open = true;
    this.#showCurrent();
    this.#showCopies(copiesOf(session).filter((copy) => copy.position !== this.position));
  }

  showSaved(isWritten, position = this.position) {
    const words = isWritten ? gettext("answered") : gettext("emptied");
    this.#say(position, isWritten ? "●" : "○", words);
  }

  showDraft(position = this.position) {
    this.#say(position, "✎", gettext("draft, not saved yet"));
  }

  showFlag(isFlagged) {
    const flag = this.#entry(this.position)?.querySelector("[data-flag]");
    if (flag) flag.hidden = !isFlagged;
  }

  // Follow the link, so that going on waits for saving like any other way out.
  go(step) {
    this.#entry(this.position + step)?.querySelector("a").click();
  }

  // What this device keeps of other prompts. The state of the prompt being answered is told by its own saving.
  async #showCopies(copies) {
    for (const { position } of copies) this.showDraft(position);
    for (const copy of copies) {
      if (await isUnsent(this.list.dataset.answerUrl, copy)) this.showDraft(copy.position);
      else this.showSaved(copy.draft.text.trim() !== "", copy.position);
    }
  }

  // Where the list is longer than the screen it scrolls by itself.
  #showCurrent() {
    const { list } = this;
    const entry = this.#entry(this.position);
    if (entry) list.scrollTop = entry.offsetTop - list.offsetTop - list.clientHeight / 2;
  }

  #say(position, icon, words) {
    const entry = this.#entry(position);
    if (!entry) return;
    entry.querySelector("[data-icon]").textContent = icon;
    entry.querySelector("[data-state]").textContent = words;
  }

  #entry(position) {
    return this.list.querySelector(`li[data-position="${position}"]`);
  }
}
