// Copies of unsaved drafts on this device, one per open page, so that a reload or a crash loses nothing.
// They are removed as soon as the server has the draft.

const PREFIX = "chiron:answer";
// Writing a long text at every key would make typing slow.
const LONG_CHARACTERS = 50_000;
const LONG_PAUSE_MS = 1_000;

export class Copies {
  constructor({ session, position, tab }) {
    this.prefix = `${PREFIX}:${session}:${position}:`;
    this.own = this.prefix + tab;
    // Whether the newest draft is on this device, as far as one knows.
    this.isKept = true;
    this.waiting = null;
  }

  // `place`: what orders its save on the server, see saver.js.
  keep(draft, place) {
    clearTimeout(this.timer);
    this.waiting = { draft, place };
    if (draft.text.length < LONG_CHARACTERS) this.writeNow();
    else this.timer = setTimeout(() => this.writeNow(), LONG_PAUSE_MS);
  }

  writeNow() {
    if (this.waiting === null) return;
    const { draft, place } = this.waiting;
    this.waiting = null;
    try {
      // The time only orders copies of this device; it decides nothing else.
      localStorage.setItem(this.own, JSON.stringify({ ...draft, ...place, at: Date.now() }));
      this.isKept = true;
    } catch {
      this.isKept = false;
    }
  }

  drop(key = this.own) {
    if (key === this.own) this.waiting = null;
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

// Everything this device keeps about these sessions. Practice has a name instead of a session's number.
export function forget(sessions) {
  try {
    const isTheirs = (key) => key.startsWith("chiron:") && key.split(/[:/]/).some((part) => sessions.includes(part));
    for (const key of Object.keys(localStorage).filter(isTheirs)) localStorage.removeItem(key);
  } catch {
    // Without storage there is nothing to remove.
  }
}

function stored(prefix) {
  try {
    return Object.keys(localStorage)
      .filter((key) => key.startsWith(prefix))
      .map(readCopy)
      .filter((copy) => typeof copy?.draft.text === "string")
      .sort((one, other) => other.at - one.at);
  } catch {
    return [];
  }
}

function readCopy(key) {
  try {
    const { text, note = "", confidence = null, at, ...rest } = JSON.parse(localStorage.getItem(key));
    // A page from before an update wrote no more than the revision.
    const place = { tab: key.split(":").at(-1), sequence: 0, ...rest };
    return { key, draft: { text, note, confidence }, place, at };
  } catch {
    return null;
  }
}
