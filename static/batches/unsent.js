// After the end: texts this device kept because the server did not save them, readable and copyable.

import { copiesOf } from "./copies.js";

export function showUnsent(section) {
  if (!section) return;
  for (const copy of copiesOf(section.dataset.session)) {
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
}
