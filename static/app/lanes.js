// Swimlanes: the course of an entry as marks and spans on the axis that all share.

const SVG = "http://www.w3.org/2000/svg";
const MARKS = { c: "call", r: "result", e: "error", x: "cancel", d: "late", "|": "stop" };
const TURNS = 24;
/** From so many frames on, the axis follows the entries in sight. */
const FOLLOWS = 400;

export function svg(tag, attributes, ...inside) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...inside);
  return element;
}

export const courseOf = (lane) => lane.split(" ").map((piece) => ({ look: piece[0], at: piece.length > 1 ? Number(piece.slice(1)) : null }));

/** The smallest of 1, 2, 5, 10 … (and their parts) that gives at most `most` numbers. */
function stepOf(width, most, whole) {
  for (let size = whole ? 1 : 0.001; ; size *= 10) {
    for (const factor of [1, 2, 5]) if (width / (size * factor) < most) return size * factor;
  }
}

/** The axis of these courses in a session of `total` frames, `seconds` where they came with times. */
export function axisOf(courses, total, seconds) {
  let [low, high] = [0, Math.max(0, total - 1)];
  if (total > FOLLOWS && courses.length) {
    const known = courses.flat().map(({ at }) => at).filter((at) => at !== null);
    [low, high] = [Math.min(...known), Math.max(...known)];
  }
  const place = (at) => (seconds ? seconds[at] : at);
  const start = place(low);
  const width = Math.max(place(high) - start, seconds ? 0.001 : 1);
  const edge = seconds ? width / 40 : 0.5;
  const percent = (value) => `${Math.min(100, Math.max(0, ((value - start + edge) / (width + 2 * edge)) * 100)).toFixed(2)}%`;
  return { low, high, start, width, whole: !seconds, x: (at) => percent(place(at)), percent };
}

export function laneOf(course, label, axis) {
  const at = (each) => (each.at === null ? "100%" : axis.x(each.at));
  const lane = svg("svg", { class: "lane", role: "img", "aria-label": label });
  lane.append(svg("use", { href: "#lane-turns" }), svg("line", { class: "lane-base", x1: "0", x2: "100%", y1: "50%", y2: "50%" }));
  course.slice(1).forEach((each, number) => {
    const open = each.look === "|" || course[number].look === "x";
    lane.append(svg("line", { class: open ? "lane-open" : "lane-span", x1: at(course[number]), x2: at(each), y1: "50%", y2: "50%" }));
  });
  for (const each of course) {
    lane.append(svg("use", { href: `#lane-${MARKS[each.look]}`, x: at(each), y: "50%" }));
  }
  return lane;
}

/** Draw numbers and turns of an axis into `head`, and give the lines that stand across all lanes. */
export function drawAxis(head, axis, moments) {
  const { width } = head.getBoundingClientRect();
  const digits = String(Math.round(axis.start + axis.width)).length + (axis.whole ? 0 : 3);
  const most = Math.max(2, Math.min(11, Math.floor(width / (digits * 8 + 12))));
  const step = stepOf(axis.width, most, axis.whole);
  const parts = [];
  for (let number = Math.ceil(axis.start / step) * step; number <= axis.start + axis.width; number += step) {
    parts.push(svg("text", { x: axis.percent(number), y: "32" }, Number(number.toFixed(3)).toLocaleString("en")));
  }
  const turns = moments.filter(([at]) => at >= axis.low && at <= axis.high);
  let free = -Infinity;
  for (const [at, what] of turns.length <= TURNS ? turns : []) {
    const x = (parseFloat(axis.x(at)) / 100) * width;
    if (x - 30 < free || x + 30 > width + 12) continue;
    free = x + 34;
    parts.push(svg("text", { class: "lane-what", x: axis.x(at), y: "13" }, what));
  }
  head.replaceChildren(...parts);
  const lines = turns.length <= TURNS
    ? turns.map(([at]) => svg("line", { class: "lane-turn", x1: axis.x(at), x2: axis.x(at), y1: "0", y2: "100%" })) : [];
  return svg("symbol", { id: "lane-turns" }, ...lines);
}
