// The editor of the page: CodeMirror 6 in a shadow root, so that the page's
// Content-Security-Policy needs neither a nonce nor 'unsafe-inline'.
//
// This is the entry file of the bundle editor.js; README.md says how it is made.
// Lines and columns are 1-based, columns count UTF-16 units, ends are exclusive.

import { defaultKeymap, history, historyKeymap, invertedEffects, isolateHistory } from "@codemirror/commands";
import { codeFolding, foldable, foldEffect, foldedRanges, foldKeymap, foldService, unfoldEffect } from "@codemirror/language";
import { openSearchPanel, search, searchKeymap } from "@codemirror/search";
import { EditorState, RangeSet, RangeValue, StateEffect, StateField, Transaction } from "@codemirror/state";
import {
  Decoration, EditorView, gutter, gutterLineClass, GutterMarker, highlightSpecialChars, keymap, lineNumbers, ViewPlugin,
} from "@codemirror/view";

// ---- line breaks --------------------------------------------------------------
// CodeMirror's document knows one kind of line break. What was pasted comes back
// exactly: the common kind is remembered, and the places of the others.

class Break extends RangeValue {
  constructor(text) {
    super();
    this.text = text;
  }

  eq(other) {
    return this.text === other.text;
  }
}
const KINDS = { "\n": new Break("\n"), "\r\n": new Break("\r\n"), "\r": new Break("\r") };
const LF_ONLY = { usual: "\n", others: RangeSet.empty };

/** The breaks of a text: the first one is the usual one, every other kind is kept with its place. */
function breaksOf(text) {
  if (!text.includes("\r")) return LF_ONLY;
  const others = [];
  let usual = null;
  let shift = 0;
  for (const { 0: found, index } of text.matchAll(/\r\n?|\n/g)) {
    usual ??= found;
    const at = index - shift;
    if (found !== usual) others.push(KINDS[found].range(at, at + 1));
    shift += found.length - 1;
  }
  return { usual, others: RangeSet.of(others) };
}

const setBreaks = StateEffect.define();
const breaks = StateField.define({
  create: () => LF_ONLY,
  update(value, tr) {
    for (const effect of tr.effects) if (effect.is(setBreaks)) return effect.value;
    if (!tr.docChanged || value.others.size === 0) return value;
    return { usual: value.usual, others: value.others.map(tr.changes) };
  },
});
const breaksAreUndone = invertedEffects.of((tr) =>
  tr.effects.some((effect) => effect.is(setBreaks)) ? [setBreaks.of(tr.startState.field(breaks))] : []);

function textOf(state) {
  const { usual, others } = state.field(breaks);
  if (others.size === 0) return state.doc.sliceString(0, state.doc.length, usual);
  const parts = [];
  let from = 0;
  for (const at = others.iter(); at.value; at.next()) {
    parts.push(state.doc.sliceString(from, at.from, usual), at.value.text);
    from = at.to;
  }
  parts.push(state.doc.sliceString(from, state.doc.length, usual));
  return parts.join("");
}

// ---- marks: what the verdict says of a line -------------------------------------
// They belong to one text and vanish with its first change.

const SIGNS = {
  error: ["error", 12, "M3.7.5h4.6l3.2 3.2v4.6l-3.2 3.2H3.7L.5 8.3V3.7ZM3.8 4.8 5 6 3.8 7.2l1 1L6 7l1.2 1.2 1-1L7 6l1.2-1.2-1-1L6 5 4.8 3.8Z"],
  warning: ["warning", 16, "M7.1 1.5a1 1 0 0 1 1.8 0l6.2 11.6a1 1 0 0 1-.9 1.5H1.8a1 1 0 0 1-.9-1.5ZM7.2 5.6v4.3h1.6V5.6ZM7.2 11v1.7h1.6V11Z"],
  info: ["note", 16, "M8 .6a7.4 7.4 0 1 1 0 14.8A7.4 7.4 0 0 1 8 .6ZM8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2ZM7.2 7h1.6v4.6H7.2ZM7.2 4.3h1.6v1.6H7.2Z"],
  ok: ["accepted", 12, "m1.8 6.4 2.8 2.8 5.6-6"],
};
const WEIGHT = ["ok", "info", "warning", "error"];
const SVG = "http://www.w3.org/2000/svg";

