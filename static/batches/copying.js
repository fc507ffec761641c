// Buttons that copy a text field as plain text. Where the browser forbids it, the text is selected instead.

import { gettext } from "../js/texts.js";
import { announce } from "./announcer.js";

// `button` names the field in data-copies; the words after it go into data-copied beside it.
export function addCopying(root = document) {
  for (const button of root.querySelectorAll("button[data-copies]")) {
    button.hidden = false;
    button.addEventListener("click", () => copy(button));
  }
}

async function copy(button) {
  const field = document.getElementById(button.dataset.copies);
  try {
    await navigator.clipboard.writeText(field.value);
    say(button, gettext("Copied."));
  } catch {
    field.hidden = false;
    field.focus();
    field.select();
    say(button, gettext("The text is selected; copy it with your keyboard or the menu."));
  }
}

function say(button, words) {
  const place = button.parentElement.querySelector("[data-copied]");
  if (place) place.textContent = words;
  announce(words);
}
