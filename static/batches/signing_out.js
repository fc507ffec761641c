// Signing out removes what this device keeps of the person's texts. Where the server does not have one, the page
// shows it first, and only the next press removes it.

import { gettext } from "../js/texts.js";
import { forget } from "./copies.js";
import { showText, showUnsent } from "./unsent.js";

const MESSAGE = "chiron:message:"; // static/studies/kept_text.js writes them

const form = document.getElementById("sign-out");
const question = document.getElementById("device-texts");
const sessions = [...question.querySelectorAll("[data-session]")];
const looked = look();
let isAsked = false;

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const wasAsked = isAsked;
  await looked;
  if (isAsked && !wasAsked) {
    question.focus();
    return;
  }
  forget(sessions.map((one) => one.dataset.session));
  for (const key of messageKeys()) sessionStorage.removeItem(key);
  form.submit();
});

async function look() {
  await Promise.all(sessions.map((one) => showUnsent(one)));
  const messages = document.getElementById("unsent-messages");
  for (const key of messageKeys()) showText(messages, gettext("Message to the study team"), sessionStorage.getItem(key));
  if ([...sessions, messages].every((one) => one.hidden)) return;
  const button = form.querySelector("[data-removing]");
  button.textContent = button.dataset.removing;
  button.setAttribute("aria-describedby", "device-texts-question");
  question.hidden = false;
  isAsked = true;
}

function messageKeys() {
  try {
    return Object.keys(sessionStorage).filter((key) => key.startsWith(MESSAGE) && sessionStorage.getItem(key).trim());
  } catch {
    return [];
  }
}
