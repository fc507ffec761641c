// The save state in words: one quiet line beside the answer, and a notice where the person can do something.

import { fill, gettext } from "../js/texts.js";
import { announce } from "./announcer.js";
import { expectText } from "./long_texts.js";
import { clockTime } from "./moments.js";

// One lost request is tried again before anybody is worried.
const FAILURES_BEFORE_NOTICE = 2;

export class SaveState {
  constructor({ saver, copies }) {
    Object.assign(this, { saver, copies });
    this.line = document.getElementById("save-state");
    this.problem = document.getElementById("save-problem");
    this.signedOut = document.getElementById("signed-out");
    saver.savedAt = this.line.dataset.savedAt || null;
    this.savedBy = this.line.dataset.savedBy;
    saver.addEventListener("state", ({ detail }) => this.#show(detail));
  }

  // The text may be saved and the person signed out all the same.
  tellSignedOut(isSignedOut) {
    const isNew = isSignedOut && this.signedOut.hidden;
    this.signedOut.hidden = !isSignedOut;
    if (!isNew) return;
    this.signedOut.querySelector("[data-kept]").hidden = !this.copies.isKept;
    this.signedOut.querySelector("[data-not-kept]").hidden = this.copies.isKept;
    announce(gettext("You are signed out. Sign in again to go on; this page says how."));
  }

  #show({ state, reply }) {
    this.line.textContent = this.#words(state);
    this.line.dataset.state = state === "saved" && !this.saver.savedAt ? "empty" : state;
    if (state === "signed-out") this.tellSignedOut(true);
    else if (reply !== null) this.tellSignedOut(false);
    this.#showProblem(state, reply);
  }

  #showProblem(state, reply) {
    const sentence = this.#sentence(state, reply);
    const wasShown = !this.problem.hidden;
    // A new attempt takes no notice away: only its outcome does.
    if (wasShown && state === "saving") return;
    this.problem.hidden = sentence === "";
    this.problem.querySelector("[data-sentence]").textContent = sentence;
    this.problem.querySelector("[data-newer]").hidden = state !== "stale";
    if (state === "stale") this.#showNewer();
    if (sentence !== "" && !wasShown) announce(`${gettext("Not saved.")} ${sentence}`);
    if (wasShown && state === "saved") announce(gettext("Saved again."));
  }

  #sentence(state, reply) {
    if (!this.saver.unsaved) return "";
    if (state === "offline" && (this.saver.failures >= FAILURES_BEFORE_NOTICE || !navigator.onLine)) {
      return this.copies.isKept
        ? gettext("The server cannot be reached. It is tried again by itself; this device keeps what you write.")
        : gettext("The server cannot be reached, and this device keeps no copy. Leave this page open; it is tried again by itself.");
    }
    return state === "refused" || state === "stale" ? (reply?.sentence ?? "") : "";
  }

  #showNewer() {
    const { text, note, confidence } = this.saver.newer.draft;
    const place = this.problem.querySelector("[data-newer-text]");
    expectText(place, text.length);
    place.textContent = text;
    showExtra(this.problem.querySelector("[data-newer-note]"), note);
    showExtra(this.problem.querySelector("[data-newer-confidence]"), confidence === null ? "" : `${confidence} %`);
  }

  #words(state) {
    if (state === "saving") return gettext("Saving…");
    if (state === "editing") return gettext("Not saved yet");
    if (state === "offline") {
      return this.copies.isKept
        ? gettext("Offline: kept on this device")
        : gettext("Offline: not kept on this device; leave this page open");
    }
    if (state === "signed-out") return gettext("Not saved: you are signed out");
    if (state === "over") return this.saver.unsaved ? gettext("Not saved: the time is over") : this.#words("saved");
    if (state !== "saved") return gettext("Not saved: see the notice");
    const { savedAt } = this.saver;
    return savedAt ? fill(gettext("Saved at %(time)s"), { time: clockTime(savedAt) }) : gettext("Nothing to save yet");
  }
}

// A line of a list of facts that is there only where there is something to say.
function showExtra(element, words) {
  element.hidden = words === "";
  element.querySelector("[data-words]").textContent = words;
}
