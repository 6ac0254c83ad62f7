// One choice, many marks: a finding's row, its line in the frame, in the args
// and in the contract, and its row of the tighten table light up together.
// Everything that belongs to one finding carries the same data-fid.

import { editors } from "./fields.js";
import * as view from "./view.js";

const places = () => document.getElementById("workbench");
const partsOf = (fid) => [...places().querySelectorAll(`[data-fid="${CSS.escape(fid)}"]`)];

/** The row that says it: the one part that knows all the places. */
function rowOf(fid) {
  const rows = partsOf(fid).filter(({ dataset }) => dataset.input);
  return rows.find((row) => row.matches(".finding")) ?? rows[0];
}

let judges = [];
const shown = { chosen: null, hover: null, line: null };

function placeOf({ line, column, endLine, endColumn }) {
  return line ? { line: +line, column: +column || 1, endLine: +endLine || 0, endColumn: +endColumn || 0 } : null;
}

/** The contract line of a finding; the ring stands round its keyword. */
function schemaPlaceOf({ schemaLine, keyword }) {
  if (!schemaLine) return null;
  const line = +schemaLine;
  const key = `"${keyword}"`;
  const at = keyword ? editors.get("contracts_text")?.line(line).indexOf(key) ?? -1 : -1;
  return at < 0 ? { line } : { line, column: at + 1, endLine: line, endColumn: at + 1 + key.length };
}

function show(kind, fid) {
  const name = kind === "chosen" ? "is-chosen" : "is-hover";
  for (const part of places().querySelectorAll(`.${name}`)) part.classList.remove(name);
  if (kind === "hover") shown.line = null;
  if (kind === "chosen") for (const row of places().querySelectorAll("[data-input][aria-current]")) row.removeAttribute("aria-current");
  for (const editor of editors.values()) editor.link(kind, null);
  shown[kind] = fid;
  if (fid === null) return;

  const row = rowOf(fid);
  for (const part of partsOf(fid)) part.classList.add(name);
  if (!row || (kind === "hover" && fid === shown.chosen)) return;
  if (kind === "chosen") row.setAttribute("aria-current", "true");
  const { property } = row.dataset;
  if (property !== undefined) {
    for (const part of places().querySelectorAll(`[data-pointer="${CSS.escape(property)}"]`)) part.classList.add(name);
  }
  editors.get(row.dataset.input)?.link(kind, placeOf(row.dataset));
  const schemaPlace = schemaPlaceOf(row.dataset);
  if (schemaPlace) editors.get("contracts_text")?.link(kind, schemaPlace);
}

function hover(fid) {
  if (fid !== shown.hover) show("hover", fid);
}

/** Choose a finding and bring its place into view; `enter` puts the caret there. */
function choose(fid, { enter = false } = {}) {
  show("hover", null);
  show("chosen", fid);
  const row = rowOf(fid);
  if (!row) return;
  const editor = editors.get(row.dataset.input);
  const place = placeOf(row.dataset);
  if (editor && place) editor.goTo(place, { enter });
  const schemaPlace = schemaPlaceOf(row.dataset);
  if (schemaPlace) editors.get("contracts_text")?.goTo(schemaPlace);
}

function goToContract(part) {
  const place = schemaPlaceOf({ ...rowOf(part.dataset.fid)?.dataset, ...part.dataset });
  const editor = editors.get("contracts_text");
  if (!place || !editor) return;
  view.openTab("contract");
  editor.goTo(place, { enter: true });
}

/** Focus and choose the next (+1) or previous (-1) finding on the page. */
function step(by) {
  view.unfold();
  const rows = [...places().querySelectorAll(".finding[data-fid]")].filter((row) => row.checkVisibility());
  if (rows.length === 0) return;
  const at = rows.findIndex((row) => row.dataset.fid === shown.chosen);
  const row = rows[at < 0 ? (by > 0 ? 0 : rows.length - 1) : (at + by + rows.length) % rows.length];
  row.focus();
  choose(row.dataset.fid);
  row.dispatchEvent(new CustomEvent("workbench:step", { bubbles: true }));
}

