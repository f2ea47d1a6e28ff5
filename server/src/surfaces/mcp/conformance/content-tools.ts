import { setTimeout as delay } from "node:timers/promises";
import { type CallToolResult, inputRequired, inputResponse, type Tool } from "@modelcontextprotocol/server";
import { type FixtureTool, fixtureTool, textResult } from "./fixture-tool.ts";
import { PNG_PIXEL, WAV_SILENCE } from "./media.ts";

const PROGRESS_PAUSE_MILLISECONDS = 50;

const image = { type: "image", data: PNG_PIXEL, mimeType: "image/png" } as const;

const answers =
  (content: CallToolResult["content"]): FixtureTool["call"] =>
  async () => ({ content });

const schema202012: Tool["inputSchema"] = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  $defs: {
    address: {
      $anchor: "addressDef",
      type: "object",
      properties: { street: { type: "string" }, city: { type: "string" } },
    },
  },
  properties: {
    name: { type: "string" },
    address: { $ref: "#/$defs/address" },
    contactMethod: { type: "string", enum: ["phone", "email"] },
    phone: { type: "string" },
    email: { type: "string" },
  },
  allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
  if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
  then: { required: ["phone"] },
  else: { required: ["email"] },
  additionalProperties: false,
};

/** Each kind of content, failure, progress and the parts of a request that only the suites look at. */
export const contentTools: readonly FixtureTool[] = [
  fixtureTool(
    "test_simple_text",
    "Answers with a text.",
    answers([{ type: "text", text: "This is a simple text response for testing." }]),
  ),
  fixtureTool("test_image_content", "Answers with an image.", answers([image])),
  fixtureTool(
    "test_audio_content",
    "Answers with a sound.",
    answers([{ type: "audio", data: WAV_SILENCE, mimeType: "audio/wav" }]),
  ),
  fixtureTool(
    "test_embedded_resource",
    "Answers with an embedded resource.",
    answers([
      {
        type: "resource",
        resource: {
          uri: "test://embedded-resource",
          mimeType: "text/plain",
          text: "This is an embedded resource content.",
        },
      },
    ]),
  ),
  fixtureTool(
    "test_multiple_content_types",
    "Answers with a text, an image and an embedded resource.",
    answers([
      { type: "text", text: "Multiple content types test:" },
      image,
      {
        type: "resource",
        resource: {
          uri: "test://mixed-content-resource",
          mimeType: "application/json",
          text: JSON.stringify({ test: "data", value: 123 }),
        },
      },
    ]),
  ),
  fixtureTool("test_error_handling", "Always fails.", async () => ({
    ...textResult("This tool intentionally returns an error for testing"),
    isError: true,
  })),
  fixtureTool("test_tool_with_progress", "Reports its progress in three steps.", async (_args, { mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken;
    for (const progress of [0, 50, 100]) {
      if (progressToken !== undefined) {
        await mcpReq.notify({ method: "notifications/progress", params: { progressToken, progress, total: 100 } });
      }
      if (progress < 100) await delay(PROGRESS_PAUSE_MILLISECONDS, undefined, { signal: mcpReq.signal });
    }
    return textResult("Done in three steps.");
  }),
  fixtureTool(
    "test_logging_tool",
    "Logs a message; it may reach only a client that asked for messages.",
    async (_args, { mcpReq }) => {
      await mcpReq.log("info", "The logging tool ran.");
      return textResult("Logged.");
    },
  ),
  fixtureTool(
    "test_missing_capability",
    "Needs a client that can sample; any other is refused before anything runs.",
    async (_args, { mcpReq }) => {
      const answer = inputResponse(mcpReq.inputResponses, "answer");
      if (answer.kind === "sampling") return textResult("The client sampled an answer.");
      const question = { type: "text", text: "Say hello." } as const;
      return inputRequired({
        inputRequests: {
          answer: inputRequired.createMessage({ messages: [{ role: "user", content: question }], maxTokens: 20 }),
        },
      });
    },
  ),
  fixtureTool(
    "json_schema_2020_12_tool",
    "Tool with JSON Schema 2020-12 features.",
    async (args) => textResult(`Received: ${JSON.stringify(args)}`),
    schema202012,
  ),
  fixtureTool(
    "test_parameter_header",
    "Mirrors an argument into a request header.",
    async ({ region }) => textResult(`Region: ${String(region)}`),
    {
      type: "object",
      properties: { region: { type: "string", "x-mcp-header": "Region" } },
      required: ["region"],
      additionalProperties: false,
    },
  ),
];
