// Keys of the people's panel: J and K go through the list, A approves, R rejects (or asks for the reason first),
// Esc closes. Not while something is typed, and never together with Ctrl, Alt or Meta.

const typing = (target) => target.closest("input, textarea, select, [contenteditable]") !== null;

function press(event) {
  if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey) return;
  if (typing(event.target) && event.key !== "Escape") return;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const element = document.querySelector(`.person-panel [data-key="${CSS.escape(key)}"]`);
  if (element === null) return;
  event.preventDefault();
  const reason = document.getElementById("reason");
  if (key === "r" && reason !== null && reason.value.trim() === "") reason.focus();
  else element.click();
}

document.addEventListener("keydown", press);
for (const choice of document.querySelectorAll("select[data-sends]")) {
  choice.addEventListener("change", () => choice.form.requestSubmit());
}
