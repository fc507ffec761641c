// Planning takes seconds for a large study: say so while it lasts, and take no second click.

const form = document.getElementById("plan-form");
const said = document.getElementById("planning-said");

form.addEventListener("submit", () => {
  said.hidden = false;
  // After the form was read: what was pressed is sent with it.
  setTimeout(() => setButtons(true));
});
// A browser that goes back shows the page as it was left.
window.addEventListener("pageshow", () => {
  said.hidden = true;
  setButtons(false);
});

function setButtons(disabled) {
  for (const button of form.querySelectorAll("button")) button.disabled = disabled;
}
