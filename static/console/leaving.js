// Whoever leaves a page with a form that says data-unsaved, and has changed it, is asked first; sending it is no
// leaving. data-unsaved="yes" says that it came back with what is not stored yet.

import { isChanged } from "../js/changed.js";

const forms = [...document.querySelectorAll("form[data-unsaved]")];
let isSent = false;

for (const form of forms) {
  form.addEventListener("submit", (event) => {
    // A preview is sent to a frame: the page stays.
    const target = event.submitter?.formTarget || form.target;
    if (!event.defaultPrevented) isSent = target === "" || target === "_self";
  });
}
// A browser that goes back shows the page as it was left.
window.addEventListener("pageshow", () => (isSent = false));
window.addEventListener("beforeunload", (event) => {
  if (!isSent && forms.some(isUnsaved)) event.preventDefault();
});

function isUnsaved(form) {
  return form.dataset.unsaved === "yes" || isChanged(form);
}
