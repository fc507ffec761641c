// One answer as it is typed and saved: the text, the note beside it, how sure the person is.

import { Levels } from "./levels.js";
import { expectText, expectTyping } from "./long_texts.js";

export function sameDraft(one, other) {
  return one.text === other.text && one.note === other.note && one.confidence === other.confidence;
}

// What the server holds, from a reply that refused a save.
export function currentDraft(reply) {
  return {
    text: reply.current_text,
    note: reply.current_note ?? "",
    confidence: reply.current_confidence ?? null,
  };
}

// The fields of the answer form; note and confidence are there only where the session asks for them.
export class DraftFields {
  constructor(form) {
    this.text = form.elements.text;
    this.note = form.elements.note ?? null;
    const confidence = document.getElementById("confidence");
    this.confidence = confidence && new Levels(confidence);
    expectTyping(this.text);
  }

  // What tells of typing and choosing.
  get all() {
    return [this.text, this.note, this.confidence?.fieldset].filter(Boolean);
  }

  read() {
    return { text: this.text.value, note: this.note?.value ?? "", confidence: this.confidence?.value ?? null };
  }

  // What the page came with: on a slow line people write before this script is there.
  initial() {
    const { text, note, confidence } = this;
    return {
      text: withPlainLineEnds(text.defaultValue),
      note: withPlainLineEnds(note?.defaultValue ?? ""),
      confidence: confidence?.initial ?? null,
    };
  }

  write(draft) {
    expectText(this.text, draft.text.length);
    this.text.value = draft.text;
    if (this.note) this.#writeNote(draft.note ?? "");
    if (this.confidence) this.confidence.value = draft.confidence ?? null;
  }

  lock(isLocked) {
    for (const field of [this.text, this.note].filter(Boolean)) field.readOnly = isLocked;
    this.confidence?.lock(isLocked);
  }

  #writeNote(note) {
    this.note.value = note;
    if (note) this.note.closest("details").open = true;
  }
}

// As a text area reads out what it was filled with.
function withPlainLineEnds(text) {
  return text.replace(/\r\n?/g, "\n");
}
