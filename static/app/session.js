// The Session tab: its text is judged by a request of its own, and only while the
// tab is open. The answer is lines of JSON: the markup around the lists, then
// every frame and every entry, of which the rows in sight are drawn here.

import { putAll } from "./edits.js";
import * as fields from "./fields.js";
import * as judge from "./judge.js";
import { axisOf, courseOf, drawAxis, laneOf, svg } from "./lanes.js";
import { layOut, sizeOf } from "./layout.js";
import * as links from "./links.js";
import { rows } from "./rows.js";
import * as store from "./store.js";
import * as view from "./view.js";

const FIELD = "session_text";
const TYPING = 150;
const PATIENCE = 400;
const SHOWN_AT_LEAST = 300;
/** Milliseconds of one turn at a long work, and between two keys of a search. */
const SLICE = 8;
const LARGE_FRAME = 4_096;
/** What else the verdict depends on. */
const BY = ["contracts_text", "contract_name", "options", "string_args", "assert_formats", "dialect"];
const MARKS = { e: "error", w: "warning" };
const MOST_AT_WORK = 3;
/** Characters that come at once when somebody types. */
const TYPED = 8;

const box = () => document.getElementById("session");
const editor = () => fields.editors.get(FIELD);
const isOpen = () => view.openedTab() === "session";
const sleep = (ms) => new Promise((done) => { setTimeout(done, ms); });

/** What was read of the text that was judged last. */
let read = nothing();
/** What that verdict was given by; null where it is stale. */
let judgedBy = null;
/** The same of the verdict that is waited for. */
let judgingBy = null;
let turn = 0;
let typing = 0;
let running = null;
let busy = null;
let chosen = { frame: null, entry: null, partner: null, fid: null };
let lists = null;
let seen = "";
/** How long the text was, and whether the last change was more than somebody types. */
let length = 0;
let pasted = true;

function nothing() {
  return { text: "", frames: [], words: [], seconds: null, entries: [], courses: [], moments: [], html: "", frame: 0, total: 0 };
}

// ---- judging ------------------------------------------------------------------------------

const by = () => JSON.stringify(BY.map((name) => fields.get(name)));

/** The verdict is for another text, or by another contract: it is gone. */
export function outdate() {
  turn += 1;
  running?.abort();
  clearTimeout(typing);
  judgedBy = judgingBy = null;
  if (editor().length === 0 && read.total === 0) return;
  editor().setMarks([]);
  const { dataset } = box();
  delete dataset.stopped;
  dataset.judging = "";
  say("idle", "JUDGING", "");
  document.getElementById("fact-session").replaceChildren();
  document.getElementById("readout-session").textContent = isOpen() ? "\u00a0" : "";
}

/** The text was typed into. */
export function changed() {
  pasted = Math.abs(editor().length - length) > TYPED;
  length = editor().length;
  outdate();
  fields.showEmpty();
  store.saveSoon();
  if (isOpen()) typing = setTimeout(now, TYPING);
}

/** Judge now, where the tab is open and the verdict is not that of what stands there. */
export function follow() {
  const known = judgedBy ?? judgingBy;
  if (known !== null && known !== by()) outdate();
  if (judgingBy !== null) return;
  if (isOpen() && judgedBy === null && (editor().length > 0 || read.total > 0)) now();
}

export const isBusy = () => Boolean(busy?.since);

export function cancel() {
  turn += 1;
  running?.abort();
  clearTimeout(typing);
  notJudged("user");
  sentence("Stopped by you. Nothing was judged.");
}

function say(status, word, count) {
  const place = box();
  place.dataset.status = status;
  for (const [selector, text] of [["[data-pill-word]", word], ["[data-pill-count]", count], ["[data-pill-time]", ""]]) {
    place.querySelector(selector).textContent = text;
  }
}

function sentence(text) {
  document.getElementById("readout-session").textContent = text;
  showSentence();
}

/** The sentence of the session stands in the header while its tab is open. */
function showSentence() {
  const place = document.getElementById("readout-session");
  place.hidden = !isOpen() || place.textContent === "";
}

