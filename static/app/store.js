// What this browser keeps, so that a reload loses nothing: the work (every
// judged field) and the looks (theme, tab, folded panels). Nothing leaves it.

import * as fields from "./fields.js";

const WORK = "toolcall-workbench.work";
const LOOKS = "toolcall-workbench.looks";
const MOST = 4_000_000;
const APART = "session_text";

const KEPT = "Kept in this browser";
const TOO_LARGE = "Too large to keep in this browser";
const ALL_BUT = "Kept in this browser, all but the session";
const FULL = "Not kept: this browser's storage is full";
const OFF = "Not kept: this browser has no storage for it";

let forgotten = false;
let waiting = 0;

function read(key) {
  try {
    return JSON.parse(localStorage.getItem(key)) ?? {};
  } catch {
    return {};  // no storage, or not what was written
  }
}

/** Put a value away, null to drop it; answers what to tell the user. */
function write(key, value) {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify(value));
    return KEPT;
  } catch (error) {
    return error.name === "QuotaExceededError" ? FULL : OFF;
  }
}

export const looks = read(LOOKS);

export function saveLooks(change) {
  Object.assign(looks, change);
  write(LOOKS, looks);
}

// The work is one entry of the storage for each field, so that a key pressed in one text writes no other.

const keyOf = (name) => `${WORK}.${name}`;
const written = new Map();

/** Drop what is kept. */
function drop() {
  written.clear();
  let told = KEPT;
  try {
    for (const key of Object.keys(localStorage)) if (key.startsWith(WORK)) localStorage.removeItem(key);
  } catch {
    told = OFF;
  }
  return told;
}

function keep(work) {
  for (const [name, text] of work) {
    if (written.get(name) === text) continue;
    const told = write(keyOf(name), text);
    if (told !== KEPT) return told;
    written.set(name, text);
  }
  return KEPT;
}

/** Keep the work now. A text too large is not kept at all: half of it would be worse than none. */
export function save() {
  clearTimeout(waiting);
  waiting = 0;
  if (forgotten) return;
  let size = 0;
  for (const [name, editor] of fields.editors) if (name !== APART) size += name.length + editor.length;
  // A long session goes alone: what else stands on the page is kept all the same.
  const apart = size + fields.editors.get(APART).length > MOST;
  const work = new Map();
  if (size <= MOST) {
    for (const name of fields.names()) {
      work.set(name, apart && name === APART ? "" : fields.get(name));
      if (!fields.editors.has(name)) size += work.get(name).length;
    }
  }
  let told = size > MOST ? TOO_LARGE : keep(work);
  if (told !== KEPT) drop();
  else if (apart) told = ALL_BUT;
  for (const place of document.querySelectorAll("[data-kept]")) place.textContent = told;
}

/** Keep the work when the typing pauses. */
export function saveSoon() {
  clearTimeout(waiting);
  waiting = setTimeout(save, 800);
}

function kept() {
  try {
    return Object.keys(localStorage).filter((key) => key.startsWith(`${WORK}.`))
      .map((key) => [key.slice(WORK.length + 1), read(key)]).filter(([, text]) => typeof text === "string");
  } catch {
    return [];
  }
}

/** Put back what was kept. Returns whether anything differs from what the server sent. */
export function restore() {
  let differs = false;
  for (const [name, text] of kept()) {
    if (fields.get(name) === text) continue;
    fields.set(name, text);
    differs = true;
  }
  return differs;
}

export function forget() {
  forgotten = true;
  drop();
}

addEventListener("pagehide", () => {
  if (waiting) save();
});
