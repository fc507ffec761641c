// Parts of a page that are fetched once it is there, and again when a link that renews them is pressed. Without this
// the link leads to a page that has the part.

import { addLocalTimes } from "../batches/local_times.js";

const TIMEOUT_MS = 10_000;

for (const part of document.querySelectorAll("[data-fragment]")) load(part);

document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[data-renews]");
  const part = link && document.getElementById(link.dataset.renews);
  if (!part || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  load(part);
});

async function load(part) {
  try {
    const reply = await fetch(part.dataset.fragment, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (!reply.ok || reply.redirected) return;
    const fresh = new DOMParser().parseFromString(await reply.text(), "text/html");
    part.replaceChildren(...fresh.body.childNodes);
    addLocalTimes(part);
  } catch {
    // What stands there stays; the link beside it tries again.
  }
}