function notJudged(why) {
  const { dataset } = box();
  delete dataset.judging;
  delete dataset.busy;
  dataset.stopped = why;
  judgedBy = by();  // what was stopped starts again by the hand of the user, or for another contract
  say("red", "RED", "not judged");
}

function refuse(text) {
  notJudged("server");
  sentence("Nothing was judged.");
  judge.complain(text);
}

function beginBusy(bytes) {
  const began = performance.now();
  const mine = { since: 0, clock: 0 };
  const put = (selector, text) => { box().querySelector(selector).textContent = text; };
  mine.wait = setTimeout(() => {
    mine.since = performance.now();
    box().dataset.busy = "";
    put("[data-bytes]", judge.inUnits(bytes));
    const tick = () => put("[data-seconds]", `${((performance.now() - began) / 1000).toFixed(1)} s`);
    tick();
    mine.clock = setInterval(tick, 100);
  }, PATIENCE);
  return mine;
}

function endBusy(mine) {
  clearTimeout(mine.wait);
  clearInterval(mine.clock);
  if (busy === mine) busy = null;
}

/** Judge again, where the tab is open and holds something. */
export function again() {
  if (isOpen() && editor().length > 0) now();
}

/** Judge the session, at once. A newer request replaces an older one. */
export async function now() {
  outdate();
  const mine = turn;
  const text = editor().getText();
  const judging = by();
  const data = new FormData();
  data.set(FIELD, text);
  for (const name of BY) data.set(name, fields.get(name));
  const body = judge.multipart(data);
  judge.hush();
  if (body.size > Number(fields.form.dataset.bodyLimit)) {
    refuse(judge.tooLong(body.size));
    return;
  }
  box().dataset.judging = "";
  judgingBy = judging;
  running = new AbortController();
  const { signal } = running;
  busy = beginBusy(body.size);
  const waiting = busy;
  let answered = false;
  try {
    const response = await fetch("/session", { method: "POST", body, headers: { "HX-Request": "true" }, signal });
    answered = true;
    if (!response.ok) {
      const answer = await response.text();
      if (mine === turn) refuse(judge.messageOf({ text: answer, response }));
      return;
    }
    const next = await receive(response, text, () => mine === turn);
    if (waiting.since) await sleep(waiting.since + SHOWN_AT_LEAST - performance.now());
    if (mine !== turn) return;
    await put(next);
    judgedBy = judging;
  } catch (error) {
    if (mine !== turn || error.name === "AbortError") return;
    refuse(answered
      ? "The page could not show the answer. Reload it; your text is safe in this browser."
      : "The workbench does not answer. Your text is safe in this browser.");
  } finally {
    if (mine === turn) judgingBy = null;
    endBusy(waiting);
  }
}

const pause = () => globalThis.scheduler?.yield?.() ?? sleep(0);

/** Work through `count` steps, with a pause after each SLICE. Tells whether it came to the end. */
async function inSlices(count, step, current) {
  let until = performance.now() + SLICE;
  for (let number = 0; number < count; number += 1) {
    step(number);
    if (number % 64 === 0 && performance.now() > until) {
      await pause();
      if (!current()) return false;
      until = performance.now() + SLICE;
    }
  }
  return true;
}

/** Read an answer line by line, so that no key waits for the whole of it. */
async function receive(response, text, current) {
  const next = { ...nothing(), text };
  const decoder = new TextDecoder();
  const reader = response.body.getReader();
  let rest = "";
  let until = performance.now() + SLICE;
  const take = (line) => {
    const { frames, entries, seconds, words, ...others } = JSON.parse(line);
    if (frames) for (const each of frames) next.frames.push(each);
    else if (entries) {
      for (const each of entries) {
        next.entries.push(each);
        next.courses.push(courseOf(each[7]));
      }
    } else if (seconds) (next.seconds ??= []).push(...seconds);
    else if (words) next.words = words;
    else Object.assign(next, others);
  };
  for (let part = await reader.read(); ; part = await reader.read()) {
    const lines = (rest + decoder.decode(part.value, { stream: !part.done })).split("\n");
    rest = part.done ? "" : lines.pop();
    for (const line of lines) {
      if (line) take(line);
      if (performance.now() < until) continue;
      await pause();
      if (!current()) return next;
      until = performance.now() + SLICE;
    }
    if (part.done) return next;
  }
}

