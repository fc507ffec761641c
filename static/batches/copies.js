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
    return stored(this.prefix).filter((copy) => copy.key !== this.own);
  }
}

// Every copy of a session, in the order of its prompts.
export function copiesOf(session) {
  const prefix = `${PREFIX}:${session}:`;
  return stored(prefix)
    .map((copy) => ({ ...copy, position: Number.parseInt(copy.key.slice(prefix.length), 10) }))
    .sort((one, other) => one.position - other.position);
}

function stored(prefix) {
  try {
    return Object.keys(localStorage)
      .filter((key) => key.startsWith(prefix))
      .map((key) => ({ key, ...JSON.parse(localStorage.getItem(key)) }))
      .filter((copy) => typeof copy.text === "string")
      .sort((one, other) => other.at - one.at);
  } catch {
    return [];
  }
}
