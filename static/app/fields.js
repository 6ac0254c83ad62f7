// What the form holds: three texts in editors, the rest in plain controls.

import { create } from "../vendor/editor.js";

export const form = document.getElementById("workbench");

/** A session is judged by a request of its own: it may be long, and no panel waits for it. */
const APART = "session_text";

/** Editors by field name. */
export const editors = new Map();

/** Names of everything that is judged and kept; `new_*` fields and the edit command are not. */
export function names() {
  const all = [...form.elements].filter(({ name, type }) => name && type !== "submit" && !name.startsWith("new_"));
  return new Set(all.map(({ name }) => name));
}

const control = (name) => form.elements.namedItem(name);

export function get(name) {
  return editors.get(name)?.getText() ?? control(name)?.value ?? "";
}

/** Put a text into a field; `undoable` makes it one step for Ctrl+Z where an editor holds it. */
export function set(name, text, options) {
  const editor = editors.get(name);
  const plain = control(name);
  if (editor) editor.setText(text, options);
  else if (plain) {
    // A name that was kept may come before the answer that lists it.
    if (plain.matches("select") && ![...plain.options].some(({ value }) => value === text)) plain.add(new Option(text));
    plain.value = text;
  }
}

/** A number beside its button stands as the server has it, unless it is being typed. */
export function showBounds() {
  for (const field of form.querySelectorAll("[data-bound]")) {
    if (field !== document.activeElement) field.value = field.defaultValue;
  }
}

/** The words of an empty editor stand over it until it holds something. */
export function showEmpty() {
  for (const words of document.querySelectorAll("[data-empty]")) {
    words.hidden = editors.get(words.dataset.empty)?.length > 0;
  }
}

/** The name of a judged control, or null. */
export function judged(target) {
  return target.form === form && target.name && !target.name.startsWith("new_") ? target.name : null;
}

/** Mount the editors and fill the form from them whenever it is sent. */
export function start({ onChange, onPoint }) {
  for (const host of document.querySelectorAll("[data-editor]:not([hidden])")) {
    const area = host.querySelector("textarea");
    editors.set(host.dataset.editor, create(host, {
      text: area.defaultValue,
      label: area.getAttribute("aria-label") ?? area.name,
      onChange: () => onChange(host.dataset.editor),
      onPoint: (fid, kind, line) => onPoint(fid, kind, host.dataset.editor, line),
    }));
  }
  showEmpty();
  form.addEventListener("formdata", ({ formData }) => {
    formData.delete(APART);
    for (const [name, editor] of editors) if (name !== APART) formData.set(name, editor.getText());
  });
}