class Sign extends GutterMarker {
  constructor(severity, fid) {
    super();
    this.severity = severity;
    this.fid = fid;
  }

  eq(other) {
    return this.severity === other.severity && this.fid === other.fid;
  }

  toDOM() {
    const [word, size, path] = SIGNS[this.severity];
    const dom = document.createElement("span");
    dom.className = `sign sign-${this.severity}`;
    if (this.fid) dom.dataset.fid = this.fid;
    const svg = dom.appendChild(document.createElementNS(SVG, "svg"));
    svg.setAttribute("viewBox", `0 0 ${size} ${size}`);
    svg.setAttribute("aria-hidden", "true");
    svg.appendChild(document.createElementNS(SVG, "path")).setAttribute("d", path);
    const hidden = dom.appendChild(document.createElement("span"));
    hidden.className = "word";
    hidden.textContent = word;
    return dom;
  }
}

const REFUSED = Decoration.line({ class: "cm-refused" });
const LINKED = Decoration.line({ class: "cm-linked" });
const ADDED = Decoration.line({ class: "cm-added" });
const RING = Decoration.mark({ class: "cm-ring" });
const wavy = (mark) => Decoration.mark({ class: `cm-wavy cm-wavy-${mark.severity}` });

/** Document offsets of a place; what lies outside the text is moved to its edge. */
function offsets(doc, place) {
  const line = doc.line(Math.min(Math.max(place.line, 1), doc.lines));
  const at = (line_, column) => Math.min(line_.from + Math.max(column - 1, 0), line_.to);
  const from = at(line, place.column ?? 1);
  const lastLine = place.endLine ? doc.line(Math.min(Math.max(place.endLine, 1), doc.lines)) : line;
  const to = place.endColumn ? at(lastLine, place.endColumn) : from;
  return { line, from, to: Math.max(from, to), lineEnd: Math.min(Math.max(from, to), line.to) };
}

const setMarks = StateEffect.define();
const NO_MARKS = { list: [], lines: Decoration.none, signs: RangeSet.empty };
const marks = StateField.define({
  create: () => NO_MARKS,
  update(value, tr) {
    for (const effect of tr.effects) if (effect.is(setMarks)) return drawMarks(tr.state.doc, effect.value);
    return tr.docChanged ? NO_MARKS : value;
  },
  provide: (field) => EditorView.decorations.from(field, (value) => value.lines),
});

function drawMarks(doc, list) {
  const placed = [];
  const ranges = [];
  const heaviest = new Map();
  for (const mark of list) {
    const place = offsets(doc, mark);
    placed.push({ fid: mark.fid, ...place });
    const there = heaviest.get(place.line.from);
    if (!there || WEIGHT.indexOf(mark.severity) > WEIGHT.indexOf(there.severity)) heaviest.set(place.line.from, mark);
    if (mark.severity !== "ok" && place.lineEnd > place.from) ranges.push(wavy(mark).range(place.from, place.lineEnd));
  }
  const signs = [];
  for (const [from, mark] of heaviest) {
    signs.push(new Sign(mark.severity, mark.fid).range(from));
    if (mark.severity === "error") ranges.push(REFUSED.range(from));
  }
  return { list: placed, lines: Decoration.set(ranges, true), signs: RangeSet.of(signs, true) };
}

// ---- links: the chosen and the hovered finding, and lines added by an edit ------

