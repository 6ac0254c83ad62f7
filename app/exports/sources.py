"""Where the rules of the targets come from: public pages and threads, each named once.

What a provider documents comes first. Where a page is silent or two sources
disagree, a public thread in which the behaviour was met is named instead.
"""

from __future__ import annotations

from typing import Final

DATED: Final = "2026-11-30"
"""The day on which the rules were last checked against these sources."""

GITHUB: Final = "https://github.com/"

GEMINI_SCHEMA: Final = "https://ai.google.dev/api/caching#Schema"
GEMINI_DECLARATION: Final = "https://ai.google.dev/api/caching#FunctionDeclaration"
GEMINI_LIVE: Final = "https://ai.google.dev/api/live"
GEMINI_STRUCTURED: Final = "https://ai.google.dev/gemini-api/docs/structured-output"
GEMINI_GENERATION: Final = "https://ai.google.dev/api/generate-content#generationconfig"
VERTEX_SCHEMA: Final = "https://cloud.google.com/vertex-ai/docs/reference/rest/v1/Schema"
PROTO_PROBES: Final = GITHUB + "danny-avila/LibreChat/issues/13850"
JSON_FIELD_PROBES: Final = GITHUB + "fazer-ai/agents/pull/67"
LIVE_PROBES: Final = GITHUB + "livekit/agents/issues/7302"
LIVE_1007: Final = GITHUB + "mastra-ai/mastra/issues/17023"
LIVE_JSON_FIELD: Final = GITHUB + "googleapis/python-genai/issues/1147"
ANY_OF_ALONE: Final = GITHUB + "vercel/ai/issues/19000"
ENUM_STRINGS: Final = GITHUB + "anomalyco/opencode/issues/12784"
EMPTY_ENUM: Final = GITHUB + "sbroenne/mcp-server-excel/issues/607"
EMPTY_OBJECT: Final = GITHUB + "vercel/ai/issues/3371"
GEMINI_DEPTH: Final = GITHUB + "google-gemini/gemini-cli/issues/5923"
GEMINI_FORMATS: Final = GITHUB + "google-gemini/gemini-cli/issues/3178"
GEMINI_NAMES: Final = GITHUB + "google-gemini/gemini-cli/issues/20987"
GEMINI_BUDGET: Final = GITHUB + "googleapis/python-genai/issues/2170"
GEMINI_ENUM_TEXT: Final = GITHUB + "googleapis/python-genai/issues/2133"
GEMINI_TITLE: Final = GITHUB + "googleapis/python-genai/issues/1732"

OPENAI_STRUCTURED: Final = "https://platform.openai.com/docs/guides/structured-outputs"
OPENAI_FUNCTIONS: Final = "https://platform.openai.com/docs/guides/function-calling"
OPENAI_REALTIME: Final = "https://platform.openai.com/docs/api-reference/realtime-client-events"
OPENAI_ROOT: Final = GITHUB + "langchain-ai/langchainjs/issues/9804"
OPENAI_NAMES: Final = GITHUB + "vercel/ai/issues/20621"
OPENAI_LENGTHS: Final = GITHUB + "pydantic/pydantic-ai/issues/7400"
OPENAI_TUPLES: Final = GITHUB + "pydantic/pydantic-ai/issues/7315"
OPENAI_TYPELESS: Final = GITHUB + "redpanda-data/ai-sdk-go/issues/144"
OPENAI_DEFAULT: Final = GITHUB + "dotnet/extensions/issues/6196"
OPENAI_ID: Final = GITHUB + "griptape-ai/griptape/issues/2150"
OPENAI_NO_ARGS: Final = GITHUB + "spring-projects/spring-ai/issues/4776"

ANTHROPIC_TOOLS: Final = "https://platform.claude.com/docs/en/agents-and-tools/tool-use/define-tools"
ANTHROPIC_STRUCTURED: Final = "https://platform.claude.com/docs/en/build-with-claude/structured-outputs"
ANTHROPIC_KEYS: Final = GITHUB + "anthropics/claude-code/issues/79418"
ANTHROPIC_ROOT: Final = GITHUB + "anthropics/claude-code/issues/40075"
ANTHROPIC_2020: Final = GITHUB + "Dokploy/mcp/issues/74"
ANTHROPIC_BOUNDS: Final = GITHUB + "experientiallabs/experiential/issues/804"
ANTHROPIC_ENUM: Final = GITHUB + "BerriAI/litellm/issues/37881"

MCP_2025: Final = "https://modelcontextprotocol.io/specification/2025-11-25/server/tools"
MCP_2026: Final = "https://modelcontextprotocol.io/specification/2026-07-28/server/tools"

CORE: Final = "https://json-schema.org/draft/2020-12/json-schema-core"
VALIDATION: Final = "https://json-schema.org/draft/2020-12/json-schema-validation"
OPENAPI: Final = "https://spec.openapis.org/oas/v3.0.3#schema-object"
PYDANTIC: Final = "https://docs.pydantic.dev/latest/concepts/models/"
TYPESCRIPT: Final = "https://www.typescriptlang.org/docs/handbook/2/everyday-types.html"