/** Put an answer into the page. */
async function put(next) {
  const before = chosen;
  const typed = read.total === 0 && !pasted;
  const within = document.activeElement === document.getElementById(`editor-${FIELD}`);
  read = next;
  const section = box();
  const focused = section.contains(document.activeElement) && document.activeElement.dataset.fid;
  await window.htmx.swap({ target: section, text: next.html, swap: "outerMorph", sourceElement: section });
  next.html = "";
  const { dataset } = box();
  delete dataset.judging;
  delete dataset.busy;
  delete dataset.stopped;
  startLists();
  if (typed) show("text");
  fields.showEmpty();
  const marks = box().querySelectorAll(`[data-marks="${FIELD}"] > [data-line]`);
  editor().setMarks(Array.from(marks, ({ dataset: mark }) => ({
    fid: mark.fid, severity: mark.severity, line: +mark.line, column: +mark.column, endLine: +mark.endLine, endColumn: +mark.endColumn,
  })));
  const stays = before.frame !== null && before.frame < read.frames.length;
  chosen = { frame: stays ? before.frame : read.total ? read.frame : null, entry: null, partner: null, fid: null };
  seen = "";
  sift(wanted());
  view.redraw();
  links.again();
  if (within && box().dataset.view === "outline" && read.total) choose({ ...chosen }, { focus: true });
  if (focused) box().querySelector(`.finding[data-fid="${CSS.escape(focused)}"]`)?.focus();
  showSentence();
}

// ---- rows ------------------------------------------------------------------------------------

const make = (tag, name, text) => {
  const element = document.createElement(tag);
  if (name) element.className = name;
  if (text !== undefined) element.textContent = text;
  return element;
};

const icon = (name) => svg("svg", { class: `icon icon-${name}`, "aria-hidden": "true" }, svg("use", { href: `#i-${name}` }));

const unseen = (text) => make("span", "unseen", text);

function frameRow(number, place, total) {
  const [word, way, mark, detail, start, end, fid] = read.frames[number];
  const item = make("li");
  const row = make("button", "frame-row");
  row.type = "button";
  item.setAttribute("aria-setsize", total ?? read.frames.length);
  item.setAttribute("aria-posinset", place + 1);
  row.dataset.frame = number;
  if (fid) row.dataset.fid = fid;
  const sign = make("span", "sign");
  if (mark) {
    row.classList.add(`is-${MARKS[mark]}`);
    sign.append(icon(MARKS[mark]), unseen(MARKS[mark]));
  }
  const arrow = make("span", "way");
  if (way) {
    const drawn = make("span", "", way === 1 ? "←" : "→");
    drawn.setAttribute("aria-hidden", "true");
    arrow.append(drawn, unseen(way === 1 ? "server" : "client"));
  }
  const size = end - start;
  row.append(
    make("span", "no", String(number)), sign, arrow, make("b", "", read.words[word]), " ", make("span", "ids", detail), " ",
    make("span", "size", size >= LARGE_FRAME ? sizeOf(size) : ""),
  );
  markFrame(row, number);
  item.append(row);
  return item;
}

function markFrame(row, number) {
  if (number === chosen.frame) row.setAttribute("aria-current", "true");
  else row.removeAttribute("aria-current");
  row.classList.toggle("is-partner", number === chosen.partner);
  links.dress(row);
}

let axis = null;

