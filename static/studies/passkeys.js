// Connects a page's passkey button with the ceremony in allauth's own scripts, and says so where it fails:
// they report failures as an event and would otherwise only write them to the console.

const form = document.querySelector("form[data-passkeys]");
const supported = Boolean(window.PublicKeyCredential && navigator.credentials);

function show(name, shown) {
  for (const element of document.querySelectorAll(`[data-passkey-${name}]`)) element.hidden = !shown;
}

show("button", supported);
show("unsupported", !supported);
document.addEventListener("allauth.error", (event) => {
  event.preventDefault();
  show("failed", true);
});

const button = "use-passkey";
const credential = form.elements.credential.id;
const passwordless = form.elements.passwordless?.id;
// Which of the names is read depends on the form.
const ids = { login: button, add: button, authenticate: button, credential, passwordless, data: "passkey-options" };
window.allauth.webauthn.forms[form.dataset.passkeys]({ ids });
