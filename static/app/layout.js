// JSON text laid out as lines of coloured tokens. Only white space changes: every token stands as it was pasted.

const TOKEN = /"(?:[^"\\]|\\.)*"?|[{}[\],:]|[^\s{}[\],:"]+/gs;
const LONG = 1_000;
const SHOWN = 120;
const DEEPEST = 40;
/** Most characters that are laid out; a screen shows a fraction of them. */
export const MOST = 65_536;

/** Lines of a JSON text: `{indent, tokens: [{kind, text, start}]}`, kind being key, str, lit or empty. */
function linesOf(text) {
  const lines = [];
  let line = null;
  let depth = 0;
  const begin = () => lines.push(line = { indent: Math.min(2 * depth, DEEPEST), tokens: [] });
  const add = (kind, token, start) => line.tokens.push({ kind, text: token, start });
  begin();
  let before = "";
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    const closes = token === "}" || token === "]";
    if (closes) {
      depth = Math.max(0, depth - 1);
      if (before !== "{" && before !== "[") begin();
    } else if (before === "{" || before === "[" || before === ",") begin();
    add(token[0] === '"' ? "str" : "{}[],:".includes(token) ? "" : "lit", token, index);
    if (token === ":") {
      const key = line.tokens.at(-2);
      if (key?.kind === "str") key.kind = "key";
      line.tokens.at(-1).text = ": ";
    }
    if (token === "{" || token === "[") depth += 1;
    before = token;
  }
  return lines;
}

export function sizeOf(characters) {
  if (characters < 1024) return `${characters} characters`;
  return characters < 1024 * 1024 ? `${Math.floor(characters / 1024)} KB` : `${(characters / 1024 / 1024).toFixed(1)} MB`;
}

const make = (tag, name, text) => {
  const element = document.createElement(tag);
  if (name) element.className = name;
  if (text !== undefined) element.textContent = text;
  return element;
};

function tokenOf({ kind, text }, mark) {
  const part = mark ? make("mark", `${kind || "pun"} is-${mark.severity}`) : kind ? make("span", kind) : document.createDocumentFragment();
  if (mark) part.dataset.fid = mark.fid;
  if (text.length <= LONG) {
    part.append(text);
    return part;
  }
  part.append(text.slice(0, SHOWN));
  const all = document.createDocumentFragment();
  const rest = make("details", "long");
  rest.append(make("summary", "", sizeOf(text.length)), text.slice(SHOWN));
  all.append(part, rest);
  return all;
}

/** Lay out `text`; `marks` are `{start, severity, fid}` by their place in it, `icon(name)` draws one. */
export function layOut(text, marks, icon) {
  const box = make("div", "listing");
  box.tabIndex = 0;
  box.setAttribute("role", "group");
  const waiting = [...marks].sort((a, b) => a.start - b.start);
  linesOf(text.slice(0, MOST)).forEach(({ indent, tokens }, number) => {
    const line = make("div", "line");
    const sign = make("span", "sign");
    const code = make("code", `t in-${indent}`, " ".repeat(indent));
    let worst = null;
    for (const token of tokens) {
      let mark = null;
      while (waiting.length && waiting[0].start < token.start + token.text.length) {
        const next = waiting.shift();
        mark ??= next;
      }
      worst ??= mark;
      code.append(tokenOf(token, mark));
    }
    if (worst) {
      line.classList.add(`is-${worst.severity}`);
      line.dataset.fid = worst.fid;
      sign.append(icon(worst.severity), make("span", "unseen", worst.severity === "info" ? "note" : worst.severity));
    }
    line.append(make("span", "no", String(number + 1)), sign, code);
    box.append(line);
  });
  if (text.length > MOST) box.append(make("p", "more", `and ${sizeOf(text.length - MOST)} more`));
  return box;
}