function entryRow(number, place) {
  const [look, id, name, verdict, state, wrong, , , text, fid] = read.entries[number];
  const row = make("tr", wrong ? "entry is-wrong" : "entry");
  row.dataset.entry = number;
  row.setAttribute("aria-rowindex", place + 2);
  if (fid) row.dataset.fid = fid;
  const head = make("th");
  head.scope = "row";
  const button = make("button");
  button.type = "button";
  button.append(icon(look), unseen(wrong ? "wrong" : "good"), " ", make("span", "", id));
  head.append(button);
  const course = make("td", "course");
  course.append(laneOf(read.courses[number], text, axis));
  row.append(head, make("td", "tool", name), make("td", "verdict", verdict), make("td", "state", state), course);
  if (number === chosen.entry) row.setAttribute("aria-current", "true");
  links.dress(row);
  return row;
}

/** The axis follows the entries in sight; tells whether it is another one. */
function turnAxis(numbers) {
  const head = box().querySelector(".lane-axis");
  const next = axisOf(numbers.map((number) => read.courses[number]), read.frames.length, read.seconds);
  const name = `${next.start} ${next.width} ${Math.round(head.getBoundingClientRect().width)}`;
  if (name === seen) return false;
  seen = name;
  axis = next;
  document.getElementById("lane-turns").replaceWith(drawAxis(head, axis, read.moments));
  return true;
}

function startLists() {
  const outline = document.getElementById("session-outline");
  const ledger = document.getElementById("session-ledger");
  if (lists?.outline !== outline) {
    lists = { outline, ledger: null };
    outline.replaceChildren(make("ol"));
    outline.firstChild.setAttribute("aria-label", "Frames");
    lists.frames = rows({
      scroller: outline, list: outline.firstChild, gap: "li", make: frameRow, buttonOf: (row) => row.firstChild,
    });
  }
  if (lists.ledger === ledger) return;
  lists.ledger = ledger;
  lists.entries = null;
  if (!ledger) return;
  if (!document.getElementById("lane-turns")) {
    ledger.prepend(svg("svg", { class: "sprite", "aria-hidden": "true", width: "0", height: "0" }, svg("symbol", { id: "lane-turns" })));
  }
  for (const more of ledger.querySelectorAll(".more")) more.remove();
  lists.entries = rows({
    scroller: ledger, list: ledger.querySelector("tbody"), gap: "tr", make: entryRow,
    buttonOf: (row) => row.querySelector("button"), onWindow: turnAxis,
  });
}

// ---- chips and search --------------------------------------------------------------------------

let sifted = 0;
let asked = "";
let shown = { frames: [], entries: [] };

const wanted = () => {
  const chip = box().querySelector('[data-filter][aria-pressed="true"]');
  const find = box().querySelector("[data-find]");
  return { tag: chip?.dataset.filter ?? "all", words: find?.value.trim().toLowerCase() ?? "" };
};

const every = (count) => Array.from({ length: count }, (_, number) => number);

/** Show the frames and entries that the pressed chip and the search leave. */
async function sift({ tag, words }) {
  asked = `${tag} ${words}`;
  const mine = sifted += 1;
  const current = () => mine === sifted;
  const of = read;
  const holds = (number) => {
    const [, , , , start, end] = of.frames[number];
    return of.text.slice(start, end).toLowerCase().includes(words);
  };
  const next = { frames: [], entries: [] };
  if (!words) next.frames = every(of.frames.length);
  else if (!await inSlices(of.frames.length, (number) => { if (holds(number)) next.frames.push(number); }, current)) return;
  if (!words && tag === "all") next.entries = every(of.entries.length);
  else {
    const held = new Set(words ? next.frames : []);
    const lets = (number) => {
      const [, id, name, verdict, state, , tags] = of.entries[number];
      if (tag !== "all" && !tags.split(" ").includes(tag)) return false;
      if (!words || `${id} ${name} ${verdict} ${state}`.toLowerCase().includes(words)) return true;
      return of.courses[number].some(({ at }) => held.has(at));
    };
    if (!await inSlices(of.entries.length, (number) => { if (lets(number)) next.entries.push(number); }, current)) return;
  }
  shown = next;
  const told = (part, all) => `${part.toLocaleString("en")} of ${all.toLocaleString("en")}`;
  const write = (selector, text) => {
    for (const place of box().querySelectorAll(selector)) if (place.textContent !== text) place.textContent = text;
  };
  write("[data-frames-shown]", of.frames.length ? told(shown.frames.length, of.frames.length) : "");
  write("[data-shown]", `${told(shown.entries.length, of.entries.length)} shown`);
  for (const place of box().querySelectorAll("[data-none]")) place.hidden = shown.entries.length > 0;
  seen = "";
  lists?.frames.set(shown.frames);
  lists?.entries?.set(shown.entries);
  box().querySelector("#session-ledger > table")?.setAttribute("aria-rowcount", shown.entries.length + 1);
  choose({ ...chosen, frame: chosen.frame });
}

