// Follows the jobs on a page: soon after it was loaded, then every two seconds, each asks how far it is. Its end
// leads on, or loads the page anew; while something there is not sent, it offers that instead.

import { isChanged } from "../js/changed.js";

const FIRST_MS = 250;
const EVERY_MS = 2_000;
const HIDDEN_MS = 15_000;
const TIMEOUT_MS = 10_000;
const TROUBLE_AFTER = 3;

for (const job of document.querySelectorAll("[data-job]")) follow(job);

async function follow(job) {
  const kept = { tag: "", failures: 0 };
  for (let wait = FIRST_MS; ; wait = Math.min(2 * wait, EVERY_MS)) {
    await pause(wait);
    const over = await look(job, kept);
    place(job, "trouble").hidden = kept.failures < TROUBLE_AFTER;
    if (over) return;
  }
}

async function look(job, kept) {
  try {
    const headers = kept.tag ? { "If-None-Match": kept.tag } : {};
    const reply = await fetch(job.dataset.job, { headers, cache: "no-store", signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (reply.status === 304) return settle(kept);
    // Whoever was signed out is led to another page: that is no state of this job.
    if (!reply.ok || reply.redirected) throw new Error("no state of a job");
    const state = await reply.json();
    kept.tag = reply.headers.get("ETag") ?? "";
    settle(kept);
    show(job, state);
    return !state.is_open;
  } catch {
    kept.failures += 1;
    return false;
  }
}

function settle(kept) {
  kept.failures = 0;
  return false;
}

function show(job, state) {
  for (const name of ["state_name", "phase", "left", "sentence", "error"]) say(place(job, name), state[name]);
  for (const name of ["sentence", "error"]) place(job, name).hidden = !state[name];
  if (state.is_open) showOpen(job, state);
  else showEnd(job, state);
}

function showOpen(job, state) {
  const bar = place(job, "percent");
  if (state.percent === null) bar.removeAttribute("value");
  else bar.value = state.percent;
  place(job, "stopping").hidden = !state.is_stopping;
  place(job, "nobody_works").hidden = !state.nobody_works;
  paint(job, state.state);
}

function showEnd(job, state) {
  if (![...document.forms].some(isChanged)) {
    if (state.leads) location.replace(state.link);
    else location.reload();
    return;
  }
  const hadFocus = job.contains(document.activeElement);
  for (const part of job.querySelectorAll('[data-while="open"]')) part.remove();
  for (const name of ["stopping", "nobody_works"]) place(job, name).hidden = true;
  place(job, "cancelled").hidden = state.state !== "cancelled";
  const link = place(job, "link");
  link.hidden = !state.link;
  if (state.link) {
    link.firstElementChild.href = state.link;
    say(link.firstElementChild, state.link_label);
  }
  place(job, "anew").hidden = false;
  paint(job, state.state);
  if (hadFocus) document.getElementById("main").focus({ preventScroll: true });
}

function paint(job, state) {
  job.dataset.jobState = state;
  const pill = place(job, "state_name").classList;
  pill.toggle("live", state === "waiting" || state === "running");
  pill.toggle("good", state === "done");
  pill.toggle("bad", state === "failed");
}

function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

function place(job, name) {
  return job.querySelector(`[data-show="${name}"]`);
}

function pause(wait) {
  return new Promise((resolve) => {
    const timer = setTimeout(end, document.visibilityState === "visible" ? wait : HIDDEN_MS);
    document.addEventListener("visibilitychange", end);
    function end() {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", end);
      resolve();
    }
  });
}
