// Shows the UTC times of a page in the reader's own time. Only the time zone is the device's; no clock is read.

import { clockSeconds, clockTime, dayAndTime, wholeDay } from "./moments.js";

export function addLocalTimes(root = document) {
  for (const element of root.querySelectorAll("time[data-local]")) showLocal(element);
}

export function showLocal(element) {
  const moment = new Date(element.dateTime);
  if (Number.isNaN(moment.getTime())) return;
  const shown = { only: dayAndTime, day: wholeDay, clock: clockTime, seconds: clockSeconds }[element.dataset.local];
  if (shown) element.textContent = shown(moment);
}
