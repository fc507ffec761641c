// A text may have a million characters. For each line it lays out, the browser then looks through the rest of the
// paragraph for its direction, which takes minutes; where the whole text has one direction, about a second.

// The template of the answer field says the same number.
const LONG_CHARACTERS = 50_000;

// Before a text is shown in this place. The class stays: taking it away would lay everything out once more.
export function expectText(place, characters) {
  if (characters > LONG_CHARACTERS) place.classList.add("long-text");
}

// What is pasted is laid out before anybody hears of it, except here.
export function expectTyping(field) {
  field.addEventListener("beforeinput", ({ data, dataTransfer }) => {
    const added = data ?? dataTransfer?.getData("text/plain") ?? "";
    expectText(field, field.value.length + added.length);
  });
}