const setLink = StateEffect.define();
const setAdded = StateEffect.define();
const NO_LINKS = { chosen: null, hover: null, added: [], lines: Decoration.none };
const links = StateField.define({
  create: () => NO_LINKS,
  update(value, tr) {
    let next = tr.docChanged ? NO_LINKS : value;
    for (const effect of tr.effects) {
      if (effect.is(setLink)) next = drawLinks(tr.state.doc, { ...next, ...effect.value });
      if (effect.is(setAdded)) next = drawLinks(tr.state.doc, { ...next, added: effect.value });
    }
    return next;
  },
  provide: (field) => EditorView.decorations.from(field, (value) => value.lines),
});

function drawLinks(doc, value) {
  const ranges = [];
  for (const place of [value.chosen, value.hover]) {
    if (!place) continue;
    const { line, from, lineEnd } = offsets(doc, place);
    ranges.push(LINKED.range(line.from));
    if (lineEnd > from) ranges.push(RING.range(from, lineEnd));
  }
  for (const number of value.added) if (number <= doc.lines) ranges.push(ADDED.range(doc.line(number).from));
  return { ...value, lines: Decoration.set(ranges, true) };
}

// ---- bands go on under the line numbers ----------------------------------------

class Band extends GutterMarker {
  constructor(elementClass) {
    super();
    this.elementClass = elementClass;
  }
}
const BANDS = new Map([[REFUSED, new Band("band-refused")], [LINKED, new Band("band-linked")], [ADDED, new Band("band-added")]]);
const bands = gutterLineClass.compute([marks, links], (state) => {
  const ranges = [];
  for (const field of [marks, links]) {
    for (const at = state.field(field).lines.iter(); at.value; at.next()) {
      if (BANDS.has(at.value)) ranges.push(BANDS.get(at.value).range(at.from));
    }
  }
  return RangeSet.of(ranges, true);
});

// ---- JSON, line by line --------------------------------------------------------------
// No string of JSON spans two lines, so every line can be read by itself: no tree is
// kept, and a key pressed in a megabyte costs what the lines on the screen cost.

const LONGEST = 20_000;
const TOKEN = /"(?:[^"\\]|\\.)*"?|(?<![\w.])-?\d[\w.+-]*|\b(?:true|false|null)\b|[{}[\],:]/g;
const COLOUR = { string: "tok-str", literal: "tok-lit", punctuation: "tok-pun" };
for (const [kind, name] of Object.entries(COLOUR)) COLOUR[kind] = Decoration.mark({ class: name });

/** `[kind, from, to]` of the tokens of a line; a key is none of the kinds, it has no colour of its own. */
function* tokensOf(text) {
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    const to = index + token.length;
    if (token[0] === '"') yield [/^\s*:/.test(text.slice(to, to + 20)) ? "key" : "string", index, to];
    else yield [/[{}[\],:]/.test(token) ? "punctuation" : "literal", index, to];
  }
}

const colours = ViewPlugin.fromClass(class {
  constructor(view) {
    this.decorations = this.draw(view);
  }

  update(update) {
    if (update.docChanged || update.viewportChanged) this.decorations = this.draw(update.view);
  }

  draw(view) {
    const ranges = [];
    for (const { from, to } of view.visibleRanges) {
      for (let at = from; at <= to;) {
        const line = view.state.doc.lineAt(at);
        if (line.length <= LONGEST) {
          for (const [kind, start, end] of tokensOf(line.text)) {
            if (kind in COLOUR) ranges.push(COLOUR[kind].range(line.from + start, line.from + end));
          }
        }
        at = line.to + 1;
      }
    }
    return Decoration.set(ranges);
  }
}, { decorations: (plugin) => plugin.decorations });

const CLOSES = { "{": "}", "[": "]" };
const OPENS = { "}": "{", "]": "[" };
const FAR = 200_000;

/** The brackets of a line that stand in no string: `[character, offset]`. */
const bracketsOf = (line) => Array.from(line.text.matchAll(/"(?:[^"\\]|\\.)*"?|[{}[\]]/g))
  .filter(([token]) => token[0] !== '"').map(({ 0: bracket, index }) => [bracket, line.from + index]);

