// The notice that the study team gave more time. It stays from page to page until it was read.

import { fill, gettext, ngettext } from "../js/texts.js";
import { announce } from "./announcer.js";
import { dayAndTime } from "./moments.js";

export class ExtraTime {
  constructor({ session, notice, deadlineAt, extendedSeconds }) {
    this.key = `chiron:extended:${session}`;
    this.notice = notice;
    this.extendedSeconds = extendedSeconds;
    notice.querySelector("button").addEventListener("click", () => this.#close());
    if (extendedSeconds > this.#read()) this.#show(deadlineAt, extendedSeconds - this.#read());
  }

  // The end has moved while the page was open.
  learn({ deadlineAt, extendedSeconds }) {
    const more = extendedSeconds - this.#read();
    this.extendedSeconds = extendedSeconds;
    announce(this.#show(deadlineAt, more));
  }

  #show(deadlineAt, moreSeconds) {
    const sentence = words(deadlineAt, moreSeconds);
    this.notice.querySelector("[data-words]").textContent = sentence;
    this.notice.hidden = false;
    return sentence;
  }

  #close() {
    this.notice.hidden = true;
    this.readHere = this.extendedSeconds;
    try {
      localStorage.setItem(this.key, String(this.extendedSeconds));
    } catch {
      // It comes again on the next page.
    }
  }

  // How much of the extra time the person has been told of.
  #read() {
    try {
      return Number(localStorage.getItem(this.key) ?? 0);
    } catch {
      return this.readHere ?? 0;
    }
  }
}

function words(deadlineAt, moreSeconds) {
  const time = dayAndTime(deadlineAt);
  const minutes = Math.round(moreSeconds / 60);
  if (minutes < 1) return fill(gettext("Your time now ends at %(time)s."), { time });
  const sentence = ngettext(
    "You were given %(minutes)s more minute; your time now ends at %(time)s.",
    "You were given %(minutes)s more minutes; your time now ends at %(time)s.",
    minutes,
  );
  return fill(sentence, { minutes, time });
}
