// The answering page, in a session and in practice: connects the questions with the clock, their list and the tools.

import { fill, gettext } from "../js/texts.js";
import { announce } from "./announcer.js";
import { addCopying } from "./copying.js";
import { Ending, PracticeEnding } from "./ending.js";
import { FirstViews } from "./first_views.js";
import { HeldQuestions } from "./held_questions.js";
import { ImageZoom } from "./image_zoom.js";
import { Line } from "./line.js";
import { PaneTabs } from "./pane_tabs.js";
import { refuseFiles } from "./pasting.js";
import { PromptList } from "./prompt_list.js";
import { Reporter } from "./reporter.js";
import { Shortcuts } from "./shortcuts.js";
import { Splitter } from "./splitter.js";
import { TimeBar } from "./time_bar.js";
import { Workplace } from "./workplace.js";

const RETRY_MS = 5_000;

const form = document.getElementById("answer-form");
const panes = document.getElementById("panes");
const list = new PromptList(form.dataset);
const timeBar = new TimeBar(document.getElementById("time-bar"));
const { countdown } = timeBar;
const held = new HeldQuestions(panes.dataset.questionsUrl);
const line = new Line(countdown);
const workplace = new Workplace({
  panes,
  list,
  held,
  line,
  views: new FirstViews({ url: panes.dataset.seenUrl, session: form.dataset.session }),
  zoom: new ImageZoom(document.getElementById("zoom-dialog")),
});
const practiceOver = document.getElementById("practice-over");
const { reportUrl, receiptUrl, session } = timeBar.bar.dataset;
const ending = practiceOver ? new PracticeEnding(practiceOver) : new Ending({ receiptUrl, workplace });
// Practice is nobody's business.
const reporter = reportUrl ? new Reporter({ url: reportUrl, session, countdown }) : null;
new Splitter({ bar: document.getElementById("splitter"), panes });
const sides = new PaneTabs({ tabs: document.getElementById("pane-tabs"), panes });

refuseFiles();
addCopying(panes.querySelector(".pane-top"));
workplace.addEventListener("opened", ({ detail }) => listenTo(detail.work));
workplace.addEventListener("shown", () => {
  sides.name(workplace.shown.position);
  sides.show("question");
  tellSignedOut();
  sayUndecided();
  if (ending.isOver) ending.sayWhatIsSaved();
});
listenToTime();
new Shortcuts({
  actions: {
    J: () => workplace.go(1),
    K: () => workplace.go(-1),
    F: () => workplace.shown.flag.toggle(),
    P: () => workplace.shown.drafting.preview.toggle(),
    U: () => timeBar.say(),
  },
  enter: () => workplace.shown.saver.flush(),
});
workplace.begin();
if (form.querySelector("[data-server-refusal], .errorlist")) sides.show("answer");

function listenTo({ saver, flag, position }) {
  reporter?.follow(saver);
  saver.addEventListener("time", ({ detail }) => {
    if (!countdown.isOver) countdown.sync(detail.secondsLeft, detail.askedAt);
  });
  saver.addEventListener("told", ({ detail }) => countdown.learn(detail.told, detail.askedAt));
  saver.addEventListener("state", ({ detail }) => {
    if (detail.state === "saved") {
      if (saver.revision > 0) list.showSaved(saver.draft.text.trim() !== "", position);
    } else if (saver.unsaved) list.showDraft(position);
    sayUndecided();
    if (detail.state === "over") settleOver(saver);
    if (ending.isOver && !practiceOver) ending.sayWhatIsSaved();
  });
  flag.addEventListener("change", ({ detail }) => list.showFlag(detail.flagged, position));
  list.showFlag(flag.flagged, position);
}

// A question that stands aside has its own notice out of sight.
function sayUndecided() {
  const notice = document.getElementById("undecided");
  const link = notice.querySelector("a");
  const work = workplace.isOver ? undefined : workplace.undecided.find((one) => one !== workplace.shown);
  const words = work ? fill(gettext("Question %(position)s is not saved: it needs your decision."), work) : "";
  if (words !== "" && words !== link.textContent) announce(words);
  notice.hidden = words === "";
  link.textContent = words;
  if (work) link.href = list.address(work.position);
}

// A save was refused because the session is over. The clock says how it ended, or that it goes on after all.
async function settleOver(saver) {
  const isKnown = await countdown.ask();
  if (countdown.isOver) end(countdown.status);
  else if (isKnown) saver.resume();
  else setTimeout(() => settleOver(saver), RETRY_MS);
}

// What counted is said on the side of the answer.
function end(status) {
  workplace.isOver = !practiceOver;
  held.close();
  ending.lock(status);
  workplace.shown.drafting.preview.close();
  sides.show("answer");
}

function listenToTime() {
  countdown.addEventListener("last-seconds", () => workplace.flush());
  countdown.addEventListener("over", async ({ detail }) => {
    await workplace.flush();
    if (countdown.isOver) end(detail.status);
  });
  countdown.addEventListener("again", () => {
    workplace.isOver = false;
    held.open();
    ending.unlock();
    for (const work of workplace.opened) work.saver.resume();
  });
  countdown.addEventListener("signed-out", tellSignedOut);
  countdown.addEventListener("signed-in", () => {
    tellSignedOut();
    workplace.flush();
  });
}

// On the question that is shown; each has the notice in its form.
function tellSignedOut() {
  workplace.shown.drafting.saveState.tellSignedOut(countdown.isSignedOut);
}