/** Where the bracket at `pos` closes or was opened: `{at, matches}`, null where that is too far away to tell. */
function partner(doc, pos, farthest) {
  const own = doc.sliceString(pos, pos + 1);
  const forward = own in CLOSES;
  let number = doc.lineAt(pos).number;
  let depth = 0;
  let left = farthest;
  for (; number >= 1 && number <= doc.lines && left > 0; number += forward ? 1 : -1) {
    const line = doc.line(number);
    left -= line.length + 1;
    const brackets = bracketsOf(line).filter(([, at]) => (forward ? at >= pos : at <= pos));
    for (const [bracket, at] of forward ? brackets : brackets.reverse()) {
      depth += bracket in CLOSES === forward ? 1 : -1;
      if (depth === 0) return { at, matches: bracket === (CLOSES[own] ?? OPENS[own]) };
    }
  }
  return null;
}

/** The last bracket of a line, where it opens something that goes on in the next lines; else -1. */
function opensAt(doc, line) {
  const tail = doc.sliceString(Math.max(line.from, line.to - 80), line.to).trimEnd();
  return line.number < doc.lines && tail.at(-1) in CLOSES ? line.to - (Math.min(line.length, 80) - tail.length) - 1 : -1;
}

/** What can be folded: from behind the bracket that ends a line to the one that closes it. */
const folding = foldService.of(({ doc }, from) => {
  const line = doc.lineAt(from);
  const open = opensAt(doc, line);
  if (open < 0 || line.length > LONGEST || !bracketsOf(line).some(([, at]) => at === open)) return null;
  const close = partner(doc, open, Infinity);
  return close?.matches && close.at > line.to ? { from: open + 1, to: close.at } : null;
});

const folded = (state, line) => {
  let found = null;
  foldedRanges(state).between(line.from, line.to, (from, to) => {
    found = { from, to };
  });
  return found;
};

/** Fold or unfold what begins at a line. */
function toggleFold(view, { from, to }) {
  const line = view.state.doc.lineAt(from);
  const closed = folded(view.state, line);
  const open = closed ? null : foldable(view.state, line.from, line.to);
  if (closed) view.dispatch({ effects: unfoldEffect.of(closed) });
  else if (open) view.dispatch({ effects: foldEffect.of(open) });
  return Boolean(closed ?? open) && to >= from;
}

class FoldMark extends GutterMarker {
  constructor(open) {
    super();
    this.open = open;
    this.elementClass = open ? "" : "is-closed";
  }

  eq(other) {
    return this.open === other.open;
  }

  toDOM() {
    const mark = document.createElement("span");
    mark.textContent = this.open ? "▾" : "▸";
    mark.title = this.open ? "Fold" : "Unfold";
    return mark;
  }
}
const FOLD = new FoldMark(true);
const UNFOLD = new FoldMark(false);

/** Fold marks lie over the place of the line numbers, so that the text begins where it does in a listing. */
const foldMarks = gutter({
  class: "cm-folds",
  lineMarker(view, block) {
    const line = view.state.doc.lineAt(block.from);
    if (folded(view.state, line)) return UNFOLD;
    return opensAt(view.state.doc, line) < 0 ? null : FOLD;
  },
  lineMarkerChange: (update) => foldedRanges(update.startState) !== foldedRanges(update.state),
  domEventHandlers: { click: toggleFold },
});

const MATCHING = Decoration.mark({ class: "cm-matchingBracket" });
const UNMATCHED = Decoration.mark({ class: "cm-nonmatchingBracket" });
const brackets = EditorView.decorations.compute(["doc", "selection"], ({ doc, selection: { main } }) => {
  const line = doc.lineAt(main.head);
  if (!main.empty || line.length > LONGEST) return Decoration.none;
  const beside = bracketsOf(line).filter(([, at]) => at === main.head || at === main.head - 1).at(-1);
  const other = beside && partner(doc, beside[1], FAR);
  if (!other) return Decoration.none;
  const looks = other.matches ? MATCHING : UNMATCHED;
  return Decoration.set([beside[1], other.at].map((at) => looks.range(at, at + 1)), true);
});

