import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  type InputRequests,
  inputRequired,
  inputResponse,
} from "@modelcontextprotocol/server";
import { z } from "zod";
import { type FixtureTool, fixtureTool, textResult } from "./fixture-tool.ts";
import { openRound, sealRound } from "./request-state.ts";

const Name = z.object({ name: z.string() });
const Color = z.object({ color: z.string() });
const Confirmation = z.object({ ok: z.boolean() });

/** What the client said of itself with this request; nothing in the revisions before 2026-07-28. */
const Envelope = z.object({
  [CLIENT_CAPABILITIES_META_KEY]: z
    .object({ sampling: z.looseObject({}).optional(), elicitation: z.looseObject({}).optional() })
    .default({}),
});

type Elicitation = Parameters<typeof inputRequired.elicit>[0];

const ask = (message: string, requestedSchema: Elicitation["requestedSchema"]) =>
  inputRequired.elicit({ message, requestedSchema });

const sample = (text: string, maxTokens: number) =>
  inputRequired.createMessage({ messages: [{ role: "user", content: { type: "text", text } }], maxTokens });

/** Asks once; whatever of the answers is missing or unfit is asked for again. */
const asksForName =
  (key: string): FixtureTool["call"] =>
  async (_args, { mcpReq }) => {
    const answer = acceptedContent(mcpReq.inputResponses, key, Name);
    if (answer !== undefined) return textResult(`Hello, ${answer.name}!`);
    return inputRequired({ inputRequests: { [key]: ask("What is your name?", Name) } });
  };

/** Asks for a confirmation and takes it only together with the state that went out with the question. */
const asksWithState =
  (tool: string): FixtureTool["call"] =>
  async (_args, context) => {
    const round = await openRound(tool, context);
    const answer = acceptedContent(context.mcpReq.inputResponses, "confirm", Confirmation);
    if (round === 1 && answer !== undefined) return textResult(`state-ok, confirmed: ${answer.ok}`);
    return inputRequired({
      inputRequests: { confirm: ask("Please confirm", Confirmation) },
      requestState: await sealRound(tool, 1, context),
    });
  };

const REQUEST_STATE = "test_input_required_result_request_state";
const TAMPERED_STATE = "test_input_required_result_tampered_state";
const MULTIPLE_INPUTS = "test_input_required_result_multiple_inputs";
const MULTI_ROUND = "test_input_required_result_multi_round";

/** Tools that cannot finish without the client: it answers their questions by calling again. */
export const inputRequiredTools: readonly FixtureTool[] = [
  fixtureTool("test_input_required_result_elicitation", "Asks for a name.", asksForName("user_name")),
  fixtureTool("test_streaming_elicitation", "Asks for a name, in the answer itself.", asksForName("name")),
  fixtureTool("test_input_required_result_sampling", "Asks the client's model.", async (_args, { mcpReq }) => {
    const answer = inputResponse(mcpReq.inputResponses, "capital_question");
    if (answer.kind === "sampling") return textResult(JSON.stringify(answer.result.content));
    return inputRequired({ inputRequests: { capital_question: sample("What is the capital of France?", 100) } });
  }),
  fixtureTool("test_input_required_result_list_roots", "Asks for the client's roots.", async (_args, { mcpReq }) => {
    const answer = inputResponse(mcpReq.inputResponses, "client_roots");
    if (answer.kind === "roots") return textResult(answer.roots.map(({ uri }) => uri).join("\n"));
    return inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } });
  }),
  fixtureTool(REQUEST_STATE, "Asks, and gets its state back.", asksWithState(REQUEST_STATE)),
  fixtureTool(TAMPERED_STATE, "Asks, and refuses state that was touched.", asksWithState(TAMPERED_STATE)),
  fixtureTool(MULTIPLE_INPUTS, "Asks for three things at once.", async (_args, context) => {
    const { inputResponses } = context.mcpReq;
    const round = await openRound(MULTIPLE_INPUTS, context);
    const name = acceptedContent(inputResponses, "user_name", Name);
    const greeting = inputResponse(inputResponses, "greeting");
    const roots = inputResponse(inputResponses, "client_roots");
    if (round === 1 && name !== undefined && greeting.kind === "sampling" && roots.kind === "roots") {
      return textResult(`${name.name}: ${JSON.stringify(greeting.result.content)}, ${roots.roots.length} roots`);
    }
    return inputRequired({
      inputRequests: {
        user_name: ask("What is your name?", Name),
        greeting: sample("Generate a greeting", 50),
        client_roots: inputRequired.listRoots(),
      },
      requestState: await sealRound(MULTIPLE_INPUTS, 1, context),
    });
  }),
  fixtureTool(MULTI_ROUND, "Asks twice, one after the other.", async (_args, context) => {
    const { inputResponses } = context.mcpReq;
    const round = await openRound(MULTI_ROUND, context);
    const color = acceptedContent(inputResponses, "step2", Color);
    if (round === 2 && color !== undefined) return textResult(`Your favorite color is ${color.color}.`);
    const named = round >= 1 && acceptedContent(inputResponses, "step1", Name) !== undefined;
    const next = named || round === 2 ? 2 : 1;
    return inputRequired({
      inputRequests:
        next === 2
          ? { step2: ask("Step 2: What is your favorite color?", Color) }
          : { step1: ask("Step 1: What is your name?", Name) },
      requestState: await sealRound(MULTI_ROUND, next, context),
    });
  }),
  fixtureTool(
    "test_input_required_result_capabilities",
    "Asks only for what the client said that it can do.",
    async (_args, { mcpReq }) => {
      const { [CLIENT_CAPABILITIES_META_KEY]: capabilities } = Envelope.parse(mcpReq.envelope ?? {});
      const inputRequests: InputRequests = {
        ...(capabilities.sampling === undefined ? {} : { sampled: sample("Generate a greeting", 50) }),
        ...(capabilities.elicitation === undefined ? {} : { asked: ask("What is your name?", Name) }),
      };
      const open = Object.keys(inputRequests).filter((key) => mcpReq.inputResponses?.[key] === undefined);
      return open.length === 0 ? textResult("Nothing is left to ask.") : inputRequired({ inputRequests });
    },
  ),
];
