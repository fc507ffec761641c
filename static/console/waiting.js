// A page that waits for something (data-waits) looks every few seconds whether it is there, and then shows it.

const PAUSE_MS = 2_000;
const TIMEOUT_MS = 10_000;

setTimeout(look, PAUSE_MS);

async function look() {
  if (document.visibilityState === "visible" && (await isThere())) location.reload();
  else setTimeout(look, PAUSE_MS);
}

async function isThere() {
  try {
    const reply = await fetch(location.href, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    return reply.ok && !(await reply.text()).includes("data-waits");
  } catch {
    return false; // Without a connection the page goes on waiting.
  }
}