// ---- wrapped lines hang three characters behind their own indent ------------------

const DEEPEST = 40;
const HANG = Array.from({ length: DEEPEST + 1 }, (_, indent) => Decoration.line({ class: `cm-hang-${indent}` }));
const hanging = ViewPlugin.fromClass(class {
  constructor(view) {
    this.decorations = this.draw(view);
  }

  update(update) {
    if (update.docChanged || update.viewportChanged) this.decorations = this.draw(update.view);
  }

  draw(view) {
    const ranges = [];
    for (const { from, to } of view.visibleRanges) {
      for (let at = from; at <= to;) {
        const line = view.state.doc.lineAt(at);
        const indent = /^ */.exec(view.state.doc.sliceString(line.from, Math.min(line.to, line.from + DEEPEST)))[0].length;
        ranges.push(HANG[indent].range(line.from));
        at = line.to + 1;
      }
    }
    return Decoration.set(ranges, true);
  }
}, { decorations: (plugin) => plugin.decorations });

// ---- looks: the tokens of the page, which shine into the shadow root ---------------

const theme = EditorView.theme({
  "&": { flex: "1", minWidth: "0", height: "100%", color: "var(--ink)", backgroundColor: "var(--well)" },
  "&.cm-focused": { outline: "none" },
  "&.cm-focused::after": {
    content: '""', position: "absolute", inset: "0", border: "2px solid var(--accent)", pointerEvents: "none", zIndex: "300",
  },
  ".cm-scroller": { fontFamily: "var(--mono)", fontSize: "12.5px", lineHeight: "19px", fontVariantLigatures: "none" },
  ".cm-content": { padding: "8px 0", caretColor: "var(--ink)" },
  ".cm-line": { position: "relative", padding: "0 14px 0 0" },
  ".cm-line ::selection, .cm-line::selection": { backgroundColor: "color-mix(in srgb, var(--accent) 26%, transparent)" },
  ".cm-gutters": { backgroundColor: "var(--well)", color: "var(--ink-3)", border: "none" },
  ".cm-lineNumbers .cm-gutterElement": {
    minWidth: "36px", padding: "0", fontSize: "11px", textAlign: "right", fontVariantNumeric: "tabular-nums",
  },
  ".cm-signs": { width: "20px" },
  ".cm-signs .cm-gutterElement": { display: "flex", justifyContent: "center" },
  ".band-refused": { backgroundColor: "var(--red-soft)" },
  ".band-added": { backgroundColor: "var(--accent-soft)" },
  ".band-linked": { backgroundColor: "var(--accent-soft)" },
  ".cm-lineNumbers .band-linked": { boxShadow: "inset 3px 0 var(--accent)" },
  ".sign": { position: "relative", display: "flex", alignItems: "center", height: "19px", cursor: "pointer" },
  ".sign svg": { width: "12px", height: "12px", fill: "currentColor", fillRule: "evenodd" },
  ".sign-error": { color: "var(--red-mark)" },
  ".sign-warning": { color: "var(--ochre)" },
  ".sign-info": { color: "var(--ink-3)" },
  ".sign-ok": { color: "var(--green-mark)", cursor: "default" },
  ".sign-ok svg": { fill: "none", stroke: "currentColor", strokeWidth: "1.8" },
  ".word": {
    position: "absolute", width: "1px", height: "1px", overflow: "hidden", clipPath: "inset(50%)", whiteSpace: "nowrap",
  },
  ".cm-folds": { width: "0", overflow: "visible", zIndex: "1" },
  ".cm-folds .cm-gutterElement": { width: "36px", background: "none !important" },
  ".cm-folds span": {
    display: "block", width: "36px", height: "19px", paddingLeft: "4px", color: "var(--ink-3)", cursor: "pointer", opacity: "0",
  },
  ".cm-folds .is-closed span": { opacity: "1" },
  ".cm-gutters:hover .cm-folds span, &.cm-focused .cm-folds span": { opacity: "1" },
  "@media (hover: none)": { ".cm-folds span": { opacity: "1" } },
  ".cm-foldPlaceholder": {
    backgroundColor: "var(--raised)", color: "var(--ink-2)", border: "1px solid var(--edge)", borderRadius: "4px", padding: "0 4px",
  },
  ".tok-str": { color: "var(--syn-str)" },
  ".tok-lit": { color: "var(--syn-lit)" },
  ".tok-pun": { color: "var(--syn-pun)" },
  ".cm-refused": { backgroundColor: "var(--red-soft)" },
  ".cm-wavy": { textDecoration: "underline wavy 1px", textUnderlineOffset: "3px", textDecorationSkipInk: "none" },
  ".cm-wavy-error": { textDecorationColor: "var(--red-mark)" },
  ".cm-wavy-error, .cm-wavy-error *": { color: "var(--red)" },
  ".cm-wavy-warning": { textDecorationColor: "var(--ochre)" },
  ".cm-wavy-info": { textDecorationStyle: "dotted", textDecorationColor: "var(--ink-3)" },
  ".cm-linked": { backgroundColor: "var(--accent-soft)" },
  "@media (forced-colors: active)": {
    ".cm-linked": { outline: "2px solid Highlight", outlineOffset: "-2px" },
    ".cm-ring": { outline: "2px solid Highlight" },
  },
  ".cm-ring": { borderRadius: "4px", boxShadow: "0 0 0 1.5px var(--accent)", boxDecorationBreak: "clone" },
  ".cm-added": { backgroundColor: "var(--accent-soft)" },
  ".cm-added::after": {
    content: '"added"', position: "absolute", right: "8px", top: "0", color: "var(--ink-3)", fontFamily: "var(--sans)", fontSize: "12px",
    textIndent: "0",
  },
  "&.cm-focused .cm-matchingBracket": { backgroundColor: "var(--raised)", outline: "1px solid var(--edge)" },
  "&.cm-focused .cm-nonmatchingBracket": { backgroundColor: "var(--red-soft)" },
  ".cm-specialChar": { color: "var(--ochre)" },
  ".cm-searchMatch": { backgroundColor: "var(--ochre-soft)", outline: "1px solid var(--ochre-line)" },
  ".cm-searchMatch-selected": { backgroundColor: "var(--accent-soft)", outline: "1px solid var(--accent)" },
  ".cm-panels": { backgroundColor: "var(--raised)", color: "var(--ink)", fontFamily: "var(--sans)", fontSize: "12px" },
  ".cm-panels.cm-panels-top": { borderBottom: "1px solid var(--line)" },
  ".cm-panel.cm-search": { padding: "6px 28px 6px 12px" },
  ".cm-panel.cm-search label": { fontSize: "12px", whiteSpace: "nowrap" },
  ".cm-textfield": {
    color: "var(--ink)", backgroundColor: "var(--well)", border: "1px solid var(--edge)", borderRadius: "6px", minHeight: "24px",
    fontFamily: "var(--mono)", fontSize: "12px",
  },
  ".cm-button": {
    color: "var(--ink)", backgroundColor: "var(--panel)", backgroundImage: "none", border: "1px solid var(--edge)", borderRadius: "6px",
    minHeight: "24px", fontSize: "12px",
  },
  ".cm-button:active": { backgroundColor: "var(--raised)", backgroundImage: "none" },
  ".cm-panel.cm-search [name=close]": { color: "var(--ink)", minWidth: "24px", minHeight: "24px", cursor: "pointer" },
  ".cm-panel :focus-visible": { outline: "2px solid var(--accent)", outlineOffset: "1px" },
  ...Object.fromEntries(HANG.map((_, indent) => [
    `.cm-hang-${indent}`, { paddingLeft: `${indent + 3}ch`, textIndent: `-${indent + 3}ch` },
  ])),
});

