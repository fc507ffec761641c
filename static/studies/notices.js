// What the study team says, on a page that stays open: asked for again and again, shown without a reload. Where a
// session's clock asks for it (countdown.js), this module does not.
// What was put away is remembered in a cookie of this device, so that the server leaves it out as well.

const POLL_MS = 20_000;
const TIMEOUT_MS = 10_000;
const COOKIE = "chiron_dismissed"; // batches/views/frame.py reads it
const REMEMBERED = 200;
const REMEMBERED_SECONDS = 180 * 24 * 3_600;

const region = document.getElementById("notices");
const arrivals = document.getElementById("new-notices");
const blank = document.getElementById("notice-template").content;
let asking = false;
let isTold = false;

for (const notice of present()) {
  // A page with the conversation itself shows these replies already.
  if ("showsReplies" in region.dataset && notice.dataset.kind === "reply") putAway(notice);
  else equip(notice);
}
setInterval(ask, POLL_MS);
document.addEventListener("visibilitychange", ask);
window.addEventListener("pageshow", (event) => event.persisted && ask());
document.addEventListener("notices", ({ detail }) => {
  isTold = true;
  show(detail);
});

async function ask() {
  if (asking || isTold || document.visibilityState !== "visible") return;
  asking = true;
  try {
    const reply = await fetch(region.dataset.url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (reply.ok) show((await reply.json()).notices);
  } catch {
    // No connection: what is shown stays, and the next turn asks again.
  } finally {
    asking = false;
  }
}

function show(notices) {
  const wanted = notices.filter((notice) => !remembered().includes(notice.key));
  const keys = wanted.map((notice) => notice.key);
  for (const shown of present()) if (!keys.includes(shown.dataset.key)) shown.remove();
  const known = present().map((shown) => shown.dataset.key);
  // At the edge of the window: whoever has scrolled down sees it, too, and nothing on the page moves.
  arrivals.append(...wanted.filter((notice) => !known.includes(notice.key)).map(made));
}

function present() {
  return [...region.querySelectorAll(".team-notice")];
}

function made({ key, kind, text }) {
  const notice = blank.cloneNode(true).firstElementChild;
  Object.assign(notice.dataset, { key, kind });
  notice.querySelector("[data-text]").textContent = text;
  for (const part of notice.querySelectorAll("[data-announcement]")) part.hidden = kind !== "announcement";
  for (const part of notice.querySelectorAll("[data-reply]")) part.hidden = kind !== "reply";
  equip(notice);
  return notice;
}

function equip(notice) {
  const button = notice.querySelector("[data-dismiss]");
  button.hidden = false;
  button.addEventListener("click", () => {
    const hadFocus = notice.contains(document.activeElement);
    putAway(notice);
    if (hadFocus) document.getElementById("main").focus({ preventScroll: true });
  });
  // Whoever was typing goes on typing.
  button.addEventListener("mousedown", (event) => event.preventDefault());
}

function putAway(notice) {
  remember(notice.dataset.key);
  notice.remove();
}

function remembered() {
  const value = document.cookie.match(new RegExp(`(?:^|; )${COOKIE}=([^;]*)`))?.[1] ?? "";
  return value.split(".").filter(Boolean);
}

function remember(key) {
  const keys = [...new Set([...remembered(), key])].slice(-REMEMBERED);
  const secure = window.location.protocol === "https:" ? "; secure" : "";
  document.cookie = `${COOKIE}=${keys.join(".")}; path=/; max-age=${REMEMBERED_SECONDS}; samesite=lax${secure}`;
}
