// Random names for open pages and devices. They tell one from another and say nothing about either.

const BYTES = 12;

export function randomToken() {
  const bytes = crypto.getRandomValues(new Uint8Array(BYTES));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
