"""Pasted keys, values, ids and names never become markup: the page has the elements of a harmless paste."""

from __future__ import annotations

import json
from collections import Counter

from playwright.sync_api import expect

from tests.conftest import Server
from tests.desk import Desk

HARM = "document.title='pwned'"
SPELLS = [
    # elements that act by themselves
    f"<script>{HARM}</script>",
    f"</script><script>{HARM}</script>",
    f"<script src=data:text/javascript,{HARM}></script>",
    f"<SCRIPT>{HARM}</SCRIPT>",
    f"<scr<script>ipt>{HARM}</scr</script>ipt>",
    f"<img src=x onerror={HARM}>",
    f"<img/src=x/onerror={HARM}>",
    f"<IMG SRC=x OnErRoR={HARM}>",
    f'<img src="x" onerror="{HARM}">',
    f"<img src=x onerror={HARM}//",
    f"<svg onload={HARM}>",
    f"<svg/onload={HARM}>",
    f"<svg><script>{HARM}</script></svg>",
    f"<svg><animate onbegin={HARM} attributeName=x dur=1s>",
    f"<svg><a xlink:href=javascript:{HARM}><text>x</text></a></svg>",
    f"<svg><use href=data:image/svg+xml,{HARM}></svg>",
    f"<math><mtext></mtext><mglyph><style><img src=x onerror={HARM}>",
    f"<math href=javascript:{HARM}>x</math>",
    f"<body onload={HARM}>",
    f"<iframe src=javascript:{HARM}></iframe>",
    f"<iframe srcdoc='<script>parent.{HARM}</script>'></iframe>",
    f"<object data=javascript:{HARM}></object>",
    f"<embed src=javascript:{HARM}>",
    f"<video><source onerror={HARM}></video>",
    f"<audio src=x onerror={HARM}>",
    f"<input autofocus onfocus={HARM}>",
    f"<select autofocus onfocus={HARM}></select>",
    f"<textarea autofocus onfocus={HARM}></textarea>",
    f"<details open ontoggle={HARM}>x</details>",
    f"<marquee onstart={HARM}>x</marquee>",
    f"<a href=javascript:{HARM}>x</a>",
    f"<form action=javascript:{HARM}><button>x</button></form>",
    f"<button formaction=javascript:{HARM}>x</button>",
    f"<isindex action=javascript:{HARM}>",
    f"<dialog open onfocus={HARM}>x</dialog>",
    f"<p style=animation:x onanimationstart={HARM}>",
    "<style>*{display:none}</style>",
    "<link rel=stylesheet href=//evil.test/x.css>",
    "<base href=//evil.test/>",
    "<meta http-equiv=refresh content='0;url=//evil.test'>",
    "<!--<i>",
    "--><i>",
    "<![CDATA[<i>]]>",
    "]]><i>",
    "<?xml version='1.0'?><i>",
    # ways out of an attribute, an element, a template
    "'\"><i a='",
    '"><i a="',
    f'" onmouseover="{HARM}',
    f"' onmouseover='{HARM}",
    f'" autofocus onfocus="{HARM}" x="',
    "</textarea><i>",
    "</template><i>",
    "</pre></code></span></li></ul></section><i>",
    "</title><i>",
    "</option></select><i>",
    "{{ 7 * 7 }}<i>",
    "{% if 1 %}<i>{% endif %}",
    "${7*7}<i>",
    "&lt;i&gt;<i>",
    "&#60;i&#62;",
    "%3Ci%3E",
    "\\u003ci\\u003e",
    "＜i＞",
    # what htmx would obey
    "<div id=panels hx-swap-oob=true><i></div>",
    "<hx-partial hx-target='#panels'><i></hx-partial>",
    '"><button name=edit value="clear:calls_text" hx-trigger=load hx-post=/panels>',
    "' hx-get='/static/app.js' hx-trigger='load' x='",
    "<div hx-on:load='document.title=1'>",
    "<template data-edit=calls_text>x</template>",
    "javascript:document.title=1",
]

_ELEMENTS = """() => {
    const found = [];
    const walk = root => {
        for (const element of root.querySelectorAll("*")) {
            found.push(element.localName + " " + element.getAttributeNames().sort().join(" "));
            if (element.shadowRoot && !element.matches("[data-editor]")) walk(element.shadowRoot);
            if (element.localName === "template") walk(element.content);
        }
    };
    walk(document);
    return found;
}"""
"""Every element of the page with the names of its attributes; the editors draw theirs by their own rules."""

_IN_EDITORS = """() => [...document.querySelectorAll("[data-editor]")].flatMap(host =>
    [...(host.shadowRoot ?? host).querySelectorAll("*")].map(element => element.localName))"""


