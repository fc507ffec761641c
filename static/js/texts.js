// The interface's texts in the reader's language. The page loads the catalogue (`javascript_texts`) before modules.

const catalogue = globalThis.django;

export const gettext = catalogue.gettext;
export const ngettext = catalogue.ngettext;

// fill("%(minutes)s minutes left", {minutes: 5})
export const fill = (text, values) => catalogue.interpolate(text, values, true);
