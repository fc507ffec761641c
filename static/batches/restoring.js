// What earlier pages on this device left unsaved: taken over where nothing newer was saved, offered otherwise.

import { sameDraft } from "./drafts.js";
import { expectText } from "./long_texts.js";

export class Restoring {
  // `savedBy`: the tab whose save the page shows; `adopt(copy)` puts a copy into the page and saves it.
  constructor({ saver, copies, savedBy, adopt }) {
    Object.assign(this, { saver, copies, savedBy, adopt });
    this.box = document.getElementById("local-copies");
  }

  start() {
    for (const copy of this.copies.leftovers()) {
      if (sameDraft(copy.draft, this.saver.saved)) this.copies.drop(copy.key);
      else if (this.#isNewest(copy) && !this.saver.unsaved) this.#take(copy);
      else this.#offer(copy);
    }
  }

  // Nobody else has saved since: what the page shows is what the copy was made from, or from the copy's own tab.
  #isNewest({ place }) {
    return place.revision === this.saver.revision || place.tab === this.savedBy;
  }

  #take(copy) {
    this.adopt(copy);
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
      // The person has seen the newer answer and decides against it.
      this.#take({ ...copy, place: this.saver.place });
    });
    this.box.querySelector("[data-drop-copy]").addEventListener("click", () => {
      this.box.hidden = true;
      this.copies.drop(copy.key);
    });
  }
}
