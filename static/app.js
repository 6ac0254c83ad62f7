// The client of the workbench page: editors, live judging, links between a
// finding and its places, and what is kept in this browser. The server judges
// and renders; nothing here decides about a verdict. Works on the markup that
// the page has without script, and only adds to it.

import { applyEdits, takeBack } from "./app/edits.js";
import * as fields from "./app/fields.js";
import * as filters from "./app/filters.js";
import * as gallery from "./app/gallery.js";
import * as judge from "./app/judge.js";
import * as keys from "./app/keys.js";
import * as links from "./app/links.js";
import * as morph from "./app/morph.js";
import * as session from "./app/session.js";
import * as share from "./app/share.js";
import * as store from "./app/store.js";
import * as view from "./app/view.js";

const START = { line: 1, column: 1, endLine: 1, endColumn: 1 };

morph.register();
document.documentElement.dataset.js = "";
view.start();
fields.start({
  onChange(name) {
    view.notice("");
    if (name === "session_text") session.changed();
    else judge.changed();
  },
  onPoint: links.point,
});
judge.start({
  afterSwap: ({ command, request, sent }) => [
    view.redraw,
    filters.redraw,
    fields.showBounds,
    () => {
      if (!applyEdits(command, sent)) return;
      clearRow(request.submitter?.closest("[data-enter]"));
      store.save();
    },
    ...links.redrawing(),
    session.follow,
    () => {
      // What is pasted next goes there.
      if (command === "to-session") view.openTab("session", { focus: true });
      if (command === "paste-mine") fields.editors.get("responses_text").goTo(START, { enter: true });
    },
  ],
});
links.start([judge, { ...session, now: session.again }]);
filters.start();
gallery.start();
keys.start();
share.start();
session.start();

/** What was typed into a row for something new is in the texts now. */
function clearRow(row) {
  for (const control of row?.querySelectorAll("input:not([type=radio], [data-bound]), textarea") ?? []) control.value = "";
}

document.addEventListener("click", (event) => {
  if (event.target.closest("[data-undo], [data-take-back]") && takeBack()) judge.now();
});

document.addEventListener("change", ({ target }) => {
  if (target.matches("[data-bound]") && target.value !== target.defaultValue) target.closest("[data-enter]").querySelector("button").click();
});

const restored = store.restore();
share.readLink();
if (restored) judge.now();
else for (const step of links.redrawing()) step();
