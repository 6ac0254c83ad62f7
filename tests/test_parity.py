"""The page and the JSON API say the same of every sample."""

from __future__ import annotations

import json
import re
from typing import Any

import httpx
import pytest

from app.web import samples
from tests.gallery import filling

CODE = re.compile(r'data-code="([^"]+)"')


def _contracts(fields: dict[str, str]) -> dict[str, str]:
    """Give a bare schema its name, as the page's name field does."""
    text = fields.get("contracts_text")
    if not text:
        return {}
    bare = "functionDeclarations" not in text
    return {"contracts_text": f'{{"{fields["contract_name"]}": {text}}}' if bare else text}


def _json(client: httpx.Client, verb: str, body: dict[str, Any]) -> dict[str, Any]:
    answer: dict[str, Any] = client.post(f"/api/{verb}", json=body).raise_for_status().json()
    return answer


@pytest.mark.parametrize("name", [sample.name for sample in filling("calls_text", "session_text")])
def test_html_and_json_find_the_same(client: httpx.Client, name: str) -> None:
    sample = samples.load(name)
    assert sample is not None
    fields, contracts = sample.fields, _contracts(sample.fields)

    if "session_text" in fields:
        body = {"text": fields["session_text"], **contracts}
        told = {finding["code"] for finding in _json(client, "session", body)["findings"]}
        files = {key: (None, text) for key, text in fields.items()}
        page = client.post("/session", files=files, headers={"HX-Request": "true"})
        markup = json.loads(page.text.partition("\n")[0])["html"]
        assert set(CODE.findall(markup)) == told == set(sample.expect["codes"])
        return

    answer = fields.get("responses_text")
    if answer is None:
        answer = _json(client, "respond", {"text": fields["calls_text"], **contracts})["text"] or ""
    pair = _json(client, "pair", {"calls_text": fields["calls_text"], "responses_text": answer, **contracts})
    html = client.post(
        "/panels", files={key: (None, text) for key, text in fields.items()}, headers={"HX-Request": "true"}
    )

    found = {finding["code"] for finding in pair["findings"]}
    assert set(CODE.findall(html.text)) == found
    assert found == set(sample.expect["codes"])
