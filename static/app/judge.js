// When to judge, and what the page says meanwhile.
//
// A verdict belongs to one text: it is gone the moment the text differs, and a
// newer request replaces an older one (hx-sync on the form).

import * as fields from "./fields.js";
import * as morph from "./morph.js";
import * as store from "./store.js";

const { editors, form } = fields;

const TYPING = 150;
const PATIENCE = 400;
const SHOWN_AT_LEAST = 300;
const LARGE = 150_000;
/** Controls that an edit may set and that no person sees. */
const UNSEEN = ["answer", "part"];

let typing = 0;
let running = null;
let busy = null;
/** Counts texts and requests: an answer to an earlier one is not drawn. */
let turn = 0;

const panels = () => document.getElementById("panels");
const strip = document.getElementById("strip");
const sleep = (ms) => new Promise((done) => { setTimeout(done, ms); });

/** Judge what stands in the form, at once. */
export function now() {
  clearTimeout(typing);
  form.requestSubmit();
}

/** The text differs from what was judged. */
export function changed() {
  turn += 1;
  stale();
  readout("\u00a0");
  running?.request.abort();
  clearTimeout(typing);
  typing = setTimeout(now, TYPING);
  fields.showEmpty();
  store.saveSoon();
}

/** Whether a judgement runs so long that Cancel is shown. */
export const isBusy = () => Boolean(busy?.since);

/** Stop the running judgement; the server stops its work when the request is gone. */
export function cancel() {
  running?.request.abort();
  clearTimeout(typing);
  notJudged("user");
  readout("Stopped by you. Nothing was judged.");
}

// ---- what the panels say while there is no verdict ---------------------------------

function say(status, word, count) {
  for (const part of panels().querySelectorAll("[data-status]")) part.dataset.status = status;
  const tell = (selector, text) => {
    for (const place of panels().querySelectorAll(selector)) place.textContent = text;
  };
  tell("[data-pill-word]", word);
  tell("[data-pill-count]", count);
  tell("[data-pill-time]", "");
}

/** The sentence in the header; a space keeps its row. */
function readout(text) {
  document.getElementById("readout").textContent = text;
}

function stale() {
  const { dataset } = panels();
  if ("judging" in dataset) return;
  morph.holdFocus();
  // First the editors: each measures the page, which is cheap as long as nothing else of it changed.
  for (const [name, editor] of editors) if (name !== "session_text") editor.setMarks([]);
  readout("\u00a0");
  delete dataset.stopped;
  dataset.judging = "";
  say("idle", "JUDGING", "");
}

function notJudged(by) {
  const { dataset } = panels();
  delete dataset.judging;
  delete dataset.busy;
  dataset.stopped = by;
  say("red", "RED", "not judged");
}

/** Tell in the strip under the header what kept the text from being judged. */
function refuse(text) {
  notJudged("server");
  readout("Nothing was judged.");
  complain(text);
}

/** Take the strip away. */
export const hush = () => { strip.hidden = true; };

/** Say something in the strip under the header. */
export function complain(text) {
  strip.querySelector("[data-strip-text]").textContent = text;
  strip.hidden = false;
}

// ---- work that takes its time -------------------------------------------------------

export const inUnits = (bytes) => (bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} KB` : `${Number((bytes / 1e6).toPrecision(3))} MB`);

function beginBusy(ctx) {
  const began = performance.now();
  const size = inUnits(ctx.request.body.size);
  const mine = { since: 0, clock: 0 };
  const tick = () => {
    for (const place of panels().querySelectorAll("[data-elapsed]")) {
      place.textContent = `${((performance.now() - began) / 1000).toFixed(1)} s`;
    }
  };
  mine.wait = setTimeout(() => {
    mine.since = performance.now();
    panels().dataset.busy = "";
    for (const place of panels().querySelectorAll("[data-size]")) place.textContent = size;
    tick();
    mine.clock = setInterval(tick, 100);
  }, PATIENCE);
  return mine;
}

function endBusy() {
  clearTimeout(busy?.wait);
  clearInterval(busy?.clock);
  busy = null;
}

// ---- one request ---------------------------------------------------------------------

/** The form as bytes: the browser's own encoding would turn every LF into CRLF, and take four times as long. */
export function multipart(data) {
  const boundary = `workbench-${crypto.getRandomValues(new Uint32Array(4)).join("-")}`;
  const parts = [...data].flatMap(([name, value]) => [
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n`, value, "\r\n",
  ]);
  return new Blob([...parts, `--${boundary}--\r\n`], { type: `multipart/form-data; boundary=${boundary}` });
}

