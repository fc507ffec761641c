// Pages about a session: local times, the remaining time where a clock is running, drafts that were not saved.

import { addLocalTimes } from "./local_times.js";
import { addPrinting } from "./printing.js";
import { FirstViews } from "./first_views.js";
import { PromptList } from "./prompt_list.js";
import { Reporter } from "./reporter.js";
import { TimeBar } from "./time_bar.js";
import { showUnsent } from "./unsent.js";

addLocalTimes();
addPrinting();
const unsent = document.getElementById("unsent-texts");
showUnsent(unsent);
if (unsent?.dataset.seenUrl) new FirstViews({ url: unsent.dataset.seenUrl, session: unsent.dataset.session }).send();
const list = document.querySelector(".answer-list");
if (list) new PromptList({ session: list.dataset.session, position: null });
const bar = document.getElementById("time-bar");
const form = document.querySelector("main form[method=post]");
if (bar) {
  const over = bar.querySelector("[data-over]");
  const { countdown } = new TimeBar(bar);
  const { reportUrl, session } = bar.dataset;
  if (reportUrl) new Reporter({ url: reportUrl, session, countdown });
  countdown.addEventListener("over", () => {
    // What was filled in stays; a page without a form has nothing to keep.
    over.hidden = false;
    if (!form) window.location.assign(bar.dataset.receiptUrl);
  });
  countdown.addEventListener("again", () => (over.hidden = true));
}
// Enter in a tick box would hand in the whole batch.
form?.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && event.target.matches("input[type=checkbox]")) event.preventDefault();
});
