import { acceptedContent, inputRequired, type PromptMessage } from "@modelcontextprotocol/server";
import { z } from "zod";
import type { McpExtras } from "../extras.ts";
import { PNG_PIXEL } from "./media.ts";

const Context = z.object({ context: z.string() });

const says = (text: string): PromptMessage => ({ role: "user", content: { type: "text", text } });

export const prompts: McpExtras["prompts"] = [
  {
    definition: { name: "test_simple_prompt", description: "A prompt without arguments." },
    get: async () => ({ messages: [says("This is a simple prompt for testing.")] }),
  },
  {
    definition: {
      name: "test_prompt_with_arguments",
      description: "A prompt with two arguments.",
      arguments: [
        { name: "arg1", description: "First test argument.", required: true },
        { name: "arg2", description: "Second test argument.", required: true },
      ],
    },
    get: async ({ arg1, arg2 }) => ({ messages: [says(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)] }),
  },
  {
    definition: {
      name: "test_prompt_with_embedded_resource",
      description: "A prompt that embeds a resource.",
      arguments: [{ name: "resourceUri", description: "URI of the resource to embed.", required: true }],
    },
    get: async ({ resourceUri = "" }) => ({
      messages: [
        {
          role: "user",
          content: {
            type: "resource",
            resource: { uri: resourceUri, mimeType: "text/plain", text: "Embedded resource content for testing." },
          },
        },
        says("Please process the embedded resource above."),
      ],
    }),
  },
  {
    definition: { name: "test_prompt_with_image", description: "A prompt with an image." },
    get: async () => ({
      messages: [
        { role: "user", content: { type: "image", data: PNG_PIXEL, mimeType: "image/png" } },
        says("Please analyze the image above."),
      ],
    }),
  },
  {
    definition: { name: "test_input_required_result_prompt", description: "A prompt that asks before it is made." },
    async get(_args, { mcpReq }) {
      const answer = acceptedContent(mcpReq.inputResponses, "user_context", Context);
      if (answer !== undefined) return { messages: [says(`Use this context: ${answer.context}`)] };
      const message = "What context should the prompt use?";
      return inputRequired({
        inputRequests: { user_context: inputRequired.elicit({ message, requestedSchema: Context }) },
      });
    },
  },
];
