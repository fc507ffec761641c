// Saves one answer: some seconds after typing stops, one request at a time, again until the server has it.
// The server orders the saves of a page by `sequence`; a retry of the same text keeps its number, so a save
// whose reply got lost is not counted twice.

const PAUSE_MS = 2_000;
const TIMEOUT_MS = 20_000;
const RETRY_MS = [2_000, 4_000, 8_000, 16_000, 30_000];
const SIGNED_OUT_RETRY_MS = 15_000;
// All bodies that may outlive the page together must stay below 64 KiB.
const KEEPALIVE_BYTES = 60_000;

export class Saver extends EventTarget {
  // Events: "state" with detail {state, reply}; "time" with detail {secondsLeft, askedAt}.
  // States: saved, editing, saving, offline, signed-out, refused, stale, over.
  constructor({ url, tab, text, revision }) {
    super();
    Object.assign(this, { url, tab, revision, text, savedText: text });
    this.state = "saved";
    this.sequence = 0;
    this.acknowledged = 0;
    this.lastAttempt = null;
    this.inFlight = null;
    this.failures = 0;
    this.timer = null;
    this.newer = null;
  }

  get unsaved() {
    return this.text !== this.savedText;
  }

  get inTrouble() {
    return this.unsaved && !["saved", "editing", "saving"].includes(this.state);
  }

  edit(text) {
    this.text = text;
    if (this.state === "over" || this.state === "stale") return;
    if (!this.unsaved && !this.inFlight) {
      this.#plan(null);
      this.#become("saved");
    } else if (this.unsaved) {
      if (this.state === "saved" || this.state === "refused") this.#become("editing");
      if (this.state !== "offline" && this.state !== "signed-out") this.#plan(PAUSE_MS);
    }
  }

  // Save now. Resolves when the answer is saved or cannot be saved at the moment.
  async flush() {
    while (this.inFlight) await this.inFlight;
    if (!this.unsaved || this.state === "over" || this.state === "stale") return;
    this.inFlight = this.#send(false);
    await this.inFlight;
  }

  // The page is going away: send what is unsaved even beside a request that is under way.
  leave() {
    if (this.unsaved && this.state !== "over" && this.state !== "stale") this.#send(true);
  }

  useNewer() {
    if (!this.newer) return;
    this.text = this.savedText = this.newer.text;
    this.#settle();
  }

  keepMine() {
    if (!this.newer) return;
    this.savedText = this.newer.text;
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
    const body = JSON.stringify({
      text: attempt.text,
      base_revision: this.revision,
      tab: this.tab,
      sequence: attempt.sequence,
    });
    const small = body.length < KEEPALIVE_BYTES && new Blob([body]).size < KEEPALIVE_BYTES;
    const askedAt = performance.now();
    if (!leaving && this.state !== "offline" && this.state !== "signed-out") this.#become("saving");
    try {
      const response = await fetch(this.url, {
        method: "POST",
        headers: { "Content-Type": "application/json", "X-CSRFToken": csrfToken() },
        body,
        keepalive: leaving && small,
        signal: leaving ? undefined : AbortSignal.timeout(TIMEOUT_MS),
      });
      const reply = response.status < 500 ? await response.json() : null;
      this.inFlight = leaving ? this.inFlight : null;
      this.#receive(response.status, reply, attempt, askedAt);
    } catch {
      this.inFlight = leaving ? this.inFlight : null;
      this.#fail();
    }
  }

  #attempt() {
    if (this.lastAttempt?.text !== this.text) {
      this.sequence += 1;
      this.lastAttempt = { text: this.text, sequence: this.sequence };
    }
    return this.lastAttempt;
  }

  #receive(status, reply, attempt, askedAt) {
    if (reply && typeof reply.seconds_left === "number") {
      this.#tell("time", { secondsLeft: reply.seconds_left, askedAt });
    }
    // A reply to a request that a newer one has overtaken says nothing about the answer any more.
    if (attempt.sequence < this.acknowledged) return;
    if (status === 200) this.#succeed(reply, attempt);
    else if (status === 409 && reply.outcome === "superseded") this.#overtaken(reply);
    else if (status === 409) this.#stale(reply);
    else if (status === 410) this.#become("over", reply);
    else if (status === 401 || status === 403) this.#signedOut(reply);
    else if (status >= 400 && status < 500 && status !== 408 && status !== 429) this.#refuse(reply, attempt);
    else this.#fail();
  }

  #succeed(reply, attempt) {
    this.acknowledged = attempt.sequence;
    this.failures = 0;
    this.revision = reply.revision;
    this.savedText = attempt.text;
    this.#become(this.unsaved ? "editing" : "saved", reply);
    if (this.unsaved) this.#plan(PAUSE_MS);
  }

  // A newer save of this page was faster: what the server holds came from here.
  #overtaken(reply) {
    this.revision = reply.revision;
    this.savedText = reply.current_text;
    this.#become(this.unsaved ? "editing" : "saved");
    if (this.unsaved) this.#plan(PAUSE_MS);
  }

  #stale(reply) {
    this.newer = { text: reply.current_text, revision: reply.revision };
    if (this.newer.text === this.text) this.useNewer();
    else this.#become("stale", reply);
  }

  #signedOut(reply) {
    this.#become("signed-out", reply);
    this.#plan(SIGNED_OUT_RETRY_MS);
  }

  // The text cannot be stored as it is; only another text is worth sending.
  #refuse(reply, attempt) {
    this.#become("refused", reply);
    if (this.text !== attempt.text) this.#plan(PAUSE_MS);
  }

  #fail() {
    if (this.state === "over") return;
    this.#become("offline");
    this.#plan(RETRY_MS[Math.min(this.failures, RETRY_MS.length - 1)]);
    this.failures += 1;
  }

  #plan(delay) {
    clearTimeout(this.timer);
    this.timer = delay === null ? null : setTimeout(() => this.flush(), delay);
  }

  #become(state, reply = null) {
    this.state = state;
    if (state === "over" || state === "stale") this.#plan(null);
    this.#tell("state", { state, reply });
  }

  #tell(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }
}

// Read at every request: signing in again in another tab changes it.
function csrfToken() {
  return document.cookie.match(/(?:^|; )csrftoken=([^;]+)/)?.[1] ?? "";
}
