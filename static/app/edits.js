// Structured edits: the server changes the texts, the client puts them into the
// editors as steps that can be undone, and holds the earlier texts for Undo.

import * as fields from "./fields.js";
import { toast } from "./view.js";

const ADDS = /^(require|enum|close|suggest):/;

let before = new Map();

/** Take over the texts that the answer to `command` carries. Returns whether there were any. */
export function applyEdits(command) {
  const changes = [...document.querySelectorAll("#panels template[data-edit]")];
  if (changes.length === 0) return false;
  before = new Map();
  for (const template of changes) {
    const name = template.dataset.edit;
    const text = template.content.textContent;
    before.set(name, fields.get(name));
    fields.set(name, text, { undoable: true });
    if (ADDS.test(command)) fields.editors.get(name)?.added(addedLines(before.get(name), text));
    template.remove();
  }
  return true;
}

/** Undo: every text that the last edit changed, exactly as it was. Returns whether there was one. */
export function takeBack() {
  if (before.size === 0) return false;
  for (const [name, text] of before) fields.set(name, text, { undoable: true });
  before = new Map();
  toast("Taken back.");
  return true;
}

/** Numbers of the lines (1-based) that the new text has and the old one had not, commas at the end aside. */
function addedLines(old, text) {
  const bare = (line) => line.trim().replace(/,$/, "");
  const had = new Map();
  for (const line of old.split(/\r\n?|\n/).map(bare)) had.set(line, (had.get(line) ?? 0) + 1);
  const added = [];
  text.split(/\r\n?|\n/).forEach((line, index) => {
    const left = had.get(bare(line)) ?? 0;
    if (left > 0) had.set(bare(line), left - 1);
    else if (/["\w]/.test(line)) added.push(index + 1);
  });
  return added;
}
