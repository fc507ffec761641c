// Whether a form holds what was not sent: it differs from how the page was made, or came back with mistakes.

export function isChanged(form) {
  return form.querySelector("[aria-invalid=true]") !== null || [...form.elements].some(differs);
}

function differs(field) {
  if (field.disabled || field.type === "hidden") return false;
  if (field.type === "checkbox" || field.type === "radio") return field.checked !== field.defaultChecked;
  if (field.type === "file") return field.files.length > 0;
  if (field.matches("select")) return chosen(field);
  return field.matches("input, textarea") && field.value !== field.defaultValue;
}

// Where the page chose nothing, a browser shows the first of a list that takes one.
function chosen(select) {
  const options = [...select.options];
  if (select.multiple || options.some((option) => option.defaultSelected)) {
    return options.some((option) => option.selected !== option.defaultSelected);
  }
  return select.selectedIndex > 0;
}