def harmless(spell: str) -> str:
    """A text of the same length, and unlike any other, that means nothing to a browser."""
    return spell.translate(str.maketrans("<>&=/\"'", "()+:|~,"))


def texts(spells: list[str]) -> dict[str, str]:
    """Frames, answers and a contract with each spell as id, name, key and value; some calls are refused."""
    calls = [
        {"id": f"{index} {spell}", "name": f"{index} {spell}", "args": {spell: spell, "n": [spell]}}
        for index, spell in enumerate(spells)
    ]
    answers = [
        {"id": call["id"], "name": call["name"], "response": {"result": {"spell": call["args"]}}}
        for call in calls[::2]
    ]
    contracts = [
        {
            "name": call["name"],
            "description": spell,
            "parameters": {
                "type": "object",
                "title": spell,
                "properties": {spell: {"enum": ["other" if index % 2 else spell, spell + "!"]}},
                "additionalProperties": index % 4 > 1,
            },
        }
        for index, (spell, call) in enumerate(zip(spells, calls, strict=True))
    ]
    return {
        "contracts_text": json.dumps(contracts),
        "calls_text": json.dumps({"toolCall": {"functionCalls": calls}}),
        "responses_text": json.dumps({"toolResponse": {"functionResponses": answers}}),
    }


def fill(desk: Desk, spells: list[str], first: str) -> Counter[str]:
    """Paste, pin and add the spells everywhere; return the elements that the page then has."""
    for field, text in texts(spells).items():
        desk.paste(field, text)
    desk.open_tab("cases")
    desk.page.get_by_label("Name of the case").fill(first)
    desk.paste_into(desk.page.get_by_label("Payload of the case"), json.dumps({first: first}))
    desk.press("Pin case", desk.tab("cases"))
    expect(desk.tab("cases").locator("tr.case")).to_have_count(6)
    expect(desk.strip).to_contain_text(first)
    desk.open_tab("samples")
    desk.paste_into(desk.page.get_by_label("New samples"), "\n".join(json.dumps({s: s}) for s in spells))
    desk.press("Add", desk.tab("samples"))
    expect(desk.panel("args").locator("li.call")).to_have_count(len(spells))
    desk.panel("toolCall").locator("button.finding").last.click()
    elements = Counter(desk.page.evaluate(_ELEMENTS))
    assert isinstance(elements, Counter)
    return elements


def test_no_pasted_text_becomes_markup(desk: Desk, server: Server) -> None:
    assert len(set(SPELLS)) >= 60
    plain = [harmless(spell) for spell in SPELLS]
    first = "'\"><img src=x onerror=document.title=1>"
    usual = fill(desk, plain, harmless(first))
    desk.page.get_by_role("button", name="Forget").click()
    with desk.page.expect_navigation():
        desk.page.locator("#forget").get_by_role("button", name="Forget").click()
    desk.settle()
    cast = fill(desk, SPELLS, first)
    assert cast - usual == Counter()
    assert usual - cast == Counter()

    in_editors = set(desk.page.evaluate(_IN_EDITORS))
    assert in_editors <= {"div", "span", "svg", "path", "style", "br", "textarea", "img"}
    assert desk.page.title() == "Toolcall Workbench"
    assert desk.page.url.rstrip("/") == server.url
    assert desk.dialogs == []
    # What was pasted is there to be read, letter by letter.
    expect(desk.panel("args").locator(".call-name").nth(5)).to_have_text(f"5 {SPELLS[5]}")
    assert desk.text("calls_text") == texts(SPELLS)["calls_text"]


def test_spells_alone_in_every_field_stay_text(desk: Desk) -> None:
    """Each as a broken frame, answer and contract, whose words the messages repeat."""
    forbidden = desk.page.locator(
        "i, iframe, object, embed, base, img, marquee, hx-partial, main script, form form"
    )
    for spell in SPELLS[::10]:
        for field in ("contracts_text", "calls_text", "responses_text"):
            desk.paste(field, spell)
        expect(desk.panel("toolCall")).to_have_attribute("data-status", "red")
        expect(desk.editor("calls_text").locator(".cm-content")).to_have_text(spell)
        expect(forbidden).to_have_count(0)
    assert desk.page.title() == "Toolcall Workbench"


def test_what_is_kept_comes_back_as_text(desk: Desk) -> None:
    for field, text in texts(SPELLS[:12]).items():
        desk.paste(field, text)
    desk.page.reload()
    desk.settle()
    expect(desk.panel("args").locator("li.call")).to_have_count(12)
    expect(desk.page.locator("main script, main img, main iframe")).to_have_count(0)
    assert desk.page.title() == "Toolcall Workbench"
