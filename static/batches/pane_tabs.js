// On a narrow screen one side at a time: the question, or the answer. Wide screens show both, see workspace.css.

import { fill, gettext } from "../js/texts.js";

export class PaneTabs {
  constructor({ tabs, panes }) {
    Object.assign(this, { tabs, panes });
    tabs.hidden = false;
    tabs.addEventListener("click", ({ target }) => {
      const side = target.closest("button")?.dataset.shows;
      if (side) this.show(side);
    });
    this.show("question");
    // A link or a key that leads into the other side opens it.
    for (const link of document.querySelectorAll('a[href="#id_text"]')) {
      link.addEventListener("click", () => this.show("answer"));
    }
  }

  // Of another question.
  name(position) {
    const words = fill(gettext("Question %(position)s"), { position });
    this.tabs.querySelector("[data-shows=question]").textContent = words;
  }

  show(side) {
    this.panes.dataset.shown = side;
    for (const button of this.tabs.querySelectorAll("button")) {
      button.setAttribute("aria-pressed", String(button.dataset.shows === side));
    }
  }
}
