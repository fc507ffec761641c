// The answering page: connects the text field with saving, local copies and the clock.

import { Copies } from "./copies.js";
import { Countdown } from "./countdown.js";
import { addLocalTimes } from "./local_times.js";
import { Saver } from "./saver.js";

const OFFLINE = "There is no connection to the server. It is tried again by itself; this device keeps your text.";
const OVER = "Your time has ended. Your text can be copied from here; what was saved before stays saved.";
const TAB_BYTES = 12;

addLocalTimes();
const bar = document.getElementById("time-bar");
const form = document.getElementById("answer-form");
const field = form.elements.text;
const problem = document.getElementById("save-problem");
const stateLine = document.getElementById("save-state");
const tab = randomTab();
const refusedByServer = form.querySelector("[data-server-refusal], .errorlist") !== null;

const countdown = new Countdown(bar);
const copies = new Copies({ session: form.dataset.session, position: form.dataset.position, tab });
const saver = new Saver({
  url: form.dataset.saveUrl,
  tab,
  text: field.value,
  revision: Number(form.elements.base_revision.value),
});

field.addEventListener("input", () => {
  copies.keep(field.value, saver.revision);
  saver.edit(field.value);
});
field.addEventListener("blur", () => saver.flush());
window.addEventListener("online", () => saver.flush());
window.addEventListener("pagehide", () => saver.leave());
window.addEventListener("beforeunload", (event) => saver.inTrouble && event.preventDefault());
document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "hidden") saver.leave();
  else if (saver.inTrouble) saver.flush();
});

saver.addEventListener("time", ({ detail }) => {
  if (!countdown.isOver) countdown.sync(detail.secondsLeft, detail.askedAt);
});
saver.addEventListener("state", ({ detail }) => showState(detail));
countdown.addEventListener("last-seconds", () => saver.flush());
countdown.addEventListener("over", async () => {
  await saver.flush();
  lock();
});

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const goal = event.submitter?.value;
  await saver.flush();
  if (!saver.unsaved) go(goal);
});
for (const link of document.querySelectorAll(".workspace-list a")) {
  link.addEventListener("click", async (event) => {
    if (!saver.unsaved || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    await saver.flush();
    window.location.assign(link.href);
  });
}
problem.querySelector("[data-use-newer]").addEventListener("click", () => {
  saver.useNewer();
  field.value = saver.text;
});
problem.querySelector("[data-keep-mine]").addEventListener("click", () => saver.keepMine());
restore();

function restore() {
  // A page that shows a refusal holds the refused text already, and saving it is the person's decision.
  if (refusedByServer) {
    saver.savedText = null;
    return;
  }
  for (const copy of copies.leftovers()) {
    if (copy.text === saver.savedText) copies.drop(copy.key);
    else if (copy.revision === saver.revision && !saver.unsaved) adopt(copy);
    else offer(copy);
  }
}

function adopt(copy) {
  field.value = copy.text;
  copies.keep(copy.text, saver.revision);
  copies.drop(copy.key);
  saver.edit(copy.text);
  saver.flush();
}

function offer(copy) {
  const box = document.getElementById("local-copies");
  if (!box.hidden) return; // The newest is offered; the next one at the next visit.
  box.hidden = false;
  box.querySelector("[data-copy-text]").textContent = copy.text;
  box.querySelector("[data-use-copy]").addEventListener("click", () => {
    box.hidden = true;
    adopt(copy);
  });
  box.querySelector("[data-drop-copy]").addEventListener("click", () => {
    box.hidden = true;
    copies.drop(copy.key);
  });
}

function showState({ state, reply }) {
  const sentence = reply?.sentence ?? { offline: OFFLINE, over: OVER }[state] ?? "";
  const trouble = ["offline", "signed-out", "refused", "stale", "over"].includes(state) && saver.unsaved;
  const wasTrouble = !problem.hidden;
  problem.hidden = !trouble;
  problem.querySelector("[data-sentence]").textContent = sentence;
  problem.querySelector("[data-newer]").hidden = state !== "stale";
  problem.querySelector("[data-newer-text]").textContent = saver.newer?.text ?? "";
  problem.querySelector("[data-sign-in]").hidden = state !== "signed-out";
  stateLine.textContent = words(state, reply);
  if (trouble && !wasTrouble) countdown.announce(`Not saved. ${sentence}`);
  if (!trouble && wasTrouble && state === "saved") countdown.announce("Saved again.");
  if (state === "saved") settle();
  if (state === "over") lock();
}

function words(state, reply) {
  if (state === "saving") return "Saving…";
  if (state === "editing") return "Saves by itself when you pause";
  if (state !== "saved") return "Not saved";
  return reply?.saved_at ? `Saved ${reply.saved_at.slice(11, 19)} UTC` : "Saved";
}

function settle() {
  copies.drop();
  form.elements.base_revision.value = saver.revision;
  const entry = document.querySelector(`.answer-list li[data-position="${form.dataset.position}"]`);
  const written = field.value.trim() !== "";
  if (saver.revision === 0) return;
  entry.querySelector("[data-icon]").textContent = written ? "●" : "○";
  entry.querySelector("[data-state]").textContent = written ? "saved" : "emptied";
}

function lock() {
  field.readOnly = true;
  form.querySelector("[data-over]").hidden = false;
  for (const button of form.querySelectorAll("button[type=submit]")) button.disabled = true;
  if (!saver.unsaved) {
    stateLine.textContent = "This text is saved.";
    copies.drop();
  }
}

function go(goal) {
  const step = { next: 1, previous: -1 }[goal];
  if (!step) return;
  const position = Number(form.dataset.position) + step;
  document.querySelector(`.answer-list li[data-position="${position}"] a`)?.click();
}

function randomTab() {
  const bytes = crypto.getRandomValues(new Uint8Array(TAB_BYTES));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
