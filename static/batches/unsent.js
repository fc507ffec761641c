// Drafts this device kept that are not what the server holds, readable and copyable.

import { fill, gettext } from "../js/texts.js";
import { Copies, copiesOf } from "./copies.js";
import { sameDraft } from "./drafts.js";
import { expectText } from "./long_texts.js";

const TIMEOUT_MS = 10_000;

export async function showUnsent(section) {
  if (!section) return;
  const { session, answerUrl } = section.dataset;
  for (const copy of copiesOf(session)) {
    if (await isUnsent(answerUrl, copy)) show(section, copy);
    else new Copies({ session, position: copy.position, tab: "" }).drop(copy.key);
  }
}

// A page that was left may have saved its last draft without hearing of it.
export async function isUnsent(answerUrl, { position, draft }) {
  const saved = await savedDraft(answerUrl, position);
  return saved === null || !sameDraft(saved, draft);
}

// null where the server does not answer: then the copy is shown.
async function savedDraft(answerUrl, position) {
  try {
    const address = answerUrl.replace(/0$/, String(position));
    const reply = await fetch(address, { cache: "no-store", signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (!reply.ok) return null;
    const { text, note = "", confidence = null } = await reply.json();
    return { text, note, confidence };
  } catch {
    return null;
  }
}

function show(section, { position, draft }) {
  const text = draft.note ? `${draft.text}\n\n${draft.note}` : draft.text;
  showText(section, fill(gettext("Question %(position)s"), { position }), text);
  if (section.dataset.promptUrl) section.append(link(section.dataset.promptUrl, position));
}

export function showText(section, name, text) {
  const label = document.createElement("label");
  const box = document.createElement("textarea");
  label.textContent = name;
  box.id = label.htmlFor = `unsent-${document.querySelectorAll("textarea").length + 1}`;
  box.readOnly = true;
  box.rows = 6;
  box.dir = "auto";
  expectText(box, text.length);
  box.value = text;
  section.append(label, box);
  section.hidden = false;
}

// While the session runs, opening the prompt saves the copy or offers it.
function link(promptUrl, position) {
  const line = document.createElement("p");
  const anchor = document.createElement("a");
  anchor.href = promptUrl.replace("/0/", `/${position}/`);
  anchor.textContent = fill(gettext("Open question %(position)s to save it"), { position });
  line.append(anchor);
  return line;
}
