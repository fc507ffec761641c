// Saves one answer: soon after typing stops, one request at a time, again until the server has it.
// The server orders the saves of a page by `sequence`; a retry of the same draft keeps its number, so a save
// whose reply got lost is not counted twice.

import { isSignedOut, readReply } from "../js/replies.js";
import { currentDraft, sameDraft } from "./drafts.js";

const PAUSE_MS = 2_000;
// Somebody who types without a pause is saved, too.
const MAX_WAIT_MS = 10_000;
const TIMEOUT_MS = 20_000;
const RETRY_MS = [2_000, 4_000, 8_000, 16_000, 30_000];
const SIGNED_OUT_RETRY_MS = 15_000;
// All bodies that may outlive the page together must stay below 64 KiB.
const KEEPALIVE_BYTES = 60_000;
let leavingBytes = 0;

// A name for an open page. It tells one from another and says nothing about either.
export function randomToken() {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export class Saver extends EventTarget {
  // Events: "state" with detail {state, reply}; "time" with detail {secondsLeft, askedAt}; "told" with detail
  // {told, askedAt}: what came with the reply and need not be asked for.
  // States: saved, editing, saving, offline, signed-out, refused, stale, over.
  constructor({ url, tab, draft, revision }) {
    super();
    Object.assign(this, { url, tab, revision, draft, saved: draft });
    this.state = "saved";
    this.savedAt = null;
    this.sequence = 0;
    this.acknowledged = 0;
    this.lastAttempt = null;
    this.inFlight = null;
    this.failures = 0;
    this.timer = null;
    this.waitingSince = null;
    this.editedAt = 0;
    // While another question is shown: it waits longest, and the page sends it when the line is back, see workplace.js.
    this.isAside = false;
    this.newer = null;
    this.adopted = null;
    this.predecessor = null;
  }

  get unsaved() {
    return this.saved === null || !sameDraft(this.draft, this.saved);
  }

  get inTrouble() {
    return this.unsaved && !["saved", "editing", "saving"].includes(this.state);
  }

  get #isStuck() {
    return this.state === "over" || this.state === "stale";
  }

  // What orders the save of a draft on the server. A copy keeps it, so that a later page can go on from there.
  get place() {
    const { tab, revision } = this.predecessor ?? this;
    return { tab, revision, sequence: this.sequence };
  }

  // Nothing else tells the state of a page on which nothing has happened yet.
  begin() {
    this.#become(this.state);
  }

  edit(draft) {
    this.draft = draft;
    this.editedAt = performance.now();
    if (this.#isStuck) return;
    if (!this.unsaved && !this.inFlight) {
      this.#plan(null);
      this.#become("saved");
    } else if (this.unsaved) {
      if (this.state === "saved" || this.state === "refused") this.#become("editing");
      if (this.state !== "offline" && this.state !== "signed-out") this.#planAfterPause();
    }
  }

  // Save now. Resolves when the answer is saved or cannot be saved at the moment.
  async flush() {
    while (this.inFlight) await this.inFlight;
    if (!this.unsaved || this.#isStuck) return;
    this.inFlight = this.#send(false);
    // A reply can lead to another request at once.
    while (this.inFlight) await this.inFlight;
  }

  // The page is going away: send what is unsaved even beside a request that is under way.
  leave() {
    if (!this.unsaved || this.#isStuck) return;
    this.#send(true);
    // That request has no time limit. A page that stays after all asks again.
    this.#plan(TIMEOUT_MS);
  }

  // A draft that an earlier page of this device left behind. What that page sent may still be on its way: until the
  // server has answered, this page goes on in its place, so that the server puts both into the right order.
  adopt(draft, place) {
    this.adopted = draft;
    this.predecessor = place;
    this.sequence = Math.max(this.sequence, place.sequence);
    this.edit(draft);
    this.flush();
  }

  // What is on the page was refused by the server; sending it again is the person's decision.
  doubt() {
    this.saved = null;
    this.#become("refused");
  }

  // The server holds something newer than this page knew, and nothing on the page is unsaved.
  learn({ draft, revision, savedAt }) {
    if (this.unsaved || this.inFlight || revision <= this.revision) return false;
    Object.assign(this, { draft, saved: draft, revision, savedAt });
    this.#become("saved");
    return true;
  }

  // The session was over and goes on.
  resume() {
    if (this.state !== "over") return;
    this.#become(this.unsaved ? "editing" : "saved");
    this.flush();
  }

  useNewer() {
    if (!this.newer) return;
    this.draft = this.saved = this.newer.draft;
    this.#settle();
  }

  keepMine() {
    if (!this.newer) return;
    this.saved = this.newer.draft;
    this.#settle();
    this.flush();
  }

  #settle() {
    this.revision = this.newer.revision;
    this.newer = null;
    this.#become(this.unsaved ? "editing" : "saved");
  }

  async #send(leaving) {
    this.#plan(null);
    const attempt = this.#attempt();
    const { tab, revision } = this.predecessor ?? this;
    const body = JSON.stringify({ ...attempt.draft, base_revision: revision, tab, sequence: attempt.sequence });
    const askedAt = performance.now();
    if (!leaving && this.state !== "offline" && this.state !== "signed-out") this.#become("saving");
    try {
      const response = await this.#post(body, leaving);
      const reply = await readReply(response);
      if (typeof reply.sentence !== "string") throw new TypeError("no reply of this site");
      this.inFlight = leaving ? this.inFlight : null;
      this.#receive(response, reply, attempt, askedAt);
    } catch {
      this.inFlight = leaving ? this.inFlight : null;
      this.#fail();
    }
  }

  #post(body, leaving) {
    const bytes = leaving ? new Blob([body]).size : 0;
    const keepalive = leaving && leavingBytes + bytes < KEEPALIVE_BYTES;
    if (keepalive) leavingBytes += bytes;
    const sent = fetch(this.url, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-CSRFToken": csrfToken() },
      body,
      keepalive,
      signal: leaving ? undefined : AbortSignal.timeout(TIMEOUT_MS),
    });
    return keepalive ? sent.finally(() => (leavingBytes -= bytes)) : sent;
  }

  #attempt() {
    if (this.lastAttempt === null || !sameDraft(this.lastAttempt.draft, this.draft)) {
      this.sequence += 1;
      this.lastAttempt = { draft: this.draft, sequence: this.sequence };
    }
    return this.lastAttempt;
  }

  #receive(response, reply, attempt, askedAt) {
    const { status } = response;
    if (reply && typeof reply.seconds_left === "number") {
      this.#tell("time", { secondsLeft: reply.seconds_left, askedAt });
    }
    // A reply to a request that a newer one has overtaken says nothing about the answer any more.
    if (attempt.sequence < this.acknowledged) return;
    if (status === 200) this.#succeed(reply, attempt, askedAt);
    else if (status === 409 && reply.outcome === "superseded" && !this.predecessor) this.#overtaken(reply);
    else if (status === 409) this.#stale(reply);
    else if (status === 410) this.#become("over", reply);
    else if (isSignedOut(response)) this.#signedOut(reply);
    else if (status >= 400 && status < 500 && status !== 408) this.#refuse(reply, attempt);
    else this.#fail();
  }

  #succeed(reply, attempt, askedAt) {
    this.acknowledged = attempt.sequence;
    this.failures = 0;
    this.predecessor = null;
    this.revision = reply.revision;
    this.saved = attempt.draft;
    this.savedAt = reply.saved_at;
    this.#become(this.unsaved ? "editing" : "saved", reply);
    if (this.unsaved) this.#planAfterPause();
    if (reply.state) this.#tell("told", { told: reply.state, askedAt });
  }

  // A newer save of this page was faster: what the server holds came from here.
  #overtaken(reply) {
    this.revision = reply.revision;
    this.saved = currentDraft(reply);
    this.#become(this.unsaved ? "editing" : "saved");
    if (this.unsaved) this.#planAfterPause();
  }

  #stale(reply) {
    this.newer = { draft: currentDraft(reply), revision: reply.revision };
    this.predecessor = null;
    if (sameDraft(this.newer.draft, this.draft)) this.useNewer();
    // What arrived in between is what this page goes on from: nothing of anybody else's.
    else if (this.adopted && sameDraft(this.newer.draft, this.adopted)) this.keepMine();
    else this.#become("stale", reply);
  }

  #signedOut(reply) {
    this.#become("signed-out", reply);
    this.#plan(SIGNED_OUT_RETRY_MS);
  }

  // It cannot be stored as it is; only another draft is worth sending.
  #refuse(reply, attempt) {
    this.#become("refused", reply);
    if (!sameDraft(this.draft, attempt.draft)) this.#planAfterPause();
  }

  #fail() {
    if (this.#isStuck) return;
    this.failures += 1;
    this.#become("offline");
    this.#plan(this.isAside ? RETRY_MS.at(-1) : RETRY_MS[Math.min(this.failures, RETRY_MS.length) - 1]);
  }

  #planAfterPause() {
    this.waitingSince ??= performance.now();
    const left = this.waitingSince + MAX_WAIT_MS - performance.now();
    this.#plan(Math.max(0, Math.min(PAUSE_MS, left)));
  }

  #plan(delay) {
    clearTimeout(this.timer);
    if (delay === null) this.waitingSince = null;
    this.timer = delay === null ? null : setTimeout(() => this.flush(), delay);
  }

  #become(state, reply = null) {
    this.state = state;
    if (this.#isStuck) this.#plan(null);
    this.#tell("state", { state, reply });
  }

  #tell(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }
}

// Read at every request: signing in again in another tab changes it.
export function csrfToken() {
  return document.cookie.match(/(?:^|; )csrftoken=([^;]+)/)?.[1] ?? "";
}
