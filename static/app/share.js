// Open, Save, Share, and files dropped on the page. A link carries the text
// behind its # sign, which no browser sends to a server; what leaves by link or
// file has its secrets replaced first.

import { putAll } from "./edits.js";
import * as fields from "./fields.js";
import * as judge from "./judge.js";
import { mask } from "./secrets.js";
import * as view from "./view.js";

const MARK = "toolcall-workbench";
const VERSION = 1;
const FRAGMENT = "#w1.";
/** Longest link that mail and chat programs pass on whole, in characters. */
const FIT = 32_000;

const sentence = (count) => (count === 0 ? "" : ` ${count} secret${count === 1 ? " was" : "s were"} replaced.`);

// ---- the page as one JSON text -----------------------------------------------------------

/** Everything that stands on the page, its secrets replaced, and how many they were. */
function pack() {
  let secrets = 0;
  const texts = {};
  for (const name of fields.names()) {
    const { text, count } = mask(fields.get(name));
    texts[name] = text;
    secrets += count;
  }
  return { state: { [MARK]: VERSION, tab: view.openedTab(), fields: texts }, secrets };
}

/** The state that a text holds, or null where it is any other text. */
function unpack(text) {
  if (!text.includes(MARK)) return null;
  try {
    const state = JSON.parse(text);
    return state[MARK] === VERSION && typeof state.fields === "object" ? state : null;
  } catch {
    return null;
  }
}

/** Put a state into the page. What stood there comes back with Undo. */
function fill({ fields: texts, tab }, told) {
  const known = fields.names();
  putAll(new Map(Object.entries(texts).filter(([name, text]) => known.has(name) && typeof text === "string")), told);
  if (typeof tab === "string") view.openTab(tab);
  judge.now();
}

// ---- links ---------------------------------------------------------------------------------

async function squeezed(bytes, Stream) {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(new Stream("deflate-raw"))).arrayBuffer());
}

/** At most `most` bytes of what a link holds: a small one may grow to anything. */
async function stretched(bytes, most) {
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
  const parts = [];
  let size = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    size += part.value.length;
    if (size > most) throw new RangeError("larger than the page takes");
    parts.push(part.value);
  }
  return new Blob(parts).text();
}

const toText = (bytes) => btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""))
  .replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
const toBytes = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (sign) => sign.charCodeAt(0));

async function share() {
  const dialog = document.getElementById("share");
  const { state, secrets } = pack();
  const bytes = await squeezed(new TextEncoder().encode(JSON.stringify(state)), CompressionStream);
  const link = `${location.origin}${location.pathname}${FRAGMENT}${toText(bytes)}`;
  const fits = link.length <= FIT;
  const text = dialog.querySelector("[data-share-text]");
  text.textContent = fits
    ? `This link carries your text after the # sign. That part never reaches a server, but whoever has the link can read it.${sentence(secrets)}`
    : `Too long for a link (${judge.inUnits(link.length)}, ${judge.inUnits(FIT)} fit). Save a file instead.`;
  const place = dialog.querySelector("[data-share-link]");
  place.value = fits ? link : "";
  for (const part of dialog.querySelectorAll("[data-fits]")) part.hidden = (part.dataset.fits === "yes") !== fits;
  if (!dialog.open) dialog.showModal();
  dialog.querySelector("button:not([hidden])").focus();
}

async function copyLink() {
  const place = document.querySelector("[data-share-link]");
  await view.copyText(place.value);
  place.select();
}

/** Fill the page from the address, if it holds a page, and take the text out of the address. */
export async function readLink() {
  if (!location.hash.startsWith(FRAGMENT)) return;
  const packed = location.hash.slice(FRAGMENT.length);
  history.replaceState(history.state, "", `${location.pathname}${location.search}`);
  try {
    const state = unpack(await stretched(toBytes(packed), Number(fields.form.dataset.bodyLimit)));
    if (state === null) throw new TypeError("no page");
    fill(state, "Opened from a link.");
  } catch {
    view.toast("This link is damaged: its text cannot be read.");
  }
}

// ---- files -----------------------------------------------------------------------------------

function save() {
  const { state, secrets } = pack();
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([JSON.stringify(state, null, 2), "\n"], { type: "application/json" }));
  const name = (state.fields.contract_name ?? "").replace(/[^\w-]+/g, "_").slice(0, 60);
  link.download = `${name || "toolcall"}.workbench.json`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  view.toast(`Saved as ${link.download}.${sentence(secrets)}`);
}

/** The text of a file, every character of it; `broken` where its bytes are no text. */
async function textOf(file) {
  const bytes = await file.arrayBuffer();
  const [first, second] = new Uint8Array(bytes, 0, Math.min(2, bytes.byteLength));
  const wide = { 0xfffe: "utf-16le", 0xfeff: "utf-16be" }[(first << 8) | second];
  const read = (fatal) => new TextDecoder(wide ?? "utf-8", { ignoreBOM: !wide, fatal }).decode(bytes);
  try {
    return { text: read(true), broken: false };
  } catch {
    return { text: read(false), broken: true };
  }
}

/** Where a file goes: into the editor that it falls on or that of the panel around it, else into Session where that is open. */
function fieldAt(place) {
  const editor = place?.closest?.("[data-editor]") ?? place?.closest?.("section")?.querySelector("[data-editor]");
  return editor?.dataset.editor ?? (view.openedTab() === "session" ? "session_text" : "calls_text");
}

/** Open a saved page, or any other file as the text of `field`. */
async function open(file, field) {
  const most = Number(fields.form.dataset.bodyLimit);
  if (file.size > most) {
    judge.complain(judge.tooLong(file.size));
    return;
  }
  const { text, broken } = await textOf(file);
  const state = unpack(text);
  if (state) {
    fill(state, `${file.name} opened.`);
    return;
  }
  const told = broken ? `${file.name} opened. It is no UTF-8 text: its broken bytes stand as \ufffd.` : `${file.name} opened.`;
  const changes = new Map([[field, text]]);
  if (field === "responses_text") changes.set("answer", "mine");
  putAll(changes, told);
  judge.now();
}

const holdsFiles = ({ dataTransfer }) => dataTransfer?.types.includes("Files");

function startDrops() {
  const { dataset } = document.documentElement;
  // Before the editors, which would put the file in at the caret.
  addEventListener("dragover", (event) => {
    if (!holdsFiles(event)) return;
    event.preventDefault();
    event.stopPropagation();
    event.dataTransfer.dropEffect = "copy";
    dataset.dropping = "";
  }, { capture: true });
  addEventListener("dragleave", (event) => {
    if (event.relatedTarget === null) delete dataset.dropping;
  }, { capture: true });
  addEventListener("drop", (event) => {
    delete dataset.dropping;
    if (!holdsFiles(event)) return;
    event.preventDefault();
    event.stopPropagation();
    const [file] = event.dataTransfer.files;
    if (file) open(file, fieldAt(event.target));
  }, { capture: true });
}

export function start() {
  const input = document.querySelector("[data-file]");
  input.addEventListener("change", () => {
    const [file] = input.files;
    if (file) open(file, fieldAt(null));
    input.value = "";
  });
  document.addEventListener("click", ({ target }) => {
    if (target.closest("[data-open]")) input.click();
    if (target.closest("[data-save]")) save();
    if (target.closest("[data-share]")) share();
    if (target.closest("[data-copy-link]")) copyLink();
  });
  addEventListener("hashchange", readLink);
  startDrops();
}