// ---- the editor ---------------------------------------------------------------------

const PAGE_KEYS = new Set(["Mod-Enter", "Mod-i"]);
const keys = keymap.of([
  ...searchKeymap, ...historyKeymap, ...foldKeymap, ...defaultKeymap.filter(({ key }) => !PAGE_KEYS.has(key)),
]);

/** What is nearer to an edge of the editor, in pixels, is not in sight. */
const MARGIN = 24;

/** A whole pasted text decides about line breaks; a fragment takes those of the text it lands in. */
function pasteWhole(event, view) {
  const { main } = view.state.selection;
  const text = event.clipboardData?.getData("text/plain") ?? "";
  if (main.from > 0 || main.to < view.state.doc.length) return false;
  if (!text.includes("\r") && view.state.field(breaks) === LF_ONLY) return false;
  event.preventDefault();
  replaceText(view, text, { userEvent: "input.paste", breaks: breaksOf(text), scrollIntoView: true });
  return true;
}

/** Typed over a selection: the browser's own way would set styles on what it puts there, which the page's policy forbids. */
function typeOver(event, view) {
  if (event.inputType !== "insertText" || event.isComposing || !event.data || view.state.selection.main.empty) return false;
  event.preventDefault();
  view.dispatch(view.state.replaceSelection(event.data), { userEvent: "input.type", scrollIntoView: true });
  return true;
}

