// The remaining time by the server's clock. The device's clock is never read: performance.now() only measures
// how long ago the server was asked, and every reply of the server corrects it.

const POLL_MS = 30_000;
const TICK_MS = 1_000;
const WARNING_MINUTES = [60, 15, 5];
const SECONDS_SHOWN_BELOW = 600;

export class Countdown extends EventTarget {
  // Events: "last-seconds" once, shortly before the end; "over" once, with detail.status.
  constructor(bar) {
    super();
    this.url = bar.dataset.timeUrl;
    this.display = bar.querySelector("[data-time-left]");
    this.announcements = bar.querySelector("[data-announcements]");
    this.isOver = false;
    this.calledLast = false;
    this.asking = false;
    // The page was made after its request began: counting from there never promises too much.
    this.sync(Number(bar.dataset.secondsLeft), 0);
    this.warned = new Set(WARNING_MINUTES.filter((minutes) => this.secondsLeft() <= minutes * 60));
    setInterval(() => this.#tick(), TICK_MS);
    setInterval(() => this.ask(), POLL_MS);
    document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && this.ask());
    window.addEventListener("pageshow", (event) => event.persisted && this.ask());
    window.addEventListener("online", () => this.ask());
  }

  // `askedAt`: performance.now() when the request was sent, so a slow reply shows less time, never more.
  sync(secondsLeft, askedAt) {
    this.endsAt = askedAt + secondsLeft * 1_000;
    this.#show();
  }

  secondsLeft() {
    return Math.max(0, Math.floor((this.endsAt - performance.now()) / 1_000));
  }

  announce(words) {
    this.announcements.textContent = words;
  }

  async ask() {
    if (this.isOver || this.asking) return;
    this.asking = true;
    const askedAt = performance.now();
    try {
      const reply = await fetch(this.url, { signal: AbortSignal.timeout(10_000) });
      if (reply.ok) this.#learn(await reply.json(), askedAt);
      else if (this.secondsLeft() === 0) this.#end("expired");
    } catch {
      // Offline: the last known end holds.
      if (this.secondsLeft() === 0) this.#end("expired");
    } finally {
      this.asking = false;
    }
  }

  #learn(clock, askedAt) {
    this.sync(clock.seconds_left, askedAt);
    if (clock.status !== "active" || clock.seconds_left === 0) this.#end(clock.status);
  }

  #tick() {
    if (this.isOver) return;
    this.#show();
    const left = this.secondsLeft();
    for (const minutes of WARNING_MINUTES) {
      if (left <= minutes * 60 && !this.warned.has(minutes)) {
        this.warned.add(minutes);
        this.announce(`${minutes} minutes left.`);
      }
    }
    if (left <= 3 && !this.calledLast) {
      this.calledLast = true;
      this.dispatchEvent(new Event("last-seconds"));
    }
    // Before locking anything, the server is asked whether the time is really over.
    if (left === 0) this.ask();
  }

  #show() {
    const left = this.secondsLeft();
    const hours = Math.floor(left / 3_600);
    const minutes = Math.floor((left % 3_600) / 60);
    const parts = [];
    if (hours) parts.push(`${hours} h`);
    if (hours || minutes) parts.push(`${minutes} min`);
    if (left < SECONDS_SHOWN_BELOW) parts.push(`${left % 60} s`);
    this.display.textContent = parts.join(" ");
  }

  #end(status) {
    if (this.isOver) return;
    this.isOver = true;
    this.sync(0, performance.now());
    this.announce(status === "expired" ? "Your time has ended." : "This session has ended.");
    this.dispatchEvent(new CustomEvent("over", { detail: { status } }));
  }
}