// ---- what is chosen ------------------------------------------------------------------------------

const placeIn = (list, number) => {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle] < number) low = middle + 1;
    else high = middle;
  }
  return list[low] === number ? low : -1;
};

/** Choose a frame, with the entry it was reached by; both frames of an entry are marked. */
function choose({ frame, entry = null, partner = null, fid = null }, { focus = false } = {}) {
  chosen = { frame, entry, partner, fid };
  if (!lists) return;
  lists.frames.show(placeIn(shown.frames, frame), { focus });
  for (const item of lists.frames.drawn) markFrame(item.firstChild, Number(item.firstChild.dataset.frame));
  if (entry !== null) lists.entries?.show(placeIn(shown.entries, entry));
  for (const row of lists.entries?.drawn ?? []) {
    if (Number(row.dataset.entry) === entry) row.setAttribute("aria-current", "true");
    else row.removeAttribute("aria-current");
  }
  drawFrame();
}

function chooseEntry(number) {
  const course = read.courses[number];
  const frames = course.map(({ at }) => at).filter((at) => at !== null);
  const wrong = read.entries[number][5];
  const frame = wrong ? frames.at(-1) : frames[0];
  choose({ frame, entry: number, partner: wrong ? frames[0] : frames.at(-1), fid: read.entries[number][9] || null });
}

/** Calls that wait for their answer in a frame. */
function atWork(frame) {
  const found = [];
  read.courses.some(([first, next], number) => {
    if (first.look === "c" && first.at <= frame && (next.at === null || frame < next.at)) found.push(number);
    return found.length > MOST_AT_WORK || first.at > frame;
  });
  return found;
}

function drawFrame() {
  const pane = document.getElementById("session-frame");
  const { frame } = chosen;
  if (frame === null || !read.frames[frame]) {
    pane.replaceChildren();
    return;
  }
  const [, , , , start, end] = read.frames[frame];
  const head = make("div", "list-head");
  const title = make("span", "", `Frame ${frame} `);
  title.append(make("span", "meta", "formatted, white space only"));
  const copy = make("button", "link", "Copy as pasted");
  copy.type = "button";
  copy.dataset.copyFrame = frame;
  head.append(title, copy);
  const parts = [head];
  const working = atWork(frame);
  if (working.length) {
    const line = make("p", "working");
    for (const number of working.slice(0, MOST_AT_WORK)) {
      const [, id, name] = read.entries[number];
      const chip = make("span", "value at-work");
      chip.append(icon("busy"), make("code", "", name || id), make("span", "", `${id} at work since frame ${read.courses[number][0].at}`));
      line.append(chip);
    }
    if (working.length > MOST_AT_WORK) line.append(make("span", "meta", "and more"));
    parts.push(line);
  }
  const marks = Array.from(box().querySelectorAll(`.finding[data-frame="${frame}"][data-span]`), ({ dataset, classList }) => ({
    start: Number(dataset.span.split(" ")[0]) - start,
    fid: dataset.fid,
    severity: ["error", "warning", "info"].find((each) => classList.contains(`is-${each}`)),
  }));
  const listing = layOut(read.text.slice(start, end), marks.filter((mark) => mark.start >= 0), icon);
  listing.setAttribute("aria-label", `Frame ${frame}`);
  parts.push(listing);
  pane.replaceChildren(...parts);
  for (const part of pane.querySelectorAll("[data-fid]")) links.dress(part);
  const line = chosen.fid && pane.querySelector(`.line[data-fid="${CSS.escape(chosen.fid)}"]`);
  if (line) listing.scrollTop = line.offsetTop - listing.offsetTop - listing.clientHeight / 2;
}

