// Ctrl+Enter (or Cmd+Enter) in the reply sends it.

for (const field of document.querySelectorAll("form.decision-bar textarea")) {
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    field.form.requestSubmit();
  });
}
