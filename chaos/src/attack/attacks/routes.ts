import { z } from "zod";
import type { Attack } from "../attack.ts";
import type { Target } from "../target.ts";
import { attackRoute, type DescribedRoute, Description, listRoutes, type Request } from "./route-corpus.ts";

const AT_ONCE = 24;
const PATIENCE_MILLISECONDS = 30_000;
const MOST_PROBLEMS = 20;
/** A chunk of a stream that never ends by itself is enough. */
const MOST_READ = 2_000_000;

const Problem = z.looseObject({ code: z.string() });
const ToolProblem = z.looseObject({ error: Problem });
/** MCP answers in the form of its protocol. */
const RpcProblem = z.looseObject({ jsonrpc: z.literal("2.0"), error: z.looseObject({ code: z.number() }) });
/** The service's own fault, in JSON-RPC. */
const INTERNAL_RPC_ERROR = -32603;

/** Control characters that no JSON text and no page has. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are looked for.
const RAW_CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f]/;

async function send(target: Target, { route, path, body, headers }: Request, index: number) {
  const network = `${(index >> 16).toString(16)}:${(index & 0xffff).toString(16)}`;
  const response = await fetch(`${target.urls.app}${path}`, {
    method: route.method,
    headers: {
      authorization: `Bearer ${target.operatorKey}`,
      "x-forwarded-for": `2001:db8:${network}::1`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    ...(body === undefined ? {} : { body }),
    redirect: "manual",
    signal: AbortSignal.timeout(PATIENCE_MILLISECONDS),
  });
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > MOST_READ) break;
  }
  return { status: response.status, type: response.headers.get("content-type") ?? "", text };
}

/** Undefined: it was answered as it should be. */
async function findProblem(
  target: Target,
  request: Request,
  { index, chosen }: { index: number; chosen: readonly string[] },
): Promise<string | undefined> {
  const { route, path, body = "" } = request;
  const what = `${route.method} ${route.path} as ${path.slice(0, 120)} ${String(body).slice(0, 120)}`;
  try {
    const { status, type, text } = await send(target, request, index);
    if (type.includes("json") && RAW_CONTROLS.test(text)) return `${what}: control characters in the answer`;
    if (status < 400) {
      const mustRefuse = request.isForeign && !chosen.some((own) => route.path.startsWith(own));
      return mustRefuse ? `${what}: answered ${status}` : undefined;
    }
    const code = readCode(text);
    if (code === undefined) return `${what}: answered ${status} without a problem: ${text.slice(0, 120)}`;
    return code === "internal_error" || status > 500 ? `${what}: answered ${status} ${code}` : undefined;
  } catch (error) {
    return `${what}: not answered, ${String(error)}`;
  }
}

function readCode(text: string): string | undefined {
  try {
    const json: unknown = JSON.parse(text);
    const rpc = RpcProblem.safeParse(json).data?.error.code;
    if (rpc !== undefined) return rpc === INTERNAL_RPC_ERROR ? "internal_error" : String(rpc);
    return Problem.safeParse(json).data?.code ?? ToolProblem.safeParse(json).data?.error.code;
  } catch {
    return undefined;
  }
}

/** Below an id that callers choose themselves, there is nothing to be refused: whatever they name is theirs. */
const listChosen = (routes: readonly DescribedRoute[]): readonly string[] =>
  routes.flatMap(({ method, path }) => (method === "PUT" && path.includes("{") ? [path] : []));

/** Every route of the API's description, with foreign ids and bodies and queries that nobody in good order sends. */
export const describedRoutes: Attack = {
  name: "every described route",
  hosts: ["app"],
  guard: "checked-arguments",
  bounds: {
    memoryMegabytes: 192,
    waitingRequests: 60,
    outsideCalls: { keyLookUps: 2, chainQuestions: 1, supplierRequests: 1, tripLookUps: 2 },
  },
  async begin(target) {
    const described = await fetch(`${target.urls.app}/api/openapi.json`);
    const routes = listRoutes(Description.parse(await described.json()));
    const requests = routes.flatMap(attackRoute);
    const chosen = listChosen(routes);
    const problems: string[] = [];
    let next = 0;
    async function sendOneByOne(): Promise<void> {
      for (let index = next++; index < requests.length; index = next++) {
        const request = requests[index];
        const problem = request === undefined ? undefined : await findProblem(target, request, { index, chosen });
        if (problem !== undefined) problems.push(problem);
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, sendOneByOne));
    return { calls: requests.length, problems: problems.slice(0, MOST_PROBLEMS), end: async () => undefined };
  },
};
