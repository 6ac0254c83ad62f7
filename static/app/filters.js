// Chips and a search over the rows of a list. Without script the server does the same, in the same words.

const lists = () => document.querySelectorAll("[data-filtered]");
const chipsOf = (list) => [...list.querySelectorAll("[data-filter]")];

/** Show the rows that the pressed chip and the search leave. */
function apply(list) {
  const tag = chipsOf(list).find((chip) => chip.getAttribute("aria-pressed") === "true")?.dataset.filter ?? "all";
  const words = list.querySelector("[data-find]")?.value.trim().toLowerCase() ?? "";
  if ("virtual" in list.dataset) {
    list.dispatchEvent(new CustomEvent("filter", { bubbles: true, detail: { tag, words } }));
    return;
  }
  const rows = [...list.querySelectorAll("[data-tags]")];
  let matches = true;
  let shown = 0;
  let total = 0;
  for (const row of rows) {
    // An opened row follows the one that it belongs to.
    if (!row.matches(".case-open")) {
      matches = (tag === "all" || row.dataset.tags.split(" ").includes(tag)) && (!words || row.textContent.toLowerCase().includes(words));
      total += 1;
      shown += Number(matches);
    }
    row.hidden = !matches;
  }
  for (const place of list.querySelectorAll("[data-shown]")) {
    const text = shown === total ? "" : `${shown.toLocaleString("en")} of ${total.toLocaleString("en")} shown`;
    if (place.textContent !== text) place.textContent = text;
  }
  for (const place of list.querySelectorAll("[data-none]")) place.hidden = shown > 0 || total === 0;
}

function press(list, chip) {
  for (const other of chipsOf(list)) {
    other.setAttribute("aria-pressed", String(other === chip));
    other.tabIndex = other === chip ? 0 : -1;
  }
  apply(list);
}

/** After a new verdict: the chips are one stop for Tab, and what is filtered stays so. */
export function redraw() {
  for (const list of lists()) {
    const chips = chipsOf(list);
    if (chips.length === 0) continue;
    const pressed = chips.find((chip) => chip.getAttribute("aria-pressed") === "true") ?? chips[0];
    press(list, pressed);
  }
}

function move(event) {
  const chip = event.target.closest("[data-filter]");
  const by = { ArrowRight: 1, ArrowLeft: -1, Home: -Infinity, End: Infinity }[event.key];
  if (!chip || !by) return;
  event.preventDefault();
  const chips = chipsOf(chip.closest("[data-filtered]"));
  chips[Math.min(Math.max(chips.indexOf(chip) + by, 0), chips.length - 1)].focus();
}

export function start() {
  redraw();
  document.addEventListener("click", (event) => {
    const chip = event.target.closest("[data-filter]");
    const all = event.target.closest("[data-show-all]");
    const list = (chip ?? all)?.closest("[data-filtered]");
    if (!list) return;
    event.preventDefault();
    if (all) {
      list.querySelector("[data-find]").value = "";
      list.querySelector("[data-find]").focus();
    }
    press(list, chip ?? chipsOf(list)[0]);
  });
  document.addEventListener("input", ({ target }) => {
    if (target.matches("[data-find]")) apply(target.closest("[data-filtered]"));
  });
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Enter" && event.target.matches("[data-find]")) event.preventDefault();
    move(event);
  });
}
