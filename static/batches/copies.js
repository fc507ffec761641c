// Copies of unsaved texts on this device, one per open page, so that a reload or a crash loses nothing.
// They are removed as soon as the server has the text.

const PREFIX = "chiron:answer";

export class Copies {
  constructor({ session, position, tab }) {
    this.prefix = `${PREFIX}:${session}:${position}:`;
    this.own = this.prefix + tab;
  }

  keep(text, revision) {
    try {
      // The time only orders copies of this device; it decides nothing else.
      localStorage.setItem(this.own, JSON.stringify({ text, revision, at: Date.now() }));
      return true;
    } catch {
      return false;
    }
  }

  drop(key = this.own) {
    try {
      localStorage.removeItem(key);
    } catch {
      // Without storage there is nothing to remove.
    }
  }

  // What earlier pages left behind, newest first.
  leftovers() {
    try {
      return Object.keys(localStorage)
        .filter((key) => key.startsWith(this.prefix) && key !== this.own)
        .map((key) => ({ key, ...JSON.parse(localStorage.getItem(key)) }))
        .filter((copy) => typeof copy.text === "string")
        .sort((one, other) => other.at - one.at);
    } catch {
      return [];
    }
  }
}
