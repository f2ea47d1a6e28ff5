import type { Tool } from "@modelcontextprotocol/server";
import { z } from "zod";
import { Failure, invalidInput } from "../../../domain/errors.ts";
import { toolAreas } from "../../../domain/scopes.ts";
import { ToolRanking } from "../../../kernel/call/rank-tools.ts";
import { type Catalog, type CatalogEntry, findTool } from "../../../kernel/contracts/catalog.ts";
import type { Log } from "../../../ports/log.ts";
import { isObject } from "../../http/bodies/json-body.ts";
import { describeError } from "../../render-error.ts";
import {
  type CallAnswer,
  type CallTool,
  isQuestion,
  renderFailure,
  type ToolAnswer,
  type ToolCall,
} from "../calls/tool-answer.ts";
import type { Visit } from "../visit.ts";

const FIND = "find_tools";
const CALL = "call_tool";

/** With their arguments; further ones are named only. */
const MOST_WHOLE = 3;
const MOST_NAMED = 12;

const FindInput = z.strictObject({ words: z.string().min(1).max(500), area: z.enum(toolAreas).optional() });
const Arguments = z.record(z.string(), z.unknown());
const CallInput = z.strictObject({
  name: z.string().min(1).max(200),
  // Some models write nested objects as text.
  arguments: z.union([Arguments, z.string().transform(parseObject)]).default({}),
});

/** The tools of `?mode=search` through which all others are found and called, in the protocol's own type. */
const definitions: readonly Tool[] = [
  {
    name: FIND,
    title: "Find tools",
    description: `Find tools by describing what you want to do, such as "search flights" or "cancel a hotel". Returns the best ${MOST_WHOLE} with their arguments, and names others. Free.`,
    inputSchema: {
      type: "object",
      properties: {
        words: { type: "string", description: "English words from names, descriptions and arguments" },
        area: { type: "string", enum: [...toolAreas] },
      },
      required: ["words"],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: true, openWorldHint: false },
  },
  {
    name: CALL,
    title: "Call a tool",
    description: `Call a tool that ${FIND} found. Its price is in its description. If the arguments are wrong, the error contains the tool's inputSchema.`,
    inputSchema: {
      type: "object",
      properties: {
        name: { type: "string" },
        arguments: { type: "object", description: "As the tool's inputSchema says" },
      },
      required: ["name"],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
  },
];

/** Listed as they are, since most tasks use them. */
const LISTED_BESIDE: readonly string[] = ["preview_call", "read_account"];

export interface SearchTools {
  readonly definitions: readonly Tool[];
  /** Names of the registry's tools that are listed beside them. */
  readonly beside: readonly string[];
  /** Whether it is one of the tools of this mode only. */
  has(name: string): boolean;
  /** Calls one of them. */
  call: CallTool;
}

/** `callTool`: for the tools that are found. */
export function createSearchTools(catalog: Catalog, { callTool, log }: { callTool: CallTool; log: Log }): SearchTools {
  const ranking = new ToolRanking(catalog.entries);

  function findTools(given: unknown, { list }: Visit): ToolAnswer {
    const { words, area } = read(FindInput, given);
    const entries = list.entries.filter(({ tool }) => area === undefined || tool.area === area);
    const found = ranking.rank(words, entries);
    const result = {
      tools: found.slice(0, MOST_WHOLE).map(describeWhole),
      others: found.slice(MOST_WHOLE, MOST_NAMED).map(({ tool }) => ({ name: tool.name, title: tool.title })),
    };
    return { content: [{ type: "text", text: JSON.stringify(result) }], structuredContent: result, _meta: {} };
  }

  async function callFound(visit: Visit, call: ToolCall): Promise<CallAnswer> {
    const { name, arguments: args } = read(CallInput, call.args);
    const entry = findTool(catalog, name);
    const answer = await callTool(visit, { ...call, name: entry.tool.name, args });
    return !isQuestion(answer) && answer.isError === true ? withSchema(answer, entry) : answer;
  }

  return {
    definitions,
    beside: LISTED_BESIDE,
    has: (name) => name === FIND || name === CALL,
    async call(visit, call) {
      try {
        return call.name === FIND ? findTools(call.args, visit) : await callFound(visit, call);
      } catch (error) {
        if (error instanceof Failure && error.code === "unauthorized") throw error;
        return renderFailure(describeError(error, visit.exchange.traceId, log), visit.exchange);
      }
    },
  };
}

function describeWhole({ tool, inputSchema }: CatalogEntry) {
  return { name: tool.name, title: tool.title, description: tool.description, effect: tool.effect, inputSchema };
}

/** A caller that has guessed the arguments sees them. */
function withSchema(answer: ToolAnswer, { inputSchema }: CatalogEntry): ToolAnswer {
  const problem = parseObject(answer.content[0]?.text ?? "");
  if (problem.code !== "invalid_input") return answer;
  return { ...answer, content: [{ type: "text", text: JSON.stringify({ ...problem, inputSchema }) }] };
}

function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

function read<Value>(schema: z.ZodType<Value>, value: unknown): Value {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw invalidInput(parsed.error.issues.map(({ path, message }) => ({ path: path.map(String).join("."), message })));
}
