// How htmx puts an answer into the page.

// What a person opened or chose belongs to the client: an answer that says
// otherwise does not change it back.
const TAB_STATE = new Set(["aria-selected", "tabindex", "hidden"]);
const JUDGING_STATE = new Set(["data-judging", "data-busy"]);
const DIVIDER_STATE = new Set(["aria-valuenow", "aria-valuemin", "aria-valuemax"]);
const touched = new WeakSet();

document.addEventListener("click", (event) => {
  const summary = event.target.closest("summary");
  if (summary) touched.add(summary.parentElement);
});

function isOurs(element, name) {
  if (name === "open") return touched.has(element);
  if (JUDGING_STATE.has(name)) return element.id === "panels";
  if (DIVIDER_STATE.has(name)) return element.matches("[data-divider]");
  if (name === "data-view") return element.id === "session";
  if (name === "aria-pressed") return element.matches("[data-filter], [name=session_view]");
  return TAB_STATE.has(name) && element.matches("[role=tab], [role=tabpanel], [data-panel], [data-filter], [data-tags], [data-none]");
}

// Focus survives where what it stood on is hidden while judging, or drawn anew.

const SAME = [
  [".finding", ({ dataset }) => `.finding[data-fid="${CSS.escape(dataset.fid)}"]`],
  ["summary", ({ parentElement }) => `#${CSS.escape(parentElement.id)} > summary`],
  ["[aria-label]", (element) => `[aria-label="${CSS.escape(element.getAttribute("aria-label"))}"]`],
  ["button[value]", ({ value }) => `button[value="${CSS.escape(value)}"]`],
  ["[data-pointer] *", (element) => `[data-pointer="${CSS.escape(element.closest("[data-pointer]").dataset.pointer)}"] button`],
];
let lost = [];

/** Note where the focus stands, before it may be lost. */
export function holdFocus() {
  const { activeElement: element } = document;
  if (element === document.body) return;
  lost = element.closest("#panels") ? SAME.filter(([kind]) => element.matches(kind)).map(([, same]) => same(element)) : [];
}

function refocus() {
  if (document.activeElement !== document.body) return;
  const again = lost.map((same) => document.querySelector(`#panels ${same}`)).find(Boolean);
  if (again) again.focus({ preventScroll: true });
}

// A large answer goes into the page part by part, so that a key pressed meanwhile need not wait for all of it.

const PARTS = "[data-panel], [data-tab]";
let api = null;
let mayDraw = () => true;
let later = null;

/** Tell whether an answer may still be drawn, and whether its parts should wait for `parts()`. */
export function expect({ current, inParts }) {
  mayDraw = current;
  later = inParts ? [] : null;
}

/** The parts that wait: a function each, that draws it. */
export function parts() {
  const waiting = later ?? [];
  later = null;
  return waiting.map(([old, fresh]) => () => {
    const fragment = document.createDocumentFragment();
    fragment.append(fresh);
    api.morph(old, fragment, false);
  });
}

function beforeNode(element, { newNode }) {
  if (element.id === "panels" && !mayDraw()) return false;
  if (!later || !element.matches(PARTS)) return true;
  later.push([element, newNode]);
  return false;
}

/** Register the extension that the page's htmx-config names. The server escapes all it sends; this policy says so. */
export function register() {
  window.htmx.registerExtension("trusted-html", {
    init(internals) {
      api = internals;
      api.initSecurity(window.trustedTypes ? window.trustedTypes.createPolicy("htmx", { createHTML: (html) => html }) : null);
    },
    htmx_before_morph_node: beforeNode,
    htmx_before_morph_attr: (element, { attrName }) => !isOurs(element, attrName),
    htmx_before_swap: holdFocus,
    htmx_after_swap: refocus,
  });
}
