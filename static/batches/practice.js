// A practice page: saving as in a session, without a clock and without a list of prompts.

import { Drafting } from "./drafting.js";

const form = document.getElementById("answer-form");
const number = Number(form.dataset.position);

new Drafting({ form, go: (step) => window.location.assign(`../${number + step}/`) }).start();
