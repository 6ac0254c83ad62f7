// Single keys, and the sheet that lists all keys. They work outside text fields
// only, and can be switched off.

import { editors } from "./fields.js";
import { looks, saveLooks } from "./store.js";
import * as view from "./view.js";

const PANELS = { 1: "toolCall", 2: "args", 3: "toolResponse" };
const TABS = { 4: "contract", 5: "cases", 6: "samples", 7: "session" };

const TYPED_INTO = "input:not([type=radio], [type=checkbox], [type=button], [type=submit]), textarea, select, [contenteditable=true]";

/** Whether a key pressed here is text, or belongs to a dialog. */
function isTaken(event) {
  const [inner] = event.composedPath();
  return event.isComposing || inner.matches?.(TYPED_INTO) || inner.isContentEditable || document.querySelector("dialog[open]") !== null;
}

function toPanel(name) {
  view.unfold();
  const panel = document.querySelector(`[data-panel="${name}"]`);
  panel.tabIndex = -1;
  panel.focus({ preventScroll: true });
  panel.scrollIntoView({ block: "nearest" });
}

function search() {
  const tab = document.querySelector("[data-tab]:not([hidden])");
  const field = tab.querySelector("[data-find]");
  if (field) {
    field.focus();
    field.select();
  } else editors.get(tab.querySelector("[data-editor]")?.dataset.editor)?.search();
}

/** Press a button of the call that has the focus. Returns whether there is one. */
function pressInCall(event, command) {
  const button = event.target.closest?.(".call")?.querySelector(`button[value^="${command}:"]`);
  button?.click();
  return Boolean(button);
}

function fold() {
  const button = document.querySelector("[data-fold]");
  const inside = document.activeElement.closest(".panel");
  button.click();
  if (inside) button.focus();
}

function act(event) {
  const { key } = event;
  if (key in PANELS) toPanel(PANELS[key]);
  else if (key in TABS) view.openTab(TABS[key], { focus: true });
  else if (key === "\\") fold();
  else if (key === "/") search();
  else if (key === "p") return pressInCall(event, "pin-call");
  else if (key === "s") return pressInCall(event, "sample-call");
  else if (key === "t") document.querySelector("[data-theme-switch]").click();
  else if (key === "?") document.getElementById("sheet").showModal();
  else return false;
  return true;
}

const areOn = () => looks.singleKeys !== false;

function show() {
  for (const button of document.querySelectorAll("[data-single-keys]")) button.setAttribute("aria-checked", String(areOn()));
}

export function start() {
  show();
  document.addEventListener("click", ({ target }) => {
    if (target.closest("[data-sheet]")) document.getElementById("sheet").showModal();
    if (!target.closest("[data-single-keys]")) return;
    saveLooks({ singleKeys: !areOn() });
    show();
  });
  document.addEventListener("keydown", (event) => {
    // Some keyboards write \ and / with AltGr, which arrives as Ctrl and Alt.
    const plain = event.getModifierState("AltGraph") || !(event.ctrlKey || event.altKey);
    if (event.defaultPrevented || event.metaKey || !plain || !areOn() || isTaken(event)) return;
    if (act(event)) event.preventDefault();
  });
}
