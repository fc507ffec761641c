// Keys of a queue: whatever carries data-key acts when its key is pressed. No key acts while somebody types, holds
// another key or has a dialogue open; Escape leaves a field, so that the keys act again. Ctrl+Enter (Cmd+Enter)
// sends the form whose button says so, from everywhere. A button with data-after-seen has no key before the end of
// every part with data-to-read was on the screen.

import { gettext } from "../js/texts.js";

const TYPES = "input:not([type=checkbox], [type=radio], [type=submit]), textarea, select, [contenteditable]";
const unread = new Set(document.querySelectorAll("[data-to-read]"));
const bar = document.querySelector(".decision-bar");

// What the bar at the foot covers has not been seen.
const covered = bar && getComputedStyle(bar).position === "sticky" ? bar.offsetHeight : 0;
const watched = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) {
    if (!isIntersecting) continue;
    unread.delete(target.parentElement);
    watched.unobserve(target);
  }
  if (unread.size === 0) say("");
}, { rootMargin: `0px 0px -${covered}px 0px` });
for (const part of unread) watched.observe(part.appendChild(document.createElement("span")));

function say(sentence) {
  const place = document.getElementById("key-said");
  if (place) place.textContent = sentence;
}

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && event.target.matches?.(`.queue :is(${TYPES})`)) event.target.blur();
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && !event.repeat && !event.isComposing) {
    document.querySelector(".queue [data-submits]")?.click();
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.isComposing) return;
  if (event.target.closest?.(TYPES)) return;
  const target = document.querySelector(`[data-key="${CSS.escape(event.key.toLowerCase())}"]`);
  if (!target || target.disabled) return;
  event.preventDefault();
  target.click();
  if (target.dataset.leads) document.getElementById(target.dataset.leads).focus();
});

// A click without a pointer: of a key above, or of Enter or Space on the button itself.
document.addEventListener("click", (event) => {
  if (event.detail > 0 || unread.size === 0 || !event.target.closest?.("[data-after-seen]")) return;
  event.preventDefault();
  say(gettext("No key rates before the criterion and the whole answer were on the screen: scroll to their end."));
});
