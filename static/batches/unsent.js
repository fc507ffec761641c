// After the end: texts this device kept that are not what the server holds, readable and copyable.

import { Copies, copiesOf } from "./copies.js";

export async function showUnsent(section) {
  if (!section) return;
  const { session, answerUrl } = section.dataset;
  for (const copy of copiesOf(session)) {
    // A page that was left may have saved its last text without hearing of it.
    if ((await savedText(answerUrl, copy.position)) === copy.text) {
      new Copies({ session, position: copy.position, tab: "" }).drop(copy.key);
    } else {
      show(section, copy);
    }
  }
}

// null where the server does not answer: then the copy is shown.
async function savedText(answerUrl, position) {
  try {
    const reply = await fetch(answerUrl.replace(/0$/, String(position)));
    return reply.ok ? (await reply.json()).text : null;
  } catch {
    return null;
  }
}

function show(section, copy) {
  const label = document.createElement("label");
  const box = document.createElement("textarea");
  label.textContent = `Prompt ${copy.position}`;
  box.id = label.htmlFor = `unsent-${section.querySelectorAll("textarea").length + 1}`;
  box.readOnly = true;
  box.rows = 6;
  box.value = copy.text;
  section.append(label, box);
  section.hidden = false;
}
