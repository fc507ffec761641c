// A message survives signing in again: while it is written, this tab keeps it; the page that comes back shows it.

const field = document.querySelector("main textarea[name=text]");
const key = `chiron:message:${window.location.pathname}`;

if (field.value.trim() === "") restore();
field.addEventListener("input", () => store((place) => place.setItem(key, field.value)));

function restore() {
  const kept = store((place) => place.getItem(key));
  if (!kept) return;
  if (kept.trim() === lastSent()) store((place) => place.removeItem(key));
  else field.value = kept;
}

// The person's newest message in the conversation above the field.
function lastSent() {
  return [...document.querySelectorAll(".thread > li:not(.from-team) pre")].at(-1)?.textContent.trim() ?? "";
}

function store(act) {
  try {
    return act(sessionStorage);
  } catch {
    return null; // Without storage the field is all there is.
  }
}
