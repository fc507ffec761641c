// The answering page, in a session and in practice: connects writing and saving with the clock, the list of prompts and the tools.

import { addCopying } from "./copying.js";
import { Drafting } from "./drafting.js";
import { Ending, PracticeEnding } from "./ending.js";
import { Flag } from "./flag.js";
import { addImageZoom } from "./image_zoom.js";
import { PaneTabs } from "./pane_tabs.js";
import { PromptList } from "./prompt_list.js";
import { Reporter } from "./reporter.js";
import { Shortcuts } from "./shortcuts.js";
import { Splitter } from "./splitter.js";
import { TimeBar } from "./time_bar.js";

const RETRY_MS = 5_000;

const form = document.getElementById("answer-form");
const list = new PromptList(form.dataset);
const drafting = new Drafting({ form, go: (step) => list.go(step) });
const { fields, saver, saveState, copies, preview } = drafting;
const timeBar = new TimeBar(document.getElementById("time-bar"));
const { countdown } = timeBar;
const practiceOver = document.getElementById("practice-over");
const ending = practiceOver
  ? new PracticeEnding(practiceOver)
  : new Ending({ receiptUrl: timeBar.bar.dataset.receiptUrl, form, fields, saver, copies });
const { reportUrl, session } = timeBar.bar.dataset;
// Practice is nobody's business.
if (reportUrl) new Reporter({ url: reportUrl, session, countdown, saver });
const flag = new Flag(document.getElementById("flag-button"));

const panes = document.getElementById("panes");
new Splitter({ bar: document.getElementById("splitter"), panes });
const sides = new PaneTabs({ tabs: document.getElementById("pane-tabs"), panes });
if (form.querySelector("[data-server-refusal], .errorlist")) sides.show("answer");
addCopying();
addImageZoom();
listenToSaving();
listenToTime();
new Shortcuts({
  actions: {
    J: () => list.go(1),
    K: () => list.go(-1),
    F: () => flag.toggle(),
    P: () => preview.toggle(),
    U: () => timeBar.say(),
  },
  enter: () => saver.flush(),
});
flag.addEventListener("change", ({ detail }) => list.showFlag(detail.flagged));
list.showFlag(flag.flagged);
drafting.start();

function listenToSaving() {
  saver.addEventListener("time", ({ detail }) => {
    if (!countdown.isOver) countdown.sync(detail.secondsLeft, detail.askedAt);
  });
  saver.addEventListener("state", ({ detail }) => {
    if (detail.state === "saved") showSaved();
    else if (saver.unsaved) list.showDraft();
    if (detail.state === "over") settleOver();
    if (ending.isOver) ending.sayWhatIsSaved();
  });
}

function showSaved() {
  if (saver.revision > 0) list.showSaved(saver.draft.text.trim() !== "");
}

// A save was refused because the session is over. The clock says how it ended, or that it goes on after all.
async function settleOver() {
  const isKnown = await countdown.ask();
  if (countdown.isOver) end(countdown.status);
  else if (isKnown) saver.resume();
  else setTimeout(settleOver, RETRY_MS);
}

// What counted is said on the side of the answer.
function end(status) {
  ending.lock(status);
  preview.close();
  sides.show("answer");
}

function listenToTime() {
  countdown.addEventListener("last-seconds", () => saver.flush());
  countdown.addEventListener("over", async ({ detail }) => {
    await saver.flush();
    if (countdown.isOver) end(detail.status);
  });
  countdown.addEventListener("again", () => {
    ending.unlock();
    saver.resume();
  });
  countdown.addEventListener("signed-out", () => saveState.tellSignedOut(true));
  countdown.addEventListener("signed-in", () => {
    saveState.tellSignedOut(false);
    saver.flush();
  });
}