/** Light the row of the tighten table that a line of the contract belongs to, null for none. */
function hoverProperty(line) {
  if (line === shown.line) return;
  shown.line = line;
  for (const row of places().querySelectorAll("[data-pointer]")) {
    row.classList.toggle("is-hover", line !== null && row.dataset.schemaLine === String(line));
  }
}

/** Called by an editor: the pointer is over a line, or a mark was clicked. */
export function point(fid, kind, field, line) {
  if (kind === "hover") {
    if (fid === null && field === "contracts_text" && shown.hover === null) hoverProperty(line);
    hover(fid);
  }
  else if (fid) {
    show("hover", null);
    show("chosen", fid);
    rowOf(fid)?.scrollIntoView({ block: "nearest" });
  }
}

/** After a new verdict: draw its marks, editor by editor, and the choice again if its finding is still there. */
export function redrawing() {
  return [
    ...Array.from(editors).filter(([name]) => name !== "session_text").map(([name, editor]) => () => {
      const items = places().querySelectorAll(`[data-marks="${name}"] > [data-line]`);
      editor.setMarks(Array.from(items, ({ dataset }) => ({ fid: dataset.fid, severity: dataset.severity, ...placeOf(dataset) })));
    }),
    again,
  ];
}

/** Draw the choice again, if its finding is still there. */
export function again() {
  shown.hover = null;
  show("chosen", shown.chosen !== null && partsOf(shown.chosen).length ? shown.chosen : null);
}

/** Give a part that is drawn anew the looks of what is chosen and pointed at. */
export function dress(part) {
  const { fid } = part.dataset;
  part.classList.toggle("is-chosen", fid !== undefined && fid === shown.chosen);
  part.classList.toggle("is-hover", fid !== undefined && fid === shown.hover);
}

/** The row of the chosen finding. */
export const chosenRow = () => (shown.chosen === null ? null : rowOf(shown.chosen));

function escape(event) {
  if (view.closeMenu()) return;
  const running = judges.find((each) => each.isBusy());
  if (running) running.cancel();
  else if (shown.chosen !== null) {
    const row = rowOf(shown.chosen);
    if (event.target.closest("[data-editor]") && row) row.focus();
    else show("chosen", null);
  }
}

/** `all` are those that judge: Escape stops the one that runs, Ctrl+Enter starts them. */
export function start(all) {
  judges = all;
  document.addEventListener("mouseover", ({ target }) => {
    const part = target.closest("[data-fid]");
    if (part) hover(part.dataset.fid);
    else if (!target.closest("[data-editor]")) {
      const row = target.closest("[data-pointer][data-schema-line]");
      // A property that a finding tells of lights all places of that finding.
      const told = row && [...places().querySelectorAll(".finding[data-property]")]
        .find(({ dataset }) => dataset.property === row.dataset.pointer);
      hover(told?.dataset.fid ?? null);
      if (told) return;
      editors.get("contracts_text")?.link("hover", row ? schemaPlaceOf(row.dataset) : null);
    }
  });
  document.addEventListener("focusin", ({ target }) => {
    hover(target.closest("[data-fid][data-input]")?.dataset.fid ?? null);
  });
  document.addEventListener("click", (event) => {
    const part = event.target.closest("#workbench [data-fid]");
    if (event.target.closest("[data-next]")) step(1);
    else if (part) {
      // A click by the keyboard has no clicks to count.
      choose(part.dataset.fid, { enter: part === rowOf(part.dataset.fid) && event.detail === 0 });
      if (part.matches(".hook[data-schema-line]")) goToContract(part);
    }
  });
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || document.querySelector("dialog[open]")) return;
    if ((event.ctrlKey || event.metaKey) && event.key === "Enter") {
      event.preventDefault();
      for (const each of judges) each.now();
    } else if ((event.ctrlKey || event.metaKey) && event.key === "i") {
      const name = event.target.closest("[data-editor]")?.dataset.editor;
      const format = name && places().querySelector(`button[name="edit"][value="format:${name}"]`);
      if (!format) return;
      event.preventDefault();
      format.click();
    } else if (event.key === "F8") {
      event.preventDefault();
      step(event.shiftKey ? -1 : 1);
    } else if (event.key === "Escape") escape(event);
  });
}
