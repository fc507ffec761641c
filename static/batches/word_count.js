// How many words the answer has. Counted after a pause; nothing is announced.

import { fill, gettext, ngettext } from "../js/texts.js";

const PAUSE_MS = 400;
// Finding words by the rules of a language takes too long in a longer text: there, spaces divide.
const SEGMENTED_CHARACTERS = 50_000;

export class WordCount {
  constructor({ place, field }) {
    Object.assign(this, { place, field });
    field.addEventListener("input", () => this.later());
    this.#show();
  }

  later() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.#show(), PAUSE_MS);
  }

  #show() {
    const text = this.field.value;
    const isLong = text.length > SEGMENTED_CHARACTERS;
    const words = isLong || !globalThis.Intl?.Segmenter ? spaced(text) : segmented(text);
    const sentence = isLong
      ? gettext("About %(words)s words")
      : ngettext("%(words)s word", "%(words)s words", words);
    this.place.textContent = fill(sentence, { words });
  }
}

function segmented(text) {
  let words = 0;
  for (const segment of new Intl.Segmenter(undefined, { granularity: "word" }).segment(text)) {
    if (segment.isWordLike) words += 1;
  }
  return words;
}

function spaced(text) {
  let words = 0;
  for (const _ of text.matchAll(/\S+/g)) words += 1;
  return words;
}
