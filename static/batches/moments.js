// Moments and spans in words. A moment is always the server's; only the time zone is the device's.

import { fill, gettext, ngettext } from "../js/texts.js";

const SECONDS_SHOWN_BELOW = 600;
const TIME = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" };
const DAY = { day: "numeric", month: "short", year: "numeric" };
// The pages' English writes the day first, as the server does.
const { lang } = document.documentElement;
const language = lang === "en" ? "en-GB" : lang || undefined;

// "14:02"
export function clockTime(moment) {
  return new Intl.DateTimeFormat(language, TIME).format(new Date(moment));
}

// "14:02:41"
export function clockSeconds(moment) {
  return new Intl.DateTimeFormat(language, { ...TIME, second: "2-digit" }).format(new Date(moment));
}

// "22 Nov 2026"
export function wholeDay(moment) {
  return new Intl.DateTimeFormat(language, DAY).format(new Date(moment));
}

// "22 Nov 2026, 14:02"
export function dayAndTime(moment) {
  return new Intl.DateTimeFormat(language, { ...DAY, ...TIME }).format(new Date(moment));
}

// "4 h 59 min"; seconds only near the end.
export function shortSpan(seconds) {
  const { hours, minutes, rest } = split(seconds);
  const parts = [];
  if (hours) parts.push(fill(gettext("%(hours)s h"), { hours }));
  if (hours || minutes) parts.push(fill(gettext("%(minutes)s min"), { minutes }));
  if (seconds < SECONDS_SHOWN_BELOW) parts.push(fill(gettext("%(seconds)s s"), { seconds: rest }));
  return parts.join(" ");
}

// "4 hours 59 minutes left."
export function spokenSpan(seconds) {
  const { hours, minutes, rest } = split(seconds);
  const parts = [];
  if (hours) parts.push(fill(ngettext("%(hours)s hour", "%(hours)s hours", hours), { hours }));
  if (minutes) parts.push(fill(ngettext("%(minutes)s minute", "%(minutes)s minutes", minutes), { minutes }));
  if (seconds < SECONDS_SHOWN_BELOW) {
    parts.push(fill(ngettext("%(seconds)s second", "%(seconds)s seconds", rest), { seconds: rest }));
  }
  return fill(gettext("%(span)s left."), { span: parts.join(" ") });
}

function split(seconds) {
  return { hours: Math.floor(seconds / 3_600), minutes: Math.floor((seconds % 3_600) / 60), rest: seconds % 60 };
}
