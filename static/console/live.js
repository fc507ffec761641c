// The live board renews itself: every few seconds it asks for the parts that differ and replaces them by id. What has
// the focus, is ticked, open or being typed stays. Between two answers only the spans of time go on.

import { addLocalTimes } from "../batches/local_times.js";
import { fill, gettext } from "../js/texts.js";

const EVERY_MS = 5_000;
const TIMEOUT_MS = 10_000;
const TICK_MS = 1_000;
// So many answers may be missing before the page says so.
const TROUBLE_AFTER = 2;

const live = document.getElementById("live");
const age = document.getElementById("live-age");
const said = document.getElementById("live-said");
let tag = "";
let failures = 0;
let waiting = false;
// The server's time of the newest answer, and how long ago that came by a clock that nobody sets.
let asOf = Date.parse(live.dataset.asOf);
let asOfTicks = performance.now();
let answeredAt = performance.now();

addLocalTimes(document.getElementById("main"));
age.hidden = false;
tick();
setInterval(tick, TICK_MS);
setInterval(() => document.visibilityState === "visible" && renew(), EVERY_MS);
document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && renew());
document.getElementById("live-sessions").addEventListener("change", sayChosen);

async function renew() {
  if (waiting) return;
  waiting = true;
  try {
    const headers = tag ? { "If-None-Match": tag } : {};
    const reply = await fetch(live.dataset.state, {
      headers,
      cache: "no-store",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    // Whoever was signed out is led to another page: that is no part of this one.
    if (reply.redirected || !(reply.ok || reply.status === 304)) throw new Error("no part of the page");
    const newTag = reply.headers.get("ETag") ?? "";
    if (reply.status !== 304) show(await reply.json());
    tag = newTag;
    answeredAt = performance.now();
    failures = 0;
  } catch {
    failures += 1;
  } finally {
    waiting = false;
  }
  tick();
}

function show({ as_of: now, parts }) {
  asOf = Date.parse(now);
  asOfTicks = performance.now();
  for (const [id, html] of Object.entries(parts)) {
    const shown = document.getElementById(id);
    if (shown) replace(shown, html);
  }
  // What is decided from here on is decided on what is shown now.
  for (const field of document.querySelectorAll("input[name=seen_at]")) field.value = now;
}

function replace(shown, html) {
  const fresh = shown.cloneNode(false);
  fresh.innerHTML = html;
  if (fresh.innerHTML === shown.dataset.shown) return;
  const focused = shown.contains(document.activeElement) ? document.activeElement.id : "";
  const ticked = [...shown.querySelectorAll("input:checked")].map((box) => box.id);
  shown.dataset.shown = fresh.innerHTML;
  shown.replaceChildren(...fresh.childNodes);
  for (const id of ticked) {
    const box = document.getElementById(id);
    if (box) box.checked = true;
  }
  addLocalTimes(shown);
  if (focused) (document.getElementById(focused) ?? document.getElementById("main")).focus({ preventScroll: true });
  sayChosen();
}

function tick() {
  const now = asOf + performance.now() - asOfTicks;
  for (const element of live.querySelectorAll("[data-until]")) {
    element.textContent = span((Date.parse(element.dataset.until) - now) / 1_000);
  }
  for (const element of live.querySelectorAll("[data-since]")) {
    element.textContent = span((now - Date.parse(element.dataset.since)) / 1_000);
  }
  for (const bar of live.querySelectorAll("rect[data-to]")) {
    if (bar.dataset.to) grow(bar, now);
  }
  sayAge();
}

function grow(bar, now) {
  const from = Date.parse(bar.dataset.from);
  const used = (now - from) / (Date.parse(bar.dataset.to) - from);
  bar.setAttribute("width", (100 * Math.min(1, Math.max(0, used))).toFixed(2));
  bar.classList.toggle("late", used >= 0.9);
}

function sayAge() {
  const time = span((performance.now() - answeredAt) / 1_000);
  const lost = failures >= TROUBLE_AFTER;
  age.classList.toggle("warn", lost);
  age.classList.toggle("live", !lost);
  age.textContent = lost
    ? fill(gettext("server not reached, as of %(time)s ago"), { time })
    : fill(gettext("updated %(time)s ago"), { time });
  const sentence = lost ? gettext("The server is not reached. The page shows the last it heard and goes on trying.") : "";
  if (said.textContent !== sentence) said.textContent = sentence;
}

function sayChosen() {
  const chosen = document.getElementById("live-chosen");
  if (!chosen) return;
  const number = document.querySelectorAll("#live-rows input:checked").length;
  chosen.textContent = number
    ? fill(gettext("For the %(number)s ticked:"), { number })
    : gettext("For the ticked:");
}

function span(seconds) {
  const whole = Math.max(0, Math.floor(seconds));
  const hours = Math.floor(whole / 3_600);
  const minutes = Math.floor((whole % 3_600) / 60);
  if (hours) return `${fill(gettext("%(hours)s h"), { hours })} ${fill(gettext("%(minutes)s min"), { minutes })}`;
  return minutes ? fill(gettext("%(minutes)s min"), { minutes }) : fill(gettext("%(seconds)s s"), { seconds: whole });
}