// ---- wiring ------------------------------------------------------------------------------------------

let styles = null;

/** The look of the tab comes when it is first opened. */
function bringStyles() {
  if (styles) return;
  styles = make("link");
  styles.rel = "stylesheet";
  styles.href = "/static/session.css";
  styles.addEventListener("load", () => {
    lists?.frames.redraw();
    lists?.entries?.redraw();
  });
  document.head.append(styles);
}

function show(word) {
  box().dataset.view = word;
  for (const key of box().querySelectorAll('[name="session_view"]')) key.setAttribute("aria-pressed", String(key.value === word));
  if (word === "outline") lists?.frames.redraw();
  const finding = links.chosenRow();
  if (word === "text" && finding?.dataset.input === FIELD) editor().goTo({ line: +finding.dataset.line || 1, column: +finding.dataset.column || 1 });
}

function opened() {
  if (isOpen()) {
    bringStyles();
    follow();
    lists?.frames.redraw();
    lists?.entries?.redraw();
  }
  showSentence();
}

function onClick(event) {
  const on = (selector) => event.target.closest(selector);
  if (!on("#session")) return;
  const key = on('[name="session_view"]');
  if (key) {
    event.preventDefault();
    show(key.value);
    return;
  }
  if (on('[value="clear:session_text"]')) {
    event.preventDefault();
    putAll(new Map([[FIELD, ""]]), "Session cleared.");
    return;
  }
  if (on("[data-cancel-session]")) cancel();
  if (on("[data-retry-session]")) now();
  const copied = on("[data-copy-frame]");
  if (copied) {
    const [, , , , start, end] = read.frames[Number(copied.dataset.copyFrame)];
    view.copyText(read.text.slice(start, end));
    return;
  }
  const row = on("tr.entry");
  const frame = on("[data-frame]");
  const told = on('[name="show_frame"]');
  if (row?.dataset.entry) chooseEntry(Number(row.dataset.entry));
  else if (frame) chooseFinding(frame);
  else if (told) {
    event.preventDefault();
    choose({ frame: Number(told.value) });
  }
}

/** Choose the frame that a finding or a row names, with the entry that went wrong there. */
function chooseFinding({ dataset }) {
  choose({ frame: Number(dataset.frame), fid: dataset.fid ?? null, entry: entryOf(dataset.fid) });
}

/** The entry that a finding belongs to, by its name. */
function entryOf(fid) {
  const number = fid ? read.entries.findIndex((entry) => entry[9] === fid) : -1;
  return number < 0 ? null : number;
}

export function start() {
  document.addEventListener("workbench:tab", opened);
  document.addEventListener("workbench:texts", ({ detail }) => {
    if (!detail.includes(FIELD)) return;
    length = editor().length;
    pasted = true;
    if (isOpen()) now();
    else changed();
  });
  document.addEventListener("workbench:step", ({ target }) => {
    if (target.matches("#session [data-frame]")) chooseFinding(target);
  });
  // Before the form is sent: these keys are the client's own.
  document.addEventListener("click", onClick, { capture: true });
  document.addEventListener("filter", ({ target, detail }) => {
    if (target !== box() || asked === `${detail.tag} ${detail.words}`) return;
    sift(detail);
  });
  document.addEventListener("paste", (event) => {
    if (!event.target.closest?.("#session-outline")) return;
    const text = event.clipboardData.getData("text/plain");
    if (!text) return;
    event.preventDefault();
    editor().setText(text, { undoable: true });
    now();
  });
  opened();
}
