// How sure the person is: a few levels to choose from, each a whole percentage.

export class Levels {
  constructor(fieldset) {
    this.fieldset = fieldset;
  }

  get value() {
    return asPercent(this.fieldset.querySelector("input:checked"));
  }

  // What the page came with, whatever was chosen since.
  get initial() {
    return asPercent([...this.fieldset.querySelectorAll("input")].find((field) => field.defaultChecked));
  }

  set value(percent) {
    const wanted = percent === null ? "" : String(percent);
    const field = this.#field(wanted) ?? this.#add(wanted);
    field.checked = true;
  }

  lock(isLocked) {
    this.fieldset.disabled = isLocked;
  }

  #field(value) {
    return [...this.fieldset.querySelectorAll("input")].find((field) => field.value === value);
  }

  // A percentage that is none of the levels, from another page or an earlier form.
  #add(value) {
    const none = this.#field("").closest("label");
    const label = none.cloneNode(true);
    const field = label.querySelector("input");
    field.value = value;
    field.id = `id_confidence_${value}`;
    label.htmlFor = field.id;
    delete label.dataset.none;
    label.title = `${value} %`;
    label.replaceChildren(field, `${value} %`);
    none.before(label);
    return field;
  }
}

function asPercent(field) {
  return field?.value ? Number(field.value) : null;
}
