// Which warning about the time is due. Remembered for the tab, since every prompt is a page of its own.

const MINUTES = [5, 15, 60];

export class TimeWarnings {
  constructor({ session, totalSeconds, secondsLeft }) {
    this.key = `chiron:warned:${session}`;
    this.totalSeconds = totalSeconds;
    this.last = this.#remembered(secondsLeft);
  }

  // The minutes to warn about now, or null. A later end makes passed warnings due again.
  due(secondsLeft) {
    const passed = this.#passed(secondsLeft);
    const isNew = passed < this.last;
    if (passed !== this.last) this.#remember(passed);
    return isNew ? passed : null;
  }

  #passed(secondsLeft) {
    const reached = (minutes) => secondsLeft <= minutes * 60 && minutes * 60 < this.totalSeconds;
    return MINUTES.find(reached) ?? Infinity;
  }

  #remembered(secondsLeft) {
    try {
      return Number(sessionStorage.getItem(this.key) ?? Infinity);
    } catch {
      // Without storage a warning would come again on every page.
      return this.#passed(secondsLeft);
    }
  }

  #remember(minutes) {
    this.last = minutes;
    try {
      sessionStorage.setItem(this.key, String(minutes));
    } catch {
      // It holds for this page.
    }
  }
}
