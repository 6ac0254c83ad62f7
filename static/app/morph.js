// How htmx puts an answer into the page.

// What a person opened or chose belongs to the client: an answer that says
// otherwise does not change it back.
const TAB_STATE = new Set(["aria-selected", "tabindex", "hidden"]);
const touched = new WeakSet();

document.addEventListener("click", (event) => {
  const summary = event.target.closest("summary");
  if (summary) touched.add(summary.parentElement);
});

function isOurs(element, name) {
  if (name === "open") return touched.has(element);
  return TAB_STATE.has(name) && element.matches("[role=tab], [role=tabpanel]");
}

/** Register the extension that the page's htmx-config names. The server escapes all it sends; this policy says so. */
export function register() {
  window.htmx.registerExtension("trusted-html", {
    init: (api) => api.initSecurity(
      window.trustedTypes ? window.trustedTypes.createPolicy("htmx", { createHTML: (html) => html }) : null),
    htmx_before_morph_attr: (element, { attrName }) => !isOurs(element, attrName),
  });
}