export const tooLong = (size) =>
  `${inUnits(size)} is over the limit of ${Math.floor(Number(form.dataset.bodyLimit) / 2 ** 20)} MB. Paste a part of it.`;

/** A body over the limit is not sent: a server that answers before it read everything looks like one that is gone. */
function tooLarge({ size }) {
  if (size <= Number(form.dataset.bodyLimit)) return false;
  refuse(tooLong(size));
  return true;
}

/** A bar that was shown stays long enough to be read; only then the answer is handed on. */
async function patientFetch(url, request) {
  const response = await fetch(url, request);
  const body = await response.blob();
  if (busy?.since) await sleep(busy.since + SHOWN_AT_LEAST - performance.now());
  request.signal.throwIfAborted();
  return new Response(response.status === 204 ? null : body, response);
}

export function messageOf({ text, response }) {
  try {
    const answer = JSON.parse(text);
    const message = answer.message ?? answer.findings?.[0]?.message;
    if (message) return message;
  } catch {
    // No JSON: a proxy's page, whose words say nothing about the paste.
  }
  return `The workbench answered ${response.status}. Nothing was judged.`;
}

const pause = () => globalThis.scheduler?.yield?.() ?? sleep(0);

/** Bring the page up to the answer that htmx put in; a large one step by step, unless the text differs by then. */
async function settle(ctx, steps) {
  for (const step of [...morph.parts(), ...steps]) {
    if (ctx.large) await pause();
    if (ctx.turn !== turn) return;
    step();
  }
  const { dataset } = panels();
  delete dataset.judging;
  delete dataset.busy;
}

/** Wire the form. `afterSwap(ctx)` gives the steps that follow when a new verdict stands in the page. */
export function start({ afterSwap }) {
  form.addEventListener("htmx:config:request", (event) => {
    const { ctx } = event.detail;
    clearTimeout(typing);
    strip.hidden = true;
    ctx.turn = turn += 1;
    ctx.command = ctx.request.body.get("edit");
    ctx.sent = Object.fromEntries(UNSEEN.map((name) => [name, ctx.request.body.get(name)]).filter(([, value]) => value !== null));
    ctx.request.body = multipart(ctx.request.body);
    if (tooLarge(ctx.request.body)) {
      running?.request.abort();
      event.preventDefault();
      return;
    }
    ctx.fetch = patientFetch;
    ctx.request.timeout = 0;
  });
  form.addEventListener("htmx:before:request", ({ detail: { ctx } }) => {
    running = ctx;
    endBusy();
    stale();
    busy = beginBusy(ctx);
  });
  form.addEventListener("htmx:finally:request", ({ detail: { ctx } }) => {
    if (ctx !== running) return;
    running = null;
    endBusy();
  });
  form.addEventListener("htmx:error", ({ detail: { ctx } }) => {
    if (ctx !== running) return;
    refuse(ctx.response
      ? "The page could not show the answer. Reload it; your text is safe in this browser."
      : "The workbench does not answer. Your text is safe in this browser.");
  });
  form.addEventListener("htmx:response:error", ({ detail: { ctx } }) => {
    if (ctx === running) refuse(messageOf(ctx));
  });
  form.addEventListener("htmx:after:swap", ({ detail: { ctx } }) => {
    if (ctx.response?.status === 200) settle(ctx, afterSwap(ctx));
  });
  form.addEventListener("htmx:after:request", ({ detail: { ctx } }) => {
    ctx.large = ctx.text.length > LARGE;
    // A pause between reading the answer and drawing it.
    if (ctx.large) ctx.hx.reswap = "outerMorph swap:1ms";
    morph.expect({ current: () => ctx.turn === turn, inParts: ctx.large });
  });

  form.addEventListener("input", ({ target }) => {
    if (fields.judged(target)) changed();
  });
  form.addEventListener("change", ({ target }) => {
    if (!target.matches("select") || !fields.judged(target)) return;
    changed();
    now();
  });
  document.addEventListener("click", ({ target }) => {
    if (target.closest("[data-cancel]")) cancel();
    if (target.closest("[data-retry]")) now();
  });
}
