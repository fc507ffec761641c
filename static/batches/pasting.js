// What an answer cannot take: pictures and files that are pasted or dropped. It is said at the field, and a dropped file
// does not open in the place of the page.

import { gettext } from "../js/texts.js";

export class Pasting {
  constructor(field) {
    this.field = field;
    this.notice = document.getElementById("not-taken");
    field.addEventListener("paste", (event) => this.#look(event, event.clipboardData));
    field.addEventListener("drop", (event) => this.#look(event, event.dataTransfer));
    field.addEventListener("input", () => (this.notice.hidden = true));
  }

  // Only the text of what is pasted goes into the field, by the browser itself; without a text nothing would happen.
  #look(event, data) {
    const hasPicture = data.files.length > 0 || /<(img|svg|object)\b/i.test(data.getData("text/html"));
    if (!hasPicture) return;
    const hasText = data.getData("text/plain").trim() !== "";
    if (data.files.length > 0 && !hasText) event.preventDefault();
    const words = hasText
      ? gettext("Only the text was taken. Pictures and files are no part of an answer: write what they show in words or formulas.")
      : gettext("This was not taken: pictures and files are no part of an answer. Write what it shows in words or formulas.");
    // After the text, whose typing takes an older notice away.
    setTimeout(() => {
      this.notice.textContent = words;
      this.notice.hidden = false;
    });
  }
}

// Anywhere else on the page a dropped file would be opened instead of it.
export function refuseFiles() {
  for (const name of ["dragover", "drop"]) {
    document.addEventListener(name, (event) => {
      if (event.dataTransfer?.types.includes("Files") && !event.target.matches("input[type=file]")) event.preventDefault();
    });
  }
}
