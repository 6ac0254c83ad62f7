"""Secrets as they stand in pastes, and payloads that only look as if they held one. All are made up."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass

LETTERS = "q7Zk2Xw9Lm4Tc8Rv1Yb6Hd3Jf5Gs0NpAeUiOoBtCxDyEzFhKjMlQnPrSuVw"
HEX = "9f3a7c1e5b8d2046" * 8
LOWER = "k3v9x1m7q5w8z2r6t4y0" * 8


def run(length: int, of: str = LETTERS) -> str:
    """Some characters, the same at every call."""
    return (of * (length // len(of) + 1))[:length]


@dataclass(frozen=True)
class Shape:
    """A text that holds a secret."""

    text: str
    secret: str


def _token(prefix: str, length: int, of: str = LETTERS, suffix: str = "") -> Shape:
    secret = prefix + run(length, of) + suffix
    return Shape(f"called with {secret} today", secret)


def _member(name: str, value: str) -> Shape:
    return Shape(json.dumps({"before": 1, name: value, "after": "kept"}), value)


def _line(text: str, secret: str) -> Shape:
    return Shape(text.replace("<>", secret), secret)


def _web_token() -> str:
    parts = [{"alg": "HS256", "typ": "JWT"}, {"sub": "made up", "exp": 1}]
    head = [base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in parts]
    return ".".join([*head, run(43)])


def _private_key(kind: str) -> Shape:
    body = "\n".join(run(64) for _ in range(3))
    return Shape(f"-----BEGIN {kind}PRIVATE KEY-----\n{body}\n-----END {kind}PRIVATE KEY-----", f"\n{body}\n")


_BASIC = base64.b64encode(b"someone:swordfish").decode()

SHAPES: dict[str, Shape] = {
    # Keys by their shape
    "openai": _token("sk-", 48),
    "openai project": _token("sk-proj-", 60),
    "openai realtime client": _token("ek_", 40),
    "anthropic": _token("sk-ant-api03-", 80),
    "openrouter": _token("sk-or-v1-", 64, HEX),
    "google api": _token("AIza", 35),
    "google ephemeral": _token("auth_tokens/", 40),
    "google oauth": _token("ya29.", 60),
    "google client secret": _token("GOCSPX-", 28),
    "google refresh": _token("1//0", 50),
    "aws access key": _token("AKIA", 16, "Q7ZK2XW9LM4TC8RV"),
    "aws session key": _token("ASIA", 16, "Q7ZK2XW9LM4TC8RV"),
    "github": _token("ghp_", 36),
    "github app": _token("ghs_", 36),
    "github fine-grained": _token("github_pat_", 60),
    "gitlab": _token("glpat-", 20),
    "slack bot": _token("xoxb-", 40),
    "slack app": _token("xapp-1-", 40),
    "stripe live": _token("sk_" + "live_", 24),
    "stripe restricted": _token("rk_" + "test_", 24),
    "stripe webhook": _token("whsec_", 32),
    "sendgrid": _token("SG.", 22, LETTERS, "." + run(43)),
    "mailgun": _token("key-", 32, HEX),
    "mailchimp": _token("", 32, HEX, "-us14"),
    "twilio": _token("SK", 32, HEX),
    "npm": _token("npm_", 36),
    "pypi": _token("pypi-", 60),
    "rubygems": _token("rubygems_", 48, HEX),
    "crates": _token("cio", 32),
    "docker": _token("dckr_pat_", 27),
    "hugging face": _token("hf_", 34),
    "replicate": _token("r8_", 37),
    "groq": _token("gsk_", 52),
    "xai": _token("xai-", 80),
    "perplexity": _token("pplx-", 48),
    "nvidia": _token("nvapi-", 64),
    "langsmith": _token("lsv2_pt_", 40, HEX),
    "tavily": _token("tvly-", 32),
    "elevenlabs": _token("sk_", 48, HEX),
    "databricks": _token("dapi", 32, HEX),
    "digitalocean": _token("dop_v1_", 64, HEX),
    "shopify": _token("shpat_", 32, HEX),
    "square": _token("sq0atp-", 22),
    "meta": _token("EAA", 120),
    "linear": _token("lin_api_", 40),
    "notion": _token("ntn_", 46),
    "figma": _token("figd_", 40),
    "airtable": _token("pat", 14, LETTERS, "." + run(64, HEX)),
    "atlassian": _token("ATATT3", 180),
    "postman": _token("PMAK-", 24, HEX, "-" + run(34, HEX)),
    "new relic": _token("NRAK-", 27, "Q7ZK2XW9LM4TC8RV"),
    "sentry": _token("sntryu_", 64, HEX),
    "grafana": _token("glsa_", 41),
    "vault": _token("hvs.", 90),
    "terraform": _token("", 14, LETTERS, ".atlasv1." + run(60)),
    "pulumi": _token("pul-", 40, HEX),
    "supabase": _token("sbp_", 40, HEX),
    "planetscale": _token("pscale_tkn_", 40),
    "age": _token("AGE-SECRET-KEY-1", 58, "Q7ZK2XW9LM4TC8RV"),
    "discord bot": _token("M", 24, LETTERS, "." + run(6) + "." + run(38)),
    "telegram": _token("1234567890:AA", 33),
    "json web token": Shape(f"cookie jar: {_web_token()}", _web_token()),
    # Where they stand
    "bearer header": _line("POST / HTTP/1.1\r\nAuthorization: Bearer <>\r\nAccept: */*", run(30)),
    "basic header": _line("Authorization: Basic <>", _BASIC),
    "bare authorization": _line("authorization: <>\nhost: example", run(24, LOWER)),
    "api key header": _line("curl -H 'X-Api-Key: <>' http://localhost/", run(24, LOWER)),
    "cookie header": _line("GET /\nCookie: <>\nHost: x", "session=q7Zk2Xw9; theme=dark"),
    "set-cookie header": _line("Set-Cookie: <>", "sid=q7Zk2Xw9Lm4; HttpOnly"),
    "curl user": _line("curl -u someone:<> http://localhost/", "sword-fish"),
    "rsa key": _private_key("RSA "),
    "openssh key": _private_key("OPENSSH "),
    "plain key": _private_key(""),
    "url password": _line("postgres://app:<>@db.internal:5432/orders", "tr0ub4dor"),
    "url token": _line("git clone https://<>@git.internal/a.git", run(32, LOWER)),
    "url key": _line("see https://maps.internal/v1?place=a&key=<>&zoom=3", run(32)),
    "url token parameter": _line("https://files.internal/a.wav?token=<>", run(24)),
    "url signature": _line("https://files.internal/a?Expires=1&Signature=<>", run(40)),
    "url aws signature": _line("https://s3.internal/a?X-Amz-Signature=<>", run(64, HEX)),
    "url sas": _line("https://blob.internal/a?sv=2024-01-01&sig=<>", run(43) + "%3D"),
    "slack webhook": _line("https://hooks.slack.com/services/<>", "T0000/B0000/" + run(24)),
    "discord webhook": _line("https://discord.com/api/webhooks/123/<>", run(60)),
    "environment": _line("export DB_PASSWORD=<>", "swordfish"),
    "environment key": _line("SOME_API_KEY=<> run", run(20, LOWER)),
    "azure connection": _line("AccountName=a;AccountKey=<>;Suffix=x", run(80)),
    # Members whose name says it
    "password": _member("password", "hunter2"),
    "password with spaces": _member("password", "correct horse battery staple"),
    "password with a quote": Shape(r'{"password":"a\"b\\","kept":1}', r"a\"b\\"),
    "api_key": _member("api_key", "abc"),
    "apiKey": _member("apiKey", "abcdef"),
    "x-api-key": _member("x-api-key", "abc-def"),
    "OPENAI_API_KEY": _member("OPENAI_API_KEY", "made-up"),
    "secret": _member("secret", "swordfish"),
    "client_secret": _member("client_secret", "swordfish"),
    "access_token": _member("access_token", "swordfish"),
    "refreshToken": _member("refreshToken", "swordfish"),
    "id_token": _member("id_token", "swordfish"),
    "authorization": _member("authorization", "swordfish"),
    "private_key": _member("private_key", "swordfish"),
    "cookie": _member("cookie", "a=b"),
    "token": _member("token", run(24)),
    "auth": _member("auth", run(24)),
    "signature": _member("signature", run(40)),
    "aws_secret_access_key": _member("aws_secret_access_key", run(40)),
    "numbers": Shape('{"password":123456,"kept":123456}', ":123456,"),
    "a list": Shape('{"api_keys": ["first-one", "second-one"], "kept": []}', "second-one"),
    "name and value": Shape('[{"name": "Authorization", "value": "swordfish"}]', "swordfish"),
    "python": Shape("{'password': 'swordfish', 'kept': True}", "swordfish"),
}
"""Name -> a text with a secret."""


# fmt: off
NAMES = [
    "token_count", "tokens", "max_tokens", "totalTokenCount", "nextPageToken", "page_token",
    "continuationToken", "key", "keys", "keyboard", "monkey", "keyword", "passenger", "passport",
    "compass", "secretary", "author", "authority", "authored", "session_id", "sessionHandle",
    "newHandle", "signatureDate", "signed_by", "design", "thoughtSignature", "cookieConsent",
    "hasPassword", "password_length", "secretCount", "stop_token", "idempotencyKey", "primaryKey",
    "foreign_key", "sort_key", "translation_key", "public_key_id", "key_id", "event_id",
]
# fmt: on
VALUES: tuple[object, ...] = (
    "kitchen",
    "a7",
    12,
    1234567,
    True,
    None,
    "2026-12-24T19:30:00Z",
    "function-call-17709921",
    "The password must have 8 characters.",
    "living_room",
    [],
    {},
)


def normal_payloads() -> list[str]:
    """Texts of every day that hold no secret, more than 400 of them."""
    payloads = [json.dumps({name: value, "on": True}) for name in NAMES for value in VALUES]
    identifiers = [
        "123e4567-e89b-12d3-a456-426614174000",
        "call_" + run(24),
        "toolu_01" + run(22),
        "fc_" + run(40, HEX),
        "resp_" + run(48, HEX),
        "item_" + run(21),
        "sess_" + run(21),
        "projects/a/locations/b/models/gemini-live-2.5-flash-preview",
        run(40, HEX),
        run(64, HEX),
        "sha256:" + run(64, HEX),
        "sha512-" + run(86) + "==",
        "arn:aws:iam::123456789012:role/reader",
        "bearer-of-news",
        "sk-learn and sk-image are packages",
        "task-management-for-everyone",
        "risk-assessment-of-the-whole-project",
        "Basic authentication or Bearer authentication is asked for.",
        "Authorization: required",
        "Send the header Authorization: Bearer <token>.",
        "https://example.test/a/b?page=2&key=room&sort=asc#top",
        "https://example.test/search?q=token&session=1&sig=none",
        "mailto:someone@example.test",
        "http://localhost:8000/a@b:c",
        "data:audio/pcm;base64," + base64.b64encode(bytes(range(256)) * 3).decode(),
        base64.b64encode(b"\x01\x00" * 400).decode(),
        base64.b64encode(bytes(reversed(range(256))) * 3).decode(),
        "x = token if token else key",
        "password",
        "const token = await next();",
        "a=1&b=2&token=next",
        "The secret is to use = twice: a = b.",
        "-----BEGIN CERTIFICATE-----",
        "${API_KEY} and $TOKEN and {{secret}}",
        "api_key=<your key> password=*** secret=[secret]",
    ]
    payloads += [json.dumps({"args": {"text": text}}) for text in identifiers]
    schema = {"type": "string", "description": "What the user typed.", "minLength": 8}
    for name in ("password", "api_key", "secret", "access_token", "authorization", "cookie", "token"):
        payloads += [
            json.dumps({"type": "object", "properties": {name: schema}, "required": [name]}),
            json.dumps({name: "string"}),
            json.dumps({name: "<token>"}),
            json.dumps({name: None}),
            json.dumps({name: ""}),
            json.dumps({"enum": [name, "other"], "args": json.dumps({"field": name})}),
        ]
    return payloads
