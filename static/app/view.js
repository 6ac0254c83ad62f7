// Looks that need no server: tabs, folded panels, theme, menus, copying.

import * as fields from "./fields.js";
import * as store from "./store.js";

const { form } = fields;
const { looks, saveLooks } = store;

const all = (selector) => [...document.querySelectorAll(selector)];

// ---- the polite voice ---------------------------------------------------------------

let fading = 0;

export function toast(text) {
  const place = document.getElementById("toast");
  place.textContent = text;
  clearTimeout(fading);
  fading = setTimeout(() => { place.textContent = ""; }, 4000);
}

const hiddenText = (element) => (element.content ?? element).textContent;

/** Say what was done, beside an Undo; an empty text takes it away. */
export function notice(text) {
  const place = document.getElementById("notice");
  place.querySelector("[data-notice-text]").textContent = text;
  place.hidden = text === "";
}

export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    toast(`Copied, ${text.length} characters.`);
  } catch {
    toast("This browser does not let the page copy. Select the text and press Ctrl+C.");
  }
}

const copy = (name) => copyText(name.startsWith("#") ? hiddenText(document.querySelector(name)) : fields.get(name));

// ---- tabs -----------------------------------------------------------------------------

export function openTab(name, { focus = false } = {}) {
  if (!document.querySelector(`[data-tab-button="${CSS.escape(name)}"]`)) return;
  for (const tab of all("[role=tab]")) {
    const open = tab.dataset.tabButton === name;
    tab.setAttribute("aria-selected", String(open));
    tab.tabIndex = open ? 0 : -1;
    if (open && focus) tab.focus();
  }
  for (const body of all("[data-tab]")) body.hidden = body.dataset.tab !== name;
  saveLooks({ tab: name });
  document.dispatchEvent(new CustomEvent("workbench:tab"));
}

export const openedTab = () => document.querySelector("[role=tab][aria-selected=true]")?.dataset.tabButton;

function startTabs() {
  const asked = new URLSearchParams(location.search).get("tab");
  const first = document.querySelector("[role=tab][aria-selected=true]")?.dataset.tabButton ?? "contract";
  openTab(asked ?? looks.tab ?? first);
}

// ---- panels folded to their heads, and their height ------------------------------------

function fold(folded) {
  form.toggleAttribute("data-folded", folded);
  for (const button of all("[data-fold]")) {
    button.setAttribute("aria-expanded", String(!folded));
    const word = button.querySelector("[data-fold-word]") ?? button;
    word.textContent = folded ? "Show panels" : "Fold panels";
  }
}

export function unfold() {
  if (!form.hasAttribute("data-folded")) return;
  fold(false);
  saveLooks({ folded: false });
}

const LOW = 240;
const HIGH = 2000;

/** Height of the panels in CSS pixels; 0 leaves it to the style sheet. */
function panelsHeight(pixels) {
  const divider = document.querySelector("[data-divider]");
  const height = pixels && Math.round(Math.min(Math.max(pixels, LOW), HIGH));
  const { style } = document.documentElement;
  if (height) style.setProperty("--panels-height", `${height}px`);
  else style.removeProperty("--panels-height");
  divider.setAttribute("aria-valuemin", LOW);
  divider.setAttribute("aria-valuemax", HIGH);
  divider.setAttribute("aria-valuenow", height || divider.previousElementSibling.offsetHeight);
  return height;
}

function startDivider() {
  panelsHeight(looks.height > 0 ? looks.height : 0);
  const dividerOf = ({ target }) => target.closest("[data-divider]");
  const keep = (pixels) => saveLooks({ height: panelsHeight(pixels) });
  document.addEventListener("pointerdown", (event) => {
    const divider = dividerOf(event);
    if (!divider) return;
    event.preventDefault();
    const { top } = divider.previousElementSibling.getBoundingClientRect();
    const drag = (move) => panelsHeight(move.clientY - top);
    divider.setPointerCapture(event.pointerId);
    divider.addEventListener("pointermove", drag);
    divider.addEventListener("lostpointercapture", (end) => {
      divider.removeEventListener("pointermove", drag);
      keep(end.clientY - top);
    }, { once: true });
  });
  document.addEventListener("dblclick", (event) => {
    if (dividerOf(event)) keep(0);
  });
  document.addEventListener("keydown", (event) => {
    const by = { ArrowUp: -24, ArrowDown: 24, PageUp: -96, PageDown: 96, Home: -HIGH, End: HIGH }[event.key];
    const divider = by && dividerOf(event);
    if (!divider) return;
    event.preventDefault();
    keep(divider.previousElementSibling.offsetHeight + by);
  });
}

// ---- theme ------------------------------------------------------------------------------

const THEMES = ["system", "light", "dark"];
const chosenTheme = () => (THEMES.includes(looks.theme) ? looks.theme : "system");

