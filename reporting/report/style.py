"""How the HTML report looks: on light and dark screens, and on paper."""

STYLE = """
:root { color-scheme: light dark; --ink: #1d2226; --paper: #fff; --soft: #5a6268; --line: #d9d6cf;
  --accent: #0b5a6b; --warn: #8a3b10; --warn-paper: #fdf1e8; --good: #1c6b3c; }
@media (prefers-color-scheme: dark) { :root { --ink: #e9e7e2; --paper: #16191c; --soft: #a9b0b6;
  --line: #3b4146; --accent: #7cc4d4; --warn: #f2b48c; --warn-paper: #33231a; --good: #8fd0a8; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 62rem; padding: 1.5rem; color: var(--ink); background: var(--paper);
  font: 1rem/1.55 system-ui, "Segoe UI", "Helvetica Neue", Arial, sans-serif; overflow-wrap: anywhere; }
h1, h2, h3, h4 { line-height: 1.25; margin: 2.2rem 0 .6rem; break-after: avoid; }
h1 { margin-top: 0; }
.kicker { margin: 0; }
.kicker + h2, .kicker + h3 { margin-block-start: .2rem; }
.lead { font-size: 1.2rem; }
.beside { display: grid; gap: 0 2rem;
  grid-template-columns: repeat(auto-fit, minmax(min(100%, 17rem), 1fr)); }
.beside table { min-width: 0; width: 100%; }
.beside dt { color: var(--soft); }
.beside dd { margin: 0; }
.big { font-size: 2.2rem; font-weight: 650; line-height: 1.2; font-variant-numeric: tabular-nums; }
.average { color: var(--accent); }
.topmark { color: var(--warn); }
h2 { border-block-end: 2px solid var(--accent); padding-block-end: .2rem; }
a { color: var(--accent); }
p { margin: .6rem 0; white-space: pre-line; }
.kicker, .note, figcaption, .software { color: var(--soft); font-size: .92em; }
.warning { background: var(--warn-paper); color: var(--warn); border-inline-start: 4px solid currentColor;
  padding: .6rem .9rem; font-weight: 600; }
nav ul { columns: 2; padding: 0; list-style: none; }
nav .part { padding-inline-start: 1.2rem; }
.scroll { overflow-x: auto; margin: 1rem 0; }
table { border-collapse: collapse; min-width: min(100%, 30rem); font-size: .92em; }
caption { text-align: start; font-weight: 600; padding-block-end: .35rem; }
caption span { position: sticky; inset-inline-start: 0; display: inline-block;
  max-width: min(100%, calc(100vw - 3rem)); }
th, td { text-align: start; vertical-align: top; padding: .3rem 1.4rem .3rem 0; overflow-wrap: normal;
  border-block-end: 1px solid var(--line); }
th:last-child, td:last-child { padding-inline-end: 0; }
thead th { border-block-end: 2px solid var(--line); vertical-align: bottom; }
tbody th { min-width: 8rem; }
tbody th { font-weight: 500; }
.numeric { text-align: end; font-variant-numeric: tabular-nums; }
td.unbroken { white-space: nowrap; }
td.words { min-width: 8rem; }
.facts, .checklist { width: 100%; }
.facts th { width: 16rem; }
.facts td { overflow-wrap: anywhere; white-space: pre-line; }
.checklist td p { margin: 0 0 .3rem; }
.state { font-weight: 600; white-space: nowrap; }
.state-missing { color: var(--warn); }
.state-automatic, .state-answered { color: var(--good); }
@media screen and (max-width: 40rem) {
  .facts th, .facts td { display: block; width: auto; }
  .facts th { border: 0; padding-block-end: 0; color: var(--soft); }
  nav ul { columns: 1; }
  figure img { min-width: 36rem; }
}
figure { margin: 1.2rem 0; break-inside: avoid; }
figure img { width: 100%; max-width: 50rem; height: auto; background: #fff; border-radius: 4px; }
.skip { position: absolute; inset-inline-start: -99rem; }
.skip:focus { position: static; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
@media print {
  :root { color-scheme: light; font-size: 10pt; --ink: #000; --paper: #fff; --soft: #444; --line: #bbb;
    --accent: #0b5a6b; --warn: #8a3b10; --warn-paper: #fff; --good: #1c6b3c; }
  body { max-width: none; padding: 0; }
  .scroll { overflow: visible; }
  thead { display: table-header-group; }
  caption, thead, tbody tr:first-child, p.warning { break-after: avoid; }
  tbody tr:last-child { break-before: avoid; }
  tr { break-inside: avoid; }
  th, td { padding-inline-end: .8rem; }
  tbody th, td.words { min-width: 0; }
  figure img { max-height: 11cm; width: auto; }
  .skip { display: none; }
}
"""
