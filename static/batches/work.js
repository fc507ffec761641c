// One question that was opened in this page: its nodes, its fields with their saving, and its flag. While another one is
// shown it stands aside in memory, and what it has not saved goes on being saved.

import { addCopying } from "./copying.js";
import { Drafting } from "./drafting.js";
import { Flag } from "./flag.js";
import { showWhileRunning } from "./time_bar.js";

export class Work {
  // `nodes`: what stands in the pane of the question, or null where that is not held.
  constructor({ form, saveLine, nodes }) {
    Object.assign(this, { form, saveLine, nodes });
    this.position = Number(form.dataset.position);
    this.name = form.dataset.name.trim();
    // Whether they may be held while another question is shown.
    this.isKept = !("notHeld" in form.dataset);
    this.isSeen = "seen" in form.dataset;
    this.drafting = null;
  }

  get saver() {
    return this.drafting.saver;
  }

  get copies() {
    return this.drafting.copies;
  }

  // The form stands in the page now, for the first time.
  begin({ go, leave, zoom }) {
    this.flag = new Flag(document.getElementById("flag-button"));
    this.drafting = new Drafting({ form: this.form, flag: this.flag, go, leave });
    this.#addTools(this.form, zoom);
  }

  // Nodes of its question that have no tools yet.
  take(nodes, zoom) {
    this.nodes = nodes;
    for (const node of nodes) if (node.nodeType === Node.ELEMENT_NODE) this.#addTools(node, zoom);
  }

  // Another question is shown from now on.
  stepAside() {
    this.saver.isAside = true;
    // A browser loads a frame anew each time that it is put into the page, see held_questions.js.
    for (const frame of document.querySelectorAll("#question-pane figure[data-address] iframe")) frame.removeAttribute("src");
    if (!this.isKept) this.nodes = null;
  }

  lock(isLocked) {
    this.drafting.fields.lock(isLocked);
    for (const button of this.form.querySelectorAll("button[type=submit]")) button.disabled = isLocked;
    showWhileRunning(this.form, !isLocked);
  }

  #addTools(root, zoom) {
    addCopying(root);
    zoom.add(root);
  }
}
