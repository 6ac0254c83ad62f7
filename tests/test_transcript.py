"""What was said, joined out of its pieces: who asked, which tools worked, who answered."""

from __future__ import annotations

import json

from app import session
from app.model import Options
from app.transcript import Exchange, Said, Span, Work, exchanges, heard


def user(text: str) -> dict[str, object]:
    return {"serverContent": {"inputTranscription": {"text": text}}}


def model(text: str) -> dict[str, object]:
    return {"serverContent": {"outputTranscription": {"text": text}}}


TURN_END = {"serverContent": {"turnComplete": True}}
CUT = {"serverContent": {"interrupted": True}}
CALL = {"toolCall": {"functionCalls": [{"id": "a", "name": "set_light", "args": {}}]}}
ANSWER = {"toolResponse": {"functionResponses": [{"id": "a", "name": "set_light", "response": {}}]}}


def joined(*frames: object, spans: tuple[Span, ...] = ()) -> tuple[Exchange, ...]:
    text = "\n".join(json.dumps(frame) for frame in frames)
    return exchanges([heard(frame) for frame in session.read(text, Options()).frames], spans)


def test_pieces_of_one_go_are_one_text() -> None:
    (only,) = joined(user("turn it "), user("on"), model("It "), model("is on."), TURN_END)
    assert only.lines == (Said("user", "turn it on", 0, 1), Said("model", "It is on.", 2, 3))


def test_a_turn_end_parts_two_exchanges() -> None:
    found = joined(user("one"), model("1"), TURN_END, user("two"), model("2"), TURN_END)
    assert [[line.text for line in each.lines if isinstance(line, Said)] for each in found] == [
        ["one", "1"],
        ["two", "2"],
    ]


def test_who_asked_and_the_follow_up_that_speaks_are_one_group() -> None:
    frames = (user("light"), CALL, TURN_END, ANSWER, model("It is on."), TURN_END)
    (only,) = joined(*frames, spans=(Span(1, 3),))
    assert only.lines == (Said("user", "light", 0, 0), Work(0), Said("model", "It is on.", 4, 4))


def test_an_answer_that_comes_while_the_next_is_asked_stays_with_those_who_asked() -> None:
    frames = (user("a"), CALL, model("wait"), TURN_END, user("b"), model("2"), TURN_END, ANSWER, model("on"))
    first, second = joined(*frames, spans=(Span(1, 7),))
    assert [line.text for line in first.lines if isinstance(line, Said)] == ["a", "wait", "on"]
    assert [line.text for line in second.lines if isinstance(line, Said)] == ["b", "2"]


def test_an_interruption_cuts_what_was_being_said() -> None:
    first, second = joined(user("a"), model("I am "), CUT, TURN_END, user("b"), model("yes"), TURN_END)
    assert first.lines[-1] == Said("model", "I am", 1, 1, cut=True)
    assert second.lines[-1] == Said("model", "yes", 5, 5)


def test_words_of_the_user_that_are_written_late_stay_in_their_turn() -> None:
    (only,) = joined(user("turn "), model("It is"), user("it on"), model(" on."), TURN_END)
    assert [line.text for line in only.lines if isinstance(line, Said) and line.who == "user"] == [
        "turn it on"
    ]


def test_a_session_without_transcripts_says_nothing() -> None:
    assert joined({"setupComplete": {}}, TURN_END, CUT) == ()


def test_calls_alone_are_a_group_too() -> None:
    (only,) = joined(CALL, ANSWER, spans=(Span(0, 1),))
    assert only.lines == (Work(0),)


def test_what_is_no_text_is_not_said() -> None:
    odd = {"serverContent": {"inputTranscription": "x", "outputTranscription": {"text": 1}, "interrupted": 1}}
    assert joined(odd, {"serverContent": []}, {"serverContent": None}) == ()


# Other formats --------------------------------------------------------------------------


def spoken(delta: str, item: str = "item_1") -> dict[str, object]:
    return {
        "type": "response.output_audio_transcript.delta",
        "event_id": "e",
        "response_id": "resp_1",
        "item_id": item,
        "delta": delta,
    }


def test_deltas_of_one_item_are_one_text_and_its_end_stands_for_all_of_them() -> None:
    told = {"type": "response.output_audio_transcript.done", "event_id": "e", "item_id": "item_1"}
    asked = {
        "type": "conversation.item.input_audio_transcription.completed",
        "event_id": "e",
        "item_id": "item_0",
        "transcript": "turn it on",
    }
    (only,) = joined(asked, spoken("It is "), spoken("on"), told | {"transcript": "It is on."})
    assert only.lines == (Said("user", "turn it on", 0, 0), Said("model", "It is on.", 1, 3))


def test_a_response_that_was_cancelled_cuts_what_it_said() -> None:
    done = {"type": "response.done", "event_id": "e", "response": {"id": "resp_1", "status": "cancelled"}}
    done["response"] |= {"object": "realtime.response", "output": []}  # type: ignore[operator]
    (only,) = joined(spoken("I am "), done)
    assert only.lines == (Said("model", "I am", 0, 0, cut=True),)


def test_texts_of_nova_sonic_are_heard_and_its_interruption_is_none() -> None:
    def text(role: str, content: str) -> dict[str, object]:
        return {"event": {"textOutput": {"role": role, "content": content, "contentId": role}}}

    (only,) = joined(
        text("USER", "hi"), text("ASSISTANT", "hello"), text("ASSISTANT", '{ "interrupted" : true }')
    )
    assert only.lines == (Said("user", "hi", 0, 0), Said("model", "hello", 1, 1))
