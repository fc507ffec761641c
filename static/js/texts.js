// The interface's texts in the reader's language. The page loads the catalogue (`javascript_texts`) before modules.

const catalogue = globalThis.django;

export const gettext = catalogue.gettext;
export const ngettext = catalogue.ngettext;

// A number as the page's language writes it.
export const written = (number) => number.toLocaleString(document.documentElement.lang).replace("-", "\u2212");

// fill("%(minutes)s minutes left", {minutes: 5})
export const fill = (text, values) => {
  const shown = Object.entries(values).map(([name, value]) => [name, Number.isFinite(value) ? written(value) : value]);
  return catalogue.interpolate(text, Object.fromEntries(shown), true);
};
