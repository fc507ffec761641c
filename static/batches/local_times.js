// Shows the UTC times of a page in the reader's own time. Only the time zone is the device's; no clock is read.

import { fill, gettext } from "../js/texts.js";
import { clockSeconds, clockTime, dayAndTime, wholeDay } from "./moments.js";

export function addLocalTimes(root = document) {
  for (const element of root.querySelectorAll("time[data-local]")) showLocal(element);
}

export function showLocal(element) {
  const moment = new Date(element.dateTime);
  if (Number.isNaN(moment.getTime())) return;
  const shown = { only: dayAndTime, day: wholeDay, clock: clockTime, seconds: clockSeconds }[element.dataset.local];
  if (shown) element.textContent = shown(moment);
  else if (moment.getTimezoneOffset() !== 0) addBeside(element, moment);
}

// A page may ask more than once: the time bar has a script of its own.
function addBeside(element, moment) {
  if ("shown" in element.dataset) return;
  element.dataset.shown = "";
  const time = dayAndTime(moment);
  element.after(` (${fill(gettext("%(time)s where you are"), { time })})`);
}
