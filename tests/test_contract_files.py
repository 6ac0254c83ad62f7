"""The folder of contract files over HTTP: listed, read, judged and then saved."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.conftest import running
from tests.test_check import LIGHT, opened, put


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, httpx.Client]]:
    """A folder, and a client of the server that has it open."""
    folder = tmp_path_factory.mktemp("contracts")
    logs = tmp_path_factory.mktemp("log")
    with (
        running(logs, "--contracts", str(folder)) as server,
        httpx.Client(base_url=server.url, timeout=30, trust_env=False) as client,
    ):
        yield folder, client
        assert server.log.read_text() == ""


@pytest.fixture
def folder(served: tuple[Path, httpx.Client]) -> Path:
    for path in served[0].iterdir():
        path.unlink()
    return served[0]


@pytest.fixture
def api(served: tuple[Path, httpx.Client], folder: Path) -> httpx.Client:
    return served[1]


def save(api: httpx.Client, text: str, **more: Any) -> dict[str, Any]:
    answer = api.post("/api/contracts/light.contract.json", json={"text": text, **more})
    assert answer.status_code == 200
    told: dict[str, Any] = answer.json()
    return told


def listed(api: httpx.Client) -> dict[str, Any]:
    return {each["file"]: each for each in api.get("/api/contracts").json()["files"]}


def test_files_are_listed_with_how_they_stand(folder: Path, api: httpx.Client) -> None:
    put(folder, light=LIGHT, open=opened("other"), broken="{")
    (folder / "away.contract.json").symlink_to("/etc/hostname")
    (folder / "notes.txt").write_text("not ours")

    found = listed(api)
    assert [(name, each["status"], each["names"]) for name, each in found.items()] == [
        ("away.contract.json", "red", []),
        ("broken.contract.json", "red", []),
        ("light.contract.json", "green", ["set_light"]),
        ("open.contract.json", "red", ["other"]),
    ]
    light, other = found["light.contract.json"], found["open.contract.json"]
    assert (light["cases_passed"], light["cases"], light["mutants_killed"], light["mutants"]) == (
        5,
        5,
        14,
        14,
    )
    assert (other["cases_passed"], other["cases"], other["mutants_killed"], other["mutants"]) == (
        4,
        5,
        13,
        14,
    )
    assert found["away.contract.json"]["findings"][0]["code"] == "file-link"
    assert api.get("/api/contracts").json()["folder"] == str(folder.resolve())


def test_two_files_of_one_name_are_both_red(folder: Path, api: httpx.Client) -> None:
    put(folder, one=LIGHT, two=LIGHT)
    assert {each["status"] for each in listed(api).values()} == {"red"}
    put(folder, two={**LIGHT, "name": "other"})
    assert {each["status"] for each in listed(api).values()} == {"green"}


def test_a_text_is_read_as_it_lies_on_the_disk_and_saved_as_it_was_sent(
    folder: Path, api: httpx.Client
) -> None:
    put(folder, light=LIGHT)
    found = api.get("/api/contracts/light.contract.json").json()
    assert found["text"] == (folder / "light.contract.json").read_text()

    text = found["text"].replace('"name": "set_light"', '"name":   "set_light",\n  "description": "Größe"')
    told = save(api, text, seen=found["seen"])
    assert (told["saved"], told["status"], told["findings"]) == (True, "green", told["report"]["findings"])
    assert (folder / "light.contract.json").read_text(encoding="utf-8") == text
    assert api.get("/api/contracts/light.contract.json").json()["seen"] == told["seen"]


def test_an_edit_that_lets_a_must_refuse_case_through_is_red_before_it_is_saved(
    folder: Path, api: httpx.Client
) -> None:
    put(folder, light=LIGHT)
    before = (folder / "light.contract.json").read_text()
    seen = api.get("/api/contracts/light.contract.json").json()["seen"]
    edited = json.dumps(opened())

    told = save(api, edited, seen=seen)
    assert (told["saved"], told["status"], told["seen"]) == (False, "red", seen)
    assert "case-unexpected" in {finding["code"] for finding in told["findings"]}
    assert (folder / "light.contract.json").read_text() == before

    told = save(api, edited, seen=seen, even_red=True)
    assert (told["saved"], told["status"]) == (True, "red")
    assert (folder / "light.contract.json").read_text() == edited


def test_a_change_on_the_disk_meanwhile_stays(folder: Path, api: httpx.Client) -> None:
    put(folder, light=LIGHT)
    seen = api.get("/api/contracts/light.contract.json").json()["seen"]
    (folder / "light.contract.json").write_text('{"theirs": 1}')

    told = save(api, json.dumps(LIGHT), seen=seen)
    assert (told["saved"], told["status"]) == (False, "red")
    assert [finding["code"] for finding in told["findings"]] == ["file-changed"]
    assert (folder / "light.contract.json").read_text() == '{"theirs": 1}'


def test_a_new_file_takes_no_other_ones_place(folder: Path, api: httpx.Client) -> None:
    assert save(api, json.dumps(LIGHT))["saved"] is True
    assert save(api, json.dumps(LIGHT))["saved"] is False


@pytest.mark.parametrize(
    "name", ["x.json", ".x.contract.json", "a%5Cb.contract.json", "con.contract.json", "%0A"]
)
def test_a_name_that_cannot_be_taken_saves_nothing(folder: Path, api: httpx.Client, name: str) -> None:
    told = api.post(f"/api/contracts/{name}", json={"text": json.dumps(LIGHT)}).json()
    assert told["saved"] is False
    assert [finding["code"] for finding in told["findings"]] == ["file-name"]
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize(
    "path", ["../x.contract.json", "..%2Fx.contract.json", "%2Fetc%2Fx.contract.json", ""]
)
def test_a_path_leads_nowhere(folder: Path, api: httpx.Client, path: str) -> None:
    answer = api.post(f"/api/contracts/{path}", json={"text": json.dumps(LIGHT)})
    assert answer.status_code in (404, 405)
    assert list(folder.iterdir()) == []
    assert list(folder.parent.glob("*.contract.json")) == []


@pytest.mark.parametrize(
    "path",
    ["x.contract.json", "..%2fx.contract.json", "%2e%2e/x.contract.json", "notes.txt", "%00.contract.json"],
)
def test_no_name_reads_anything_else(folder: Path, api: httpx.Client, path: str) -> None:
    (folder / "notes.txt").write_text("not ours")
    outside = folder.parent / "x.contract.json"
    outside.write_text("{}")
    assert api.get(f"/api/contracts/{path}").status_code in (404, 405)
    outside.unlink()


@pytest.mark.parametrize(
    ("body", "status"),
    [("{", 400), ("[]", 422), ('{"text": 1}', 422), ('{"text": "", "file": "x"}', 422), ("{}", 422)],
)
def test_a_body_that_does_not_fit_saves_nothing(
    folder: Path, api: httpx.Client, body: str, status: int
) -> None:
    answer = api.post("/api/contracts/light.contract.json", content=body)
    assert (answer.status_code, answer.json()["status"]) == (status, "red")
    assert list(folder.iterdir()) == []


def test_another_site_can_neither_list_nor_save(folder: Path, api: httpx.Client) -> None:
    for headers in ({"sec-fetch-site": "cross-site"}, {"origin": "http://evil.test"}, {"host": "evil.test"}):
        assert api.get("/api/contracts", headers=headers).status_code == 403
        answer = api.post("/api/contracts/light.contract.json", content="{}", headers=headers)
        assert answer.status_code == 403
    assert list(folder.iterdir()) == []


def test_a_folder_that_went_is_told(tmp_path: Path) -> None:
    folder = tmp_path / "contracts"
    folder.mkdir()
    with running(tmp_path, "--contracts", str(folder)) as server:
        folder.rmdir()
        with httpx.Client(base_url=server.url, timeout=30, trust_env=False) as client:
            listing = client.get("/api/contracts").json()
            assert [finding["code"] for finding in listing["findings"]] == ["file-unreadable"]
            told = save(client, json.dumps(LIGHT))
            assert [finding["code"] for finding in told["findings"]] == ["file-not-saved"]
        assert server.log.read_text() == ""


def test_without_a_folder_there_is_none_and_nothing_is_written(client: httpx.Client) -> None:
    assert client.get("/api/contracts").json() == {"folder": None, "files": [], "findings": []}
    assert client.get("/api/contracts/light.contract.json").status_code == 404
    answer = client.post("/api/contracts/light.contract.json", json={"text": "{}"})
    assert answer.status_code == 404
    assert "--contracts" in answer.json()["findings"][0]["message"]


def test_a_folder_that_is_none_is_one_clear_line(tmp_path: Path) -> None:
    from tests.test_cli import run

    ended = run("--contracts", str(tmp_path / "nowhere"), "--port", "0", "--no-browser")
    assert ended.returncode == 2
    assert ended.stderr.count("\n") == 1
    assert "nowhere" in ended.stderr
