// Writing in a form that saves itself: its fields, saving, copies on this device, word count and preview. The form
// stands in the page when this is made; it may be taken out later, while its saving goes on.

import { Copies } from "./copies.js";
import { DraftFields, sameDraft } from "./drafts.js";
import { addLocalTimes } from "./local_times.js";
import { Pasting } from "./pasting.js";
import { Preview } from "./preview.js";
import { Reading } from "./reading.js";
import { Restoring } from "./restoring.js";
import { SaveState } from "./save_state.js";
import { randomToken, Saver } from "./saver.js";
import { WordCount } from "./word_count.js";

export class Drafting {
  // `go(step)` leads to the next (1) or the previous (-1) prompt, `leave(address)` to the page that ends the work.
  constructor({ form, flag, go, leave }) {
    const { session, position, saveUrl } = form.dataset;
    const tab = randomToken();
    Object.assign(this, { form, flag, go, leave, saveUrl });
    this.fields = new DraftFields(form);
    this.copies = new Copies({ session, position, tab });
    const revision = Number(form.elements.base_revision.value);
    this.saver = new Saver({ url: saveUrl, tab, draft: this.fields.initial(), revision });
    this.saveState = new SaveState({ saver: this.saver, copies: this.copies });
    this.words = new WordCount({ place: document.getElementById("word-count"), field: this.fields.text });
    new Pasting(this.fields.text);
    this.preview = new Preview({ tabs: document.getElementById("answer-tabs"), field: this.fields.text });
    this.reading = new Reading({ place: document.getElementById("reading"), field: this.fields.text });
    this.saver.addEventListener("state", ({ detail }) => detail.state === "saved" && this.#settle());
  }

  // When everything of the page listens: what was left unsaved is saved now.
  start() {
    addLocalTimes();
    this.#listenToFields();
    this.#listenToChoices();
    this.#listenToWaysOut();
    const { saver, saveState, copies, fields } = this;
    const isRefused = this.form.querySelector("[data-server-refusal], .errorlist") !== null;
    // A page that shows a refusal holds the refused text already, and saving it is the person's decision.
    if (isRefused) saver.doubt();
    else {
      if (!sameDraft(fields.read(), saver.saved)) this.#edit();
      new Restoring({ saver, copies, savedBy: saveState.savedBy, adopt: (copy) => this.#adopt(copy) }).start();
    }
    saver.begin();
    if (performance.getEntriesByType("navigation")[0]?.type === "back_forward") this.refresh();
  }

  // Whether leaving the page now needs a question. A long text may not reach the server from a page that is going away.
  get mayLose() {
    if (!this.saver.unsaved) return false;
    this.copies.writeNow();
    return this.saver.inTrouble || !this.copies.isKept;
  }

  #listenToFields() {
    for (const field of this.fields.all) {
      field.addEventListener("input", () => this.#edit());
      field.addEventListener("focusout", () => this.saver.flush());
    }
  }

  #edit() {
    const draft = this.fields.read();
    this.copies.keep(draft, this.saver.place);
    this.saver.edit(draft);
  }

  #write(draft) {
    this.fields.write(draft);
    this.words.later();
    this.reading.later();
    this.preview.refresh();
  }

  #adopt({ draft, place }) {
    this.#write(draft);
    this.copies.keep(draft, place);
    this.copies.writeNow();
    this.saver.adopt(draft, place);
  }

  #settle() {
    this.copies.drop();
    this.form.elements.base_revision.value = this.saver.revision;
  }

  // What to do where another page has saved something newer.
  #listenToChoices() {
    const { saver, fields } = this;
    const problem = document.getElementById("save-problem");
    problem.querySelector("[data-use-newer]").addEventListener("click", () => {
      this.#write(saver.newer.draft);
      saver.useNewer();
      fields.text.focus();
    });
    problem.querySelector("[data-keep-mine]").addEventListener("click", () => {
      saver.keepMine();
      fields.text.focus();
    });
  }

  #listenToWaysOut() {
    const { saver } = this;
    this.form.addEventListener("submit", (event) => this.#send(event));
    window.addEventListener("pagehide", () => this.#leave());
    window.addEventListener("pageshow", (event) => event.persisted && this.refresh());
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "hidden") this.#leave();
      else if (saver.inTrouble) saver.flush();
    });
  }

  #leave() {
    this.copies.writeNow();
    this.saver.leave();
  }

  // Saves first; the buttons then lead where they say.
  async #send(event) {
    event.preventDefault();
    const { value, dataset } = event.submitter ?? { dataset: {} };
    const step = { next: 1, previous: -1 }[value];
    if (step) return this.go(step);
    await this.saver.flush();
    // On a lost line that says why it does not open now.
    const mayLeave = !this.saver.unsaved || this.saver.state === "offline";
    if (dataset.finishUrl && mayLeave) this.leave(dataset.finishUrl);
  }

  // What the page kept from before may be less than the server knows.
  async refresh() {
    const { flagged } = this.flag;
    try {
      const reply = await fetch(this.saveUrl, { cache: "no-store" });
      if (!reply.ok) return;
      const { text, note = "", confidence = null, is_flagged: isFlagged, revision, saved_at: savedAt } = await reply.json();
      const draft = { text, note, confidence };
      if (this.saver.learn({ draft, revision, savedAt })) this.#write(draft);
      if (this.flag.flagged === flagged) this.flag.learn(isFlagged);
    } catch {
      // Without a connection the page goes on as it is; the next save finds out.
    }
  }
}
