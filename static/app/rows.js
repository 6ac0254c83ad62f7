// A list of any length of which only the rows in sight stand in the page. Every
// row is as high as the first; two gaps keep the room of the others.

const AHEAD = 12;

/**
 * Rows in `list`, which scrolls in `scroller`.
 *
 * `make(item)` builds the element of a row, with one button in it; `gap` names
 * the element of a gap; `onWindow(items)` hears what is in sight before it is drawn.
 */
export function rows({ scroller, list, gap, make, buttonOf, onWindow = () => false }) {
  const [above, below] = [document.createElement(gap), document.createElement(gap)];
  for (const each of [above, below]) {
    each.className = "gap";
    each.setAttribute("aria-hidden", "true");
  }
  list.replaceChildren(above, below);
  scroller.tabIndex = -1;
  let items = [];
  let drawn = new Map();
  let height = 0;
  let active = 0;
  let planned = 0;

  const offset = () => list.getBoundingClientRect().top - scroller.getBoundingClientRect().top + scroller.scrollTop;

  function drop(place) {
    const row = drawn.get(place);
    if (row.contains(document.activeElement)) scroller.focus({ preventScroll: true });
    row.remove();
    drawn.delete(place);
  }

  function clear() {
    for (const place of [...drawn.keys()]) drop(place);
    height = 0;
  }

  function measure() {
    if (height || items.length === 0) return;
    onWindow(items.slice(0, 1));
    const row = make(items[0], 0);
    list.insertBefore(row, below);
    height = row.offsetHeight;
    row.remove();
  }

  function draw() {
    planned = 0;
    if (!scroller.isConnected) {
      resizes.disconnect();
      return;
    }
    measure();
    if (!height) {
      above.style.height = below.style.height = "0";
      return;
    }
    const top = scroller.scrollTop - offset();
    const seen = Math.max(scroller.clientHeight, 1);
    const most = Math.max(0, items.length - 1);
    const first = Math.min(Math.max(Math.floor(top / height), 0), most);
    const last = Math.min(first + Math.ceil(seen / height), most);
    const from = Math.max(0, first - AHEAD);
    const to = Math.min(items.length, last + AHEAD + 1);
    if (onWindow(items.slice(first, last + 1))) for (const place of [...drawn.keys()]) drop(place);
    for (const place of [...drawn.keys()]) if (place < from || place >= to) drop(place);
    above.style.height = `${from * height}px`;
    below.style.height = `${(items.length - to) * height}px`;
    let next = drawn.size ? drawn.get(Math.min(...drawn.keys())) : below;
    for (let place = from; place < to; place += 1) {
      let row = drawn.get(place);
      if (!row) {
        row = make(items[place], place, items.length);
        buttonOf(row).dataset.place = place;
        drawn.set(place, row);
        list.insertBefore(row, next);
      }
      next = row.nextSibling;
    }
    active = Math.min(active, most);
    const stop = drawn.has(active) && active >= first && active <= last ? active : first;
    for (const [place, row] of drawn) buttonOf(row).tabIndex = place === stop ? 0 : -1;
  }

  const plan = () => { planned ||= requestAnimationFrame(draw); };

  /** Bring a place into sight, and give it the focus if asked. */
  function show(place, { focus = false } = {}) {
    if (place < 0 || place >= items.length) return;
    active = place;
    measure();
    const start = offset();
    const head = start > 0 && scroller !== list ? list.parentElement.tHead?.offsetHeight ?? 0 : 0;
    const top = start + place * height;
    if (top - head < scroller.scrollTop) scroller.scrollTop = top - head;
    else if (top + height > scroller.scrollTop + scroller.clientHeight) scroller.scrollTop = top + height - scroller.clientHeight;
    draw();
    if (focus) buttonOf(drawn.get(place))?.focus({ preventScroll: true });
  }

  scroller.addEventListener("scroll", plan, { passive: true });
  const resizes = new ResizeObserver(() => {
    height = 0;
    plan();
  });
  resizes.observe(scroller);
  scroller.addEventListener("focusin", ({ target }) => {
    if (target.dataset.place) active = Number(target.dataset.place);
  });
  scroller.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || items.length === 0) return;
    const page = Math.max(1, Math.floor(scroller.clientHeight / (height || 1)) - 1);
    const to = {
      ArrowDown: active + 1, ArrowUp: active - 1, PageDown: active + page, PageUp: active - page, Home: 0, End: items.length - 1,
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    show(Math.min(Math.max(to, 0), items.length - 1), { focus: true });
  });

  return {
    /** Show these items instead; `again` keeps the place that is in sight. */
    set(next, { again = false } = {}) {
      items = next;
      clear();
      if (!again) {
        scroller.scrollTop = 0;
        active = 0;
      }
      draw();
    },
    redraw() {
      const held = list.contains(document.activeElement);
      clear();
      draw();
      if (held) buttonOf(drawn.get(active))?.focus({ preventScroll: true });
    },
    show,
    get drawn() {
      return drawn.values();
    },
  };
}