function theme(name) {
  if (name === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = name;
  for (const button of all("[data-theme-switch]")) {
    button.setAttribute("aria-label", `Theme: ${name}`);
    button.title = `Theme: ${name}`;
    const word = button.querySelector("[data-theme-word]");
    if (word) word.textContent = name;
  }
}

// ---- menus, lists ---------------------------------------------------------------------------

/** Close the open menu and give the focus back. Returns whether one was open. */
export function closeMenu() {
  const menu = document.querySelector("details.menu[open]");
  if (!menu) return false;
  const inside = menu.contains(document.activeElement);
  menu.open = false;
  if (inside) menu.querySelector("summary").focus();
  return true;
}

const ROWS = ".finding, .pair-note, .call > details > summary, [data-row]";
const LISTS = ".rows";
const rowsOf = (list) => [...list.querySelectorAll(ROWS)];

/** A list is one stop for Tab: the row that had the focus last, else the first. */
function oneStop(list, row) {
  for (const other of rowsOf(list)) other.tabIndex = other === row ? 0 : -1;
}

const KEYS = {
  ArrowDown: (at) => at + 1, ArrowUp: (at) => at - 1, Home: () => 0, End: (_, last) => last,
};

function moveInList(event) {
  const row = event.target.closest(ROWS);
  const list = row?.closest(LISTS);
  if (!list) return;
  const rows = rowsOf(list).filter((other) => other.checkVisibility());
  const to = rows[KEYS[event.key]?.(rows.indexOf(row), rows.length - 1)];
  const details = row.matches("summary") && row.parentElement;
  if (to) to.focus();
  else if (details && event.key === "ArrowRight" && !details.open) row.click();
  else if (details && event.key === "ArrowLeft" && details.open) row.click();
  else return;
  event.preventDefault();
}

function moveInTabs(event) {
  const tab = event.target.closest("[role=tab]");
  if (!tab) return;
  const tabs = all("[role=tab]");
  const at = tabs.indexOf(tab);
  const to = {
    ArrowRight: tabs[(at + 1) % tabs.length], ArrowLeft: tabs.at(at - 1), Home: tabs[0], End: tabs.at(-1), " ": tab,
  }[event.key];
  if (!to) return;
  event.preventDefault();
  openTab(to.dataset.tabButton, { focus: true });
}

/** Enter in a one-line field presses the button it stands beside, not the first one of the page. */
function enterInField(event) {
  if (event.key !== "Enter" || !event.target.matches("input") || event.target.form !== form) return;
  event.preventDefault();
  const button = event.target.closest("[data-enter]")?.querySelector("button[type=submit]");
  form.requestSubmit(button);
}

// ---- wiring --------------------------------------------------------------------------------

/** After a swap: what the answer cannot know. */
export function redraw() {
  fold(form.hasAttribute("data-folded"));
  for (const list of all(LISTS)) {
    const rows = rowsOf(list);
    oneStop(list, rows.find((row) => row === document.activeElement) ?? rows[0]);
  }
}

export function start() {
  theme(chosenTheme());
  fold(looks.folded === true);
  delete document.documentElement.dataset.folded;  // theme.js set it before there was a form
  startTabs();
  startDivider();
  redraw();

  document.addEventListener("click", (event) => {
    const on = (selector) => event.target.closest(selector);
    const menu = document.querySelector("details.menu[open]");
    if (menu && (!menu.contains(event.target) || on("button"))) menu.open = false;

    const tab = on("[data-tab-button]");
    if (tab) {
      event.preventDefault();
      openTab(tab.dataset.tabButton, { focus: !tab.matches("[role=tab]") });
    }
    const source = on("[data-copy]");
    if (source) copy(source.dataset.copy);
    if (on("[data-fold]")) {
      fold(!form.hasAttribute("data-folded"));
      saveLooks({ folded: form.hasAttribute("data-folded") });
    } else if (on("[data-panel]")) unfold();
    if (on("[data-theme-switch]")) {
      const next = THEMES[(THEMES.indexOf(chosenTheme()) + 1) % THEMES.length];
      theme(next);
      saveLooks({ theme: next });
    }
    if (on("[data-forget]")) document.getElementById("forget").showModal();
    const like = on("[data-like]");
    if (like) document.querySelector(`.top-tools [data-${like.dataset.like}]`).click();
  });
  document.getElementById("forget").addEventListener("close", ({ target }) => {
    if (target.returnValue !== "forget") return;
    store.forget();
    location.reload();
  });
  document.addEventListener("focusin", ({ target }) => {
    const list = target.closest(LISTS);
    if (list && target.matches(ROWS)) oneStop(list, target);
  });
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    moveInList(event);
    moveInTabs(event);
    enterInField(event);
  });
}
