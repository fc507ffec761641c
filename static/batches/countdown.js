// The remaining time by the server's clock. performance.now() measures how long ago the server was asked, and
// every reply corrects it. The device's clock is no source of time: where it and performance.now() disagree
// about how long ago the last tick was, the device slept or was set, and the server is asked at once. The same reply
// holds the study team's notices, which are passed on.

import { isBusy, isSignedOut, readReply } from "../js/replies.js";

const POLL_MS = 8_000;
const TICK_MS = 1_000;
const GAP_MS = 5_000;
const DISAGREEMENT_MS = 1_500;
const TIMEOUT_MS = 7_000;
const LAST_SECONDS = 3;

export class Countdown extends EventTarget {
  // Events: "tick" whenever the shown time may have changed; "last-seconds" shortly before the end; "over" with
  // detail.status; "again" where an ended session goes on; "deadline" with detail {deadlineAt, extendedSeconds}
  // where the end has moved; "signed-out" and "signed-in"; "heard" with detail {serverTime, askedAt}; "answered" and
  // "unheard": whether the server was reached.
  constructor({ url, secondsLeft, deadlineAt, extendedSeconds }) {
    super();
    Object.assign(this, { url, deadlineAt, extendedSeconds });
    this.isOver = false;
    this.status = "active";
    this.isSure = true;
    this.isSignedOut = false;
    this.calledLast = false;
    this.asking = null;
    this.awakeSince = 0;
    this.heardOf = 0;
    this.busyUntil = 0;
    this.refusals = 0; // one after the other
    // The page was made after its request began: counting from there never promises too much.
    this.endsAt = secondsLeft * 1_000;
    this.#mark();
  }

  start() {
    setInterval(() => this.#tick(), TICK_MS);
    this.#plan(POLL_MS);
    document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && this.#return());
    document.addEventListener("resume", () => this.#return());
    for (const name of ["pageshow", "focus", "online"]) window.addEventListener(name, () => this.#return());
    this.#tick();
  }

  // `askedAt`: performance.now() when the request was sent, so a slow reply shows less time, never more. What was
  // asked before the device slept is told of then: performance.now() may not have counted the sleep.
  sync(secondsLeft, askedAt) {
    if (askedAt < this.awakeSince) return;
    this.endsAt = askedAt + secondsLeft * 1_000;
    this.isSure = true;
    this.#tell("tick");
  }

  secondsLeft() {
    return this.isOver ? 0 : Math.max(0, Math.floor((this.endsAt - performance.now()) / 1_000));
  }

  // Resolves to whether the server has answered; one question at a time. A busy server is asked again when it said.
  async ask() {
    if (performance.now() < this.busyUntil) return false;
    this.asking ??= this.#askAwake().finally(() => (this.asking = null));
    return this.asking;
  }

  async #askAwake() {
    for (;;) {
      const askedAt = performance.now();
      const isAnswered = await this.#askOnce(askedAt);
      if (askedAt < this.awakeSince) continue;
      if (!isAnswered) this.#endIfDue();
      return isAnswered;
    }
  }

  async #askOnce(askedAt) {
    this.#plan(POLL_MS);
    try {
      const reply = await fetch(this.url, { cache: "no-store", signal: AbortSignal.timeout(TIMEOUT_MS) });
      if (isBusy(reply)) return this.#wait(reply);
      this.refusals = 0;
      const clock = await readReply(reply);
      if (reply.ok) this.learn(clock, askedAt);
      else this.#refused(reply);
      return reply.ok;
    } catch {
      this.refusals = 0;
      this.#tell("unheard");
      return false;
    }
  }

  // What the server has answered, to a question or with a save: the next question can wait. Of two replies the one that
  // was asked for later holds.
  learn(clock, askedAt) {
    this.#plan(POLL_MS);
    this.#tell("answered");
    this.#signedIn();
    this.#look();
    // The reply to a save; a question asks again by itself.
    if (askedAt < this.awakeSince) this.ask();
    if (askedAt < Math.max(this.awakeSince, this.heardOf)) return;
    this.heardOf = askedAt;
    if (clock.notices) document.dispatchEvent(new CustomEvent("notices", { detail: clock.notices }));
    const hasMoved = Date.parse(clock.deadline_at) > Date.parse(this.deadlineAt);
    this.deadlineAt = clock.deadline_at;
    this.extendedSeconds = clock.extended_seconds ?? 0;
    const goesOn = clock.status === "active" && clock.seconds_left > 0;
    if (goesOn && this.isOver) this.#goOn();
    this.sync(clock.seconds_left, askedAt);
    if (hasMoved) this.#tell("deadline", { deadlineAt: this.deadlineAt, extendedSeconds: this.extendedSeconds });
    if (!goesOn) this.#end(clock.status === "active" ? "expired" : clock.status);
    this.#tell("heard", { serverTime: clock.server_time, askedAt });
  }

  #refused(reply) {
    this.#tell("answered");
    if (isSignedOut(reply) && !this.isSignedOut) {
      this.isSignedOut = true;
      this.#tell("signed-out");
    }
  }

  #signedIn() {
    if (!this.isSignedOut) return;
    this.isSignedOut = false;
    this.#tell("signed-in");
  }

  // The server has no time for questions: not all pages shall come again at once.
  #wait(reply) {
    this.refusals += 1;
    const pause = 1_000 * Math.max(1, Number(reply.headers.get("Retry-After"))) * (1 + Math.random());
    this.busyUntil = performance.now() + pause;
    this.#plan(pause);
    return false;
  }

  // One timer for all questions that nobody asks for.
  #plan(delay) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.busyUntil = 0;
      this.ask();
    }, delay);
  }

  // Without an answer of the server the last known end holds; one that was too busy is asked once more before.
  #endIfDue() {
    if (this.secondsLeft() === 0 && this.refusals !== 1) this.#end("expired");
  }

  #return() {
    this.#look();
    this.#tell("tick");
    this.ask();
  }

  // Whether time may have gone by since the last look that the page did not count. Where the two clocks disagree,
  // the device slept: nothing that is from before is believed.
  #look() {
    const steady = performance.now() - this.lastLook.steady;
    const slept = Math.abs(Date.now() - this.lastLook.device - steady) > DISAGREEMENT_MS;
    const isGap = slept || steady > GAP_MS;
    if (slept) this.awakeSince = performance.now();
    if (isGap) this.isSure = false;
    this.#mark();
    return isGap;
  }

  #mark() {
    this.lastLook = { steady: performance.now(), device: Date.now() };
  }

  #tick() {
    if (this.#look()) this.ask();
    if (this.isOver) return;
    this.#tell("tick");
    const left = this.secondsLeft();
    if (left <= LAST_SECONDS && !this.calledLast) {
      this.calledLast = true;
      this.#tell("last-seconds");
    }
    // Before locking anything, the server is asked whether the time is really over.
    if (left === 0) this.ask();
  }

  #end(status) {
    if (this.isOver) return;
    this.isOver = true;
    this.status = status;
    this.#tell("tick");
    this.#tell("over", { status });
  }

  #goOn() {
    this.isOver = false;
    this.status = "active";
    this.calledLast = false;
    this.#tell("again");
  }

  #tell(name, detail = null) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }
}
