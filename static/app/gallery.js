// The Samples menus. A list of a hundred is asked for only when somebody opens one.

let asked = null;

/** All samples: name, format, title, look, and the fields they fill. */
async function samples() {
  const response = await fetch("/api/samples");
  if (!response.ok) throw new Error(response.status);
  return response.json();
}

function make(tag, text, attributes = {}) {
  const element = document.createElement(tag);
  element.textContent = text;
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

/** A heading for each wire format, and a submit button for each sample. */
function rows(list) {
  let format = "";
  return list.flatMap((sample) => {
    const button = make("button", "", { type: "submit", name: "edit", value: `load:${sample.name}` });
    button.append(make("b", sample.title), " ", make("span", sample.look));
    const head = sample.format === format ? [] : [make("h3", sample.format)];
    format = sample.format;
    return [...head, button];
  });
}

async function fill(place) {
  try {
    asked ??= samples();
    const list = await asked;
    place.replaceChildren(...rows(list.filter(({ fills }) => fills.includes(place.dataset.gallery))));
    delete place.dataset.gallery;
  } catch {
    asked = null;
    place.replaceChildren(make("p", "The workbench does not answer. Open the menu again when it does.", { class: "meta" }));
  }
}

/** Fill a menu the first time that it opens. */
export function start() {
  // The event does not bubble.
  document.addEventListener("toggle", ({ target }) => {
    const place = target.open && target.querySelector("[data-gallery]");
    if (place) fill(place);
  }, true);
}
