// Structured edits: the server changes the texts, the client puts them into the
// editors as steps that can be undone, and holds the earlier texts for Undo.

import * as fields from "./fields.js";
import { notice, toast } from "./view.js";

const ADDS = /^(require|enum|close|suggest|bound):/;

/** What the last edit changed: the text of each field before it. */
let before = new Map();

/** Tell whoever judges apart which texts are others now. */
const tell = (names) => document.dispatchEvent(new CustomEvent("workbench:texts", { detail: [...names] }));

/** Put texts into their fields as one edit, and say so beside Undo. */
export function putAll(texts, told) {
  before = new Map(Array.from(texts.keys(), (name) => [name, fields.get(name)]));
  for (const [name, text] of texts) fields.set(name, text, { undoable: true });
  fields.showEmpty();
  notice(told);
  tell(texts.keys());
}

/** Take over the texts that the answer to `command` carries. Returns whether there were any. */
export function applyEdits(command, sent) {
  const changes = [...document.querySelectorAll("#panels template[data-edit]")];
  if (changes.length === 0) return false;
  notice("");
  // The answer has set the controls that no person sees: which answer, which part.
  before = new Map(Object.entries(sent));
  for (const template of changes) {
    const name = template.dataset.edit;
    const text = template.content.textContent;
    before.set(name, fields.get(name));
    // On its way through HTML a text lost its CR; a sample has none.
    fields.set(name, text, { undoable: true, keepBreaks: !command.startsWith("load:") });
    if (ADDS.test(command)) fields.editors.get(name)?.added(addedLines(before.get(name), text));
    template.remove();
  }
  fields.showEmpty();
  tell(changes.map(({ dataset }) => dataset.edit));
  return true;
}

/** Undo: every text that the last edit changed, exactly as it was. Returns whether there was one. */
export function takeBack() {
  if (before.size === 0) return false;
  for (const [name, text] of before) fields.set(name, text, { undoable: true });
  const names = [...before.keys()];
  before = new Map();
  fields.showEmpty();
  tell(names);
  notice("");
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
