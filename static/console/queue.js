// Keys of a queue: whatever carries data-key acts when its key is pressed. No key acts while somebody types, holds
// another key or has a dialogue open; Escape leaves a field, so that the keys act again.

const TYPES = "input:not([type=checkbox], [type=radio], [type=submit]), textarea, select, [contenteditable]";

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && event.target.matches?.(`.queue :is(${TYPES})`)) event.target.blur();
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.isComposing) return;
  if (event.target.closest?.(TYPES)) return;
  const target = document.querySelector(`[data-key="${CSS.escape(event.key.toLowerCase())}"]`);
  if (!target || target.disabled) return;
  event.preventDefault();
  target.click();
});
