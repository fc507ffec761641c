// Tells the server how this page fares, for the study team's live board: saves that failed, how long the server was
// not reached, the device's clock. It is no part of saving: nothing waits for it, and where it does not get through it
// is told again later.

import { csrfToken, randomToken } from "./saver.js";

// A page in view says that it is there so often, even if nothing happened.
const EVERY_MS = 20_000;
const TIMEOUT_MS = 10_000;
// A shorter interruption is one lost request.
const SHORTEST_LOSS_MS = 5_000;
const FAILED = ["offline", "signed-out", "refused"];
const MOST = 2 ** 31 - 1;

export class Reporter {
  constructor({ url, session, countdown }) {
    Object.assign(this, { url, savers: [] });
    this.device = deviceOf(session);
    this.clockOff = null;
    this.failed = 0;
    this.failingSince = null;
    this.lostSince = null;
    this.lostMs = 0;
    this.isSaved = true;
    this.told = { at: -Infinity, failed: 0, isSaved: true, isHidden: null };
    this.sending = false;
    countdown.addEventListener("heard", ({ detail }) => !countdown.isOver && this.#heard(detail));
    countdown.addEventListener("unheard", () => (this.lostSince ??= performance.now()));
    document.addEventListener("visibilitychange", () => document.visibilityState === "hidden" && this.#send(true));
  }

  // Of each answer that the page saves.
  follow(saver) {
    this.savers.push(saver);
    saver.addEventListener("state", ({ detail }) => this.#saved(detail));
  }

  get #hasNews() {
    const { failed, isSaved, isHidden } = this.told;
    const isMoved = isHidden !== (document.visibilityState === "hidden");
    return this.failed !== failed || this.isSaved !== isSaved || this.lostMs > 0 || isMoved;
  }

  #saved({ state, reply }) {
    if (FAILED.includes(state)) {
      this.failed += 1;
      this.failingSince ??= performance.now();
      this.isSaved = false;
    } else if (!this.isSaved && (state === "saved" || (state === "editing" && reply)) && !this.savers.some((saver) => saver.inTrouble)) {
      // A save got through, whatever has been typed since.
      this.isSaved = true;
      this.#tell();
    }
  }

  async #heard({ serverTime, askedAt }) {
    const now = performance.now();
    // The server read its clock about in the middle.
    this.clockOff = Date.now() - (now - askedAt) / 2 - Date.parse(serverTime);
    const lost = this.lostSince === null ? 0 : now - this.lostSince;
    this.lostSince = null;
    if (lost >= SHORTEST_LOSS_MS) this.lostMs += lost;
    // A save that is on its way decides what there is to tell.
    await Promise.all(this.savers.map((saver) => saver.inFlight));
    const isDue = document.visibilityState === "visible" && now - this.told.at >= EVERY_MS;
    if (isDue || this.#hasNews) this.#tell();
  }

  async #tell() {
    if (this.sending) return;
    this.sending = true;
    await this.#send(false);
    this.sending = false;
  }

  async #send(leaving) {
    const report = this.#report();
    const { failed, lostMs } = this;
    try {
      const reply = await fetch(this.url, {
        method: "POST",
        headers: { "Content-Type": "application/json", "X-CSRFToken": csrfToken() },
        body: JSON.stringify(report),
        keepalive: leaving,
        signal: leaving ? undefined : AbortSignal.timeout(TIMEOUT_MS),
      });
      if (!reply.ok || !(await reply.json()).kept) return;
      this.told = { at: performance.now(), failed, isSaved: report.is_saved, isHidden: report.is_hidden };
      // Two reports may be on their way at once, of a page that is left meanwhile.
      this.lostMs = Math.max(0, this.lostMs - lostMs);
      if (report.is_saved) this.#settle(failed);
    } catch {
      // It stays to be told.
    }
  }

  // What was told and is over is forgotten; what failed meanwhile is not.
  #settle(failed) {
    this.failed = Math.max(0, this.failed - failed);
    if (this.failed === 0) this.failingSince = null;
    this.told.failed = 0;
  }

  #report() {
    const now = performance.now();
    return {
      device: this.device,
      is_hidden: document.visibilityState === "hidden",
      clock_off_seconds: this.clockOff === null ? null : whole(this.clockOff),
      failed_saves: Math.min(MOST, this.failed),
      failing_seconds: this.failingSince === null ? 0 : whole(now - this.failingSince),
      is_saved: this.isSaved,
      lost_seconds: whole(this.lostMs),
    };
  }
}

function whole(milliseconds) {
  return Math.max(-MOST, Math.min(MOST, Math.round(milliseconds / 1_000)));
}

// One random name for this device, and for this session alone.
function deviceOf(session) {
  const key = `chiron:device:${session}`;
  try {
    const known = localStorage.getItem(key) ?? randomToken();
    localStorage.setItem(key, known);
    return known;
  } catch {
    return randomToken();
  }
}
