// The bar that always shows the remaining time: warnings, extra time, and the time in words on request.

import { fill, gettext, ngettext } from "../js/texts.js";
import { announce } from "./announcer.js";
import { Countdown } from "./countdown.js";
import { ExtraTime } from "./extra_time.js";
import { showLocal } from "./local_times.js";
import { dayAndTime, shortSpan, spokenSpan } from "./moments.js";
import { TimeWarnings } from "./time_warnings.js";

// How far past the round number a warning may still name it.
const ROUND_SECONDS = 30;
const SHORT_SECONDS = 900;

export class TimeBar {
  constructor(bar) {
    const { session, timeUrl, deadlineAt } = bar.dataset;
    const secondsLeft = Number(bar.dataset.secondsLeft);
    const extendedSeconds = Number(bar.dataset.extendedSeconds);
    this.bar = bar;
    this.said = document.getElementById("time-said");
    this.warning = document.getElementById("time-warning");
    this.countdown = new Countdown({ url: timeUrl, secondsLeft, deadlineAt, extendedSeconds });
    this.totalSeconds = Number(bar.dataset.totalSeconds);
    this.share = bar.querySelector("[data-time-share]");
    this.warnings = new TimeWarnings({ session, totalSeconds: this.totalSeconds, secondsLeft });
    const notice = document.getElementById("time-extended");
    this.extraTime = new ExtraTime({ session, notice, deadlineAt, extendedSeconds });
    this.#listen();
    this.countdown.start();
  }

  // Heard once; what is shown stays true until it is closed.
  say() {
    this.said.hidden = false;
    this.#showSaid();
    announce(this.#words());
  }

  get #overWords() {
    return this.bar.dataset.overWords ?? gettext("Your time has ended.");
  }

  #words() {
    return this.countdown.isOver ? this.#overWords : spokenSpan(this.countdown.secondsLeft());
  }

  #showSaid() {
    if (!this.said.hidden) this.said.querySelector("[data-words]").textContent = this.#words();
  }

  #listen() {
    const button = this.bar.querySelector("[data-say-time]");
    button.hidden = false;
    button.addEventListener("click", () => this.say());
    for (const notice of [this.said, this.warning]) {
      notice.querySelector("button").addEventListener("click", () => (notice.hidden = true));
    }
    this.countdown.addEventListener("tick", () => this.#show());
    this.countdown.addEventListener("over", ({ detail }) => this.#end(detail.status));
    this.countdown.addEventListener("over", () => showWhileRunning(document, false));
    this.countdown.addEventListener("again", () => showWhileRunning(document, true));
    this.countdown.addEventListener("deadline", ({ detail }) => this.#move(detail));
  }

  #show() {
    const left = this.countdown.secondsLeft();
    const display = this.bar.querySelector("[data-time-left]");
    const words = shortSpan(left);
    if (display.textContent !== words) display.textContent = words;
    this.#showSaid();
    this.#showShare(left);
    this.bar.querySelector("[data-time-unsure]").hidden = this.countdown.isSure || this.countdown.isOver;
    const minutes = this.countdown.isOver ? null : this.warnings.due(left);
    if (minutes !== null) this.#warn(minutes, left);
  }

  // Extra time lengthens the whole.
  #showShare(left) {
    const { extendedSeconds } = this.countdown;
    const whole = this.totalSeconds + extendedSeconds - Number(this.bar.dataset.extendedSeconds);
    this.share.setAttribute("width", ((100 * left) / whole).toFixed(1));
    this.share.classList.toggle("late", left <= SHORT_SECONDS);
  }

  #warn(minutes, left) {
    const sentence =
      left > minutes * 60 - ROUND_SECONDS
        ? ngettext("%(minutes)s minute left.", "%(minutes)s minutes left.", minutes)
        : ngettext("Less than %(minutes)s minute left.", "Less than %(minutes)s minutes left.", minutes);
    const words = `${fill(sentence, { minutes })} ${this.bar.dataset.mustSubmit ?? ""}`.trim();
    this.warning.querySelector("[data-words]").textContent = words;
    this.warning.hidden = false;
    announce(words);
  }

  #end(status) {
    this.warning.hidden = true;
    announce(status === "expired" ? this.#overWords : gettext("This session has ended."));
  }

  #move(detail) {
    const deadline = this.bar.querySelector("time");
    deadline.dateTime = detail.deadlineAt;
    showLocal(deadline);
    deadline.title = dayAndTime(detail.deadlineAt);
    this.extraTime.learn(detail);
    if (this.countdown.secondsLeft() > 0) this.warning.hidden = true;
  }
}

// What leads to handing in, which ends with the session.
export function showWhileRunning(root, isRunning) {
  for (const part of root.querySelectorAll("[data-while-running]")) part.hidden = !isRunning;
}
