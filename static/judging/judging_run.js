// A judging run's page follows the run: every few seconds it asks for the part that changes and brings each marked
// place up to date. What is open, focused or being typed stays as it is.

import { addLocalTimes } from "../batches/local_times.js";

const RUNNING_MS = 3_000;
const PAUSED_MS = 10_000;
const TIMEOUT_MS = 10_000;
const TROUBLE_AFTER = 3;

const live = document.getElementById("judging-live");
const spoken = document.getElementById("judging-said");
const trouble = document.getElementById("judging-trouble");
let failures = 0;

if (!isOver()) setTimeout(follow, pause());
document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && refresh());

async function follow() {
  if (document.visibilityState === "visible") await refresh();
  if (!isOver()) setTimeout(follow, pause());
}

async function refresh() {
  if (isOver()) return;
  try {
    const reply = await fetch(live.dataset.url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    // Whoever was signed out is led to another page: that is no part of this one.
    if (!reply.ok || reply.redirected) throw new Error("no part of the page");
    show(new DOMParser().parseFromString(await reply.text(), "text/html"));
    failures = 0;
  } catch {
    failures += 1;
  }
  trouble.hidden = failures < TROUBLE_AFTER;
}

function show(fresh) {
  const root = fresh.getElementById("judging-now");
  const shown = document.getElementById("judging-now");
  for (const part of root.querySelectorAll("[data-live]")) renew(document.getElementById(part.id), part);
  if (shown.dataset.said !== root.dataset.said) spoken.textContent = root.dataset.said;
  Object.assign(shown.dataset, root.dataset);
}

function renew(shown, part) {
  addLocalTimes(part);
  shown.hidden = part.hidden;
  if (part.dataset.live === "shown") return;
  // Forms stay while their run is in the same state: somebody may be filling one in.
  if (part.dataset.live === "state" && part.dataset.state === shown.dataset.state) return;
  if (shown.innerHTML === part.innerHTML) return;
  const hadFocus = shown.contains(document.activeElement);
  shown.replaceChildren(...part.childNodes);
  Object.assign(shown.dataset, part.dataset);
  if (hadFocus) document.getElementById("main").focus({ preventScroll: true });
}

function isOver() {
  return document.getElementById("judging-now").dataset.over === "yes";
}

function pause() {
  return document.getElementById("judging-now").dataset.state === "paused" ? PAUSED_MS : RUNNING_MS;
}