/** One transaction that touches only what differs, so that caret, scroll and folds stay. */
function replaceText(view, text, { breaks: kinds, undoable = true, ...rest }) {
  const old = view.state.doc.toString();
  const doc = view.state.toText(text);
  const now = doc.toString();
  const most = Math.min(old.length, now.length);
  let start = 0;
  while (start < most && old.charCodeAt(start) === now.charCodeAt(start)) start += 1;
  let tail = 0;
  while (tail < most - start && old.charCodeAt(old.length - 1 - tail) === now.charCodeAt(now.length - 1 - tail)) tail += 1;
  view.dispatch({
    changes: old === now ? [] : { from: start, to: old.length - tail, insert: doc.slice(start, now.length - tail) },
    effects: setBreaks.of(kinds),
    annotations: undoable ? isolateHistory.of("full") : Transaction.addToHistory.of(false),
    ...rest,
  });
}

/**
 * Put an editor into `host`.
 *
 * `onChange()` is called after every change a person made, undo included, and not after `setText`.
 * `onPoint(fid, kind, line)` tells that the pointer is over a line ("hover", fid null where it is not marked,
 * line null when it leaves) or that a mark was clicked ("click").
 */
export function create(host, { text, label, onChange, onPoint }) {
  const root = host.attachShadow({ mode: "open" });
  const byUs = { now: false };
  const staying = { now: false };
  const fidAt = (view, event) => {
    const pos = view.posAtCoords({ x: event.clientX, y: event.clientY });
    if (pos === null) return null;
    const there = view.state.field(marks).list.filter((mark) => mark.fid && mark.line.from <= pos && pos <= mark.line.to);
    return (there.find((mark) => mark.from <= pos && pos <= mark.to) ?? there[0])?.fid ?? null;
  };
  const lineAt = (view, event) => {
    const pos = view.posAtCoords({ x: event.clientX, y: event.clientY });
    return pos === null ? null : view.state.doc.lineAt(pos).number;
  };
  const point = (fid, kind, line = null) => {
    onPoint?.(fid, kind, line);
    return false;
  };
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: text,
      extensions: [
        breaks.init(() => breaksOf(text)), breaksAreUndone, marks, links, bands,
        foldMarks, lineNumbers(),
        gutter({
          class: "cm-signs",
          markers: (editor) => editor.state.field(marks).signs,
          domEventHandlers: {
            click: (_, block, event) => point(event.target.closest?.("[data-fid]")?.dataset.fid ?? null, "click"),
            mouseover: (_, block, event) => point(event.target.closest?.("[data-fid]")?.dataset.fid ?? null, "hover"),
          },
        }),
        codeFolding(), folding, colours, brackets, history(), search({ top: true }), highlightSpecialChars(),
        EditorView.lineWrapping, hanging, theme, keys,
        EditorView.scrollHandler.of((editor, { from }) => {
          if (!staying.now) return false;
          staying.now = false;
          editor.requestMeasure({
            read: () => [editor.coordsAtPos(from), editor.scrollDOM.getBoundingClientRect()],
            write([place, frame]) {
              const inSight = place && place.top >= frame.top + MARGIN && place.bottom <= frame.bottom - MARGIN;
              if (place && !inSight) editor.scrollDOM.scrollTop += (place.top + place.bottom - frame.top - frame.bottom) / 2;
            },
          });
          return true;
        }),
        EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
        EditorView.domEventHandlers({
          paste: pasteWhole,
          beforeinput: typeOver,
          click: (event, editor) => {
            const fid = event.target.closest?.(".cm-wavy") && fidAt(editor, event);
            return fid ? point(fid, "click") : false;
          },
          mousemove: (event, editor) => point(fidAt(editor, event), "hover", lineAt(editor, event)),
          mouseleave: () => point(null, "hover"),
        }),
        EditorView.updateListener.of((update) => {
          const newBreaks = update.startState.field(breaks) !== update.state.field(breaks);
          if ((update.docChanged || newBreaks) && !byUs.now) onChange?.();
        }),
      ],
    }),
  });
  // The signs speak, the line numbers do not.
  view.dom.querySelector(".cm-gutters").removeAttribute("aria-hidden");
  for (const column of view.dom.querySelectorAll(".cm-lineNumbers, .cm-folds")) column.setAttribute("aria-hidden", "true");

  return {
    /** Exactly what was pasted and typed: every character and every line break. */
    getText: () => textOf(view.state),

    /** Number of UTF-16 units, without building the text. */
    get length() {
      return view.state.doc.length;
    },

    /** Replace the text. `undoable`: as one step that Ctrl+Z takes back. `keepBreaks`: a text without CR takes the present line breaks. */
    setText(next, { undoable = false, keepBreaks = false } = {}) {
      const { usual } = view.state.field(breaks);
      const kinds = keepBreaks && !next.includes("\r") && usual !== "\r" ? { usual, others: RangeSet.empty } : breaksOf(next);
      byUs.now = true;
      replaceText(view, next, { breaks: kinds, undoable });
      byUs.now = false;
    },

    /** Draw `[{fid, severity: error|warning|info|ok, line, column, endLine, endColumn}]`; an empty list draws none. */
    setMarks(list) {
      if (list.length || view.state.field(marks).list.length) view.dispatch({ effects: setMarks.of(list) });
    },

    /** Band and ring of the chosen or hovered place `{line, column, endLine, endColumn}`, or null for none. */
    link(kind, place) {
      if (place || view.state.field(links)[kind]) view.dispatch({ effects: setLink.of({ [kind]: place }) });
    },

    /** Name these lines (1-based) as added by an edit, until the text changes. */
    added(lines) {
      view.dispatch({ effects: setAdded.of(lines) });
    },

    /** Open the search, with its field in focus. */
    search: () => openSearchPanel(view),

    /** The text of one line (1-based), "" outside. */
    line: (number) => (number >= 1 && number <= view.state.doc.lines ? view.state.doc.line(number).text : ""),

    /** Show a place, in the middle of the editor unless it is in sight, without moving the page; `enter` goes there with caret and page. */
    goTo(place, { enter = false } = {}) {
      const { from, to } = offsets(view.state.doc, place);
      const effects = [EditorView.scrollIntoView(from, { y: "nearest", yMargin: MARGIN })];
      foldedRanges(view.state).between(from, from, (a, b) => {
        effects.push(unfoldEffect.of({ from: a, to: b }));
      });
      staying.now = !enter;
      view.dispatch({ effects, selection: enter ? { anchor: from, head: to } : undefined });
      if (enter) view.focus();
    },
  };
}
