// Adds the reader's own time to the UTC times of a page. Only the time zone is the device's; no clock is read.

const STYLE = { dateStyle: "medium", timeStyle: "short" };

export function addLocalTimes(root = document) {
  for (const element of root.querySelectorAll("time[data-local]")) {
    const moment = new Date(element.dateTime);
    if (moment.getTimezoneOffset() === 0) continue;
    element.after(` (${new Intl.DateTimeFormat(undefined, STYLE).format(moment)} where you are)`);
  }
}
