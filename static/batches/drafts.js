// One answer as it is typed and saved: the text, the note beside it, how sure the person is.

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
    this.confidence = form.elements.confidence ?? null;
    this.lastConfidence = null;
    this.lastConfidence = this.#confidence();
    expectTyping(this.text);
  }

  get all() {
    return [this.text, this.note, this.confidence].filter(Boolean);
  }

  // A confidence that is no whole percentage keeps the last good one: it must not hold up the text.
  read() {
    this.lastConfidence = this.#confidence();
    return { text: this.text.value, note: this.note?.value ?? "", confidence: this.lastConfidence };
  }

  write(draft) {
    expectText(this.text, draft.text.length);
    this.text.value = draft.text;
    if (this.note) this.note.value = draft.note ?? "";
    if (this.confidence) this.confidence.value = draft.confidence ?? "";
    this.lastConfidence = draft.confidence ?? null;
  }

  lock(isLocked) {
    for (const field of this.all) field.readOnly = isLocked;
  }

  get confidenceIsWrong() {
    return this.confidence !== null && !this.confidence.checkValidity();
  }

  #confidence() {
    if (this.confidence === null) return null;
    if (this.confidenceIsWrong) return this.lastConfidence;
    return this.confidence.value === "" ? null : Number(this.confidence.value);
  }
}
