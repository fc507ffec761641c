// What earlier pages on this device left unsaved: taken over where nothing newer was saved, offered otherwise.

import { sameDraft } from "./drafts.js";
import { expectText } from "./long_texts.js";

export class Restoring {
  // `adopt(draft)` puts a draft into the page and saves it.
  constructor({ saver, copies, adopt }) {
    Object.assign(this, { saver, copies, adopt });
    this.box = document.getElementById("local-copies");
  }

  start() {
    for (const copy of this.copies.leftovers()) {
      if (sameDraft(copy.draft, this.saver.saved)) this.copies.drop(copy.key);
      else if (copy.revision === this.saver.revision && !this.saver.unsaved) this.#take(copy);
      else this.#offer(copy);
    }
  }

  #take(copy) {
    this.adopt(copy.draft);
    // Not before this page has a copy of its own on the device.
    if (this.copies.isKept) this.copies.drop(copy.key);
  }

  #offer(copy) {
    if (!this.box.hidden) return; // The newest is offered; the next one at the next visit.
    const { text, note } = copy.draft;
    this.box.hidden = false;
    const place = this.box.querySelector("[data-copy-text]");
    expectText(place, text.length);
    place.textContent = note ? `${text}\n\n${note}` : text;
    this.box.querySelector("[data-use-copy]").addEventListener("click", () => {
      this.box.hidden = true;
      this.#take(copy);
    });
    this.box.querySelector("[data-drop-copy]").addEventListener("click", () => {
      this.box.hidden = true;
      this.copies.drop(copy.key);
    });
  }
}
