import type { Outcome, RouteOptions, ToolAnswer, ToolOptions } from "./answers.ts";
import { converse, type FollowOptions, followConversation, type TurnOptions } from "./conversations.ts";
import { followEvents, followRun } from "./follow.ts";
import type { ConversationEvent, NamedTurn, OwnTurn } from "./generated/conversation.ts";
import { ROUTES, TOOL_NAMES } from "./generated/operations.ts";
import type { ListEventsAnswer, ListEventsInput, ReadWorkflowRunAnswer, Routes } from "./generated/routes.ts";
import type { Tools } from "./generated/tools.ts";
import { camelCase } from "./names.ts";
import { fillPath, type RouteInput } from "./paths.ts";
import { type Received, readJson, readObject, refuse } from "./refusals.ts";
import { type Fetch, type Retries, Transport } from "./transport.ts";

interface CommonOptions {
  /** An API key (`ak_…`) or an access token. */
  readonly apiKey?: string | undefined;
  /** The tenant's signing secret. Given, every signed answer is verified before you get it. */
  readonly signingSecret?: string | undefined;
  /** Default: the global `fetch`. */
  readonly fetch?: Fetch | undefined;
  /** For one attempt. Default: 120,000. */
  readonly timeoutMilliseconds?: number | undefined;
  readonly retries?: Retries | undefined;
}

export interface ClientOptions extends CommonOptions {
  /** The application host, such as `https://travel.example.com`. */
  readonly baseUrl: string;
  /** Default: the key's own tenant. */
  readonly tenantId?: string | undefined;
  /** The user for whom tools are called, unless a call names another. Default: the key's service account. */
  readonly userId?: string | undefined;
}

export interface PaidClientOptions extends CommonOptions {
  /** The edge host, which sells single calls. */
  readonly edgeUrl: string;
  /** A `fetch` that pays, such as that of `wrapFetchWithPayment` in `@x402/fetch`. */
  readonly fetch: Fetch;
}

interface ToolCaller {
  /** Every tool as a method. */
  readonly tools: Tools;
  /** Calls a tool whose name is known at run time only. */
  callTool(name: string, args: Readonly<Record<string, unknown>>, options?: ToolOptions): ToolAnswer<unknown, string>;
}

export interface Client extends ToolCaller {
  /** Every resource route as a method. */
  readonly routes: Routes;
  /** Says something to the service's agent and reads the events of the turn to its end. */
  converse(turn: OwnTurn | NamedTurn, options?: TurnOptions): AsyncGenerator<ConversationEvent, void>;
  /** Reads a conversation's events, the stored ones first, until no turn runs. */
  followConversation(conversationId: string, options?: FollowOptions): AsyncGenerator<ConversationEvent, void>;
  /** Reads a run's state and every change until it has ended. */
  followRun(runId: string, options?: Pick<RouteOptions, "signal">): AsyncGenerator<ReadWorkflowRunAnswer, void>;
  /** Reads the tenant's events as they happen, without an end. */
  followEvents(
    input?: Omit<ListEventsInput, "wait">,
    options?: Pick<RouteOptions, "signal">,
  ): AsyncGenerator<ListEventsAnswer, void>;
}

type Outcomes = Promise<Outcome<unknown, string>>;
type Method = (input?: RouteInput, options?: ToolOptions) => Outcomes;

const DISPATCH_PATH = "/api/agent/dispatch";
const DEFAULT_TIMEOUT_MILLISECONDS = 120_000;
const DEFAULT_ATTEMPTS = 4;
const DEFAULT_WAIT_MILLISECONDS = 30_000;
const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\b/;

/** A client of the application host, for the holder of a key. */
export function createClient(options: ClientOptions): Client {
  const { tenantId, userId } = options;
  const transport = openTransport(options.baseUrl, options);
  const callTool = async (name: string, args: RouteInput = {}, given: ToolOptions = {}): Outcomes => {
    const user = given.userId ?? userId;
    const attempted = await transport.request({
      method: "POST",
      path: DISPATCH_PATH,
      body: { tool: name, args, tenantId, userId: user },
      headers: makeHeaders(given, true),
      repetition: "repeatable",
      isSigned: true,
      ...given,
    });
    return "problem" in attempted ? attempted : readCall(attempted.value, attempted.attempts);
  };
  // The one marked place: the names, arguments and answers are those of the API description that both are generated from.
  const tools = bindMethods(TOOL_NAMES, (name) => (args, given) => callTool(name, args, given)) as unknown as Tools;
  const routes = bindRoutes(transport) as unknown as Routes;
  return {
    tools,
    routes,
    callTool,
    converse: (turn, given = {}) => converse(transport, turn, given),
    followConversation: (conversationId, given = {}) => followConversation(transport, conversationId, given),
    followRun: (runId, given) => followRun(routes, runId, given),
    followEvents: (input, given) => followEvents(routes, input, given),
  };
}

/**
 * A client of the edge host, where every call is paid with a wallet and most need no key. It repeats a call only if the service
 * said that it did nothing, because each attempt signs a payment of its own.
 */
export function createPaidClient(options: PaidClientOptions): ToolCaller {
  const transport = openTransport(options.edgeUrl, options);
  const callTool = async (name: string, args: RouteInput = {}, given: ToolOptions = {}): Outcomes => {
    const attempted = await transport.request({
      method: "POST",
      path: `/tools/${name}`,
      body: args,
      headers: makeHeaders(given, false),
      repetition: "untouched",
      // Without a key, answers are signed with a secret that only the service has.
      isSigned: options.apiKey !== undefined,
      ...given,
    });
    return "problem" in attempted ? attempted : readCall(attempted.value, attempted.attempts);
  };
  const tools = bindMethods(TOOL_NAMES, (name) => (args, given) => callTool(name, args, given)) as unknown as Tools;
  return { tools, callTool };
}

function openTransport(baseUrl: string, options: CommonOptions): Transport {
  const { apiKey, signingSecret, fetch, timeoutMilliseconds, retries } = options;
  return new Transport({
    baseUrl: baseUrl.replace(/\/+$/, ""),
    apiKey,
    signingSecret,
    // Called as a plain function: browsers refuse a fetch that is called on another object.
    fetch: fetch ?? ((input, init) => globalThis.fetch(input, init)),
    timeoutMilliseconds: timeoutMilliseconds ?? DEFAULT_TIMEOUT_MILLISECONDS,
    attempts: retries?.attempts ?? DEFAULT_ATTEMPTS,
    waitMilliseconds: retries?.waitMilliseconds ?? DEFAULT_WAIT_MILLISECONDS,
  });
}

const bindMethods = (names: readonly string[], bind: (name: string) => Method): Record<string, Method> =>
  Object.fromEntries(names.map((name) => [camelCase(name), bind(name)]));

function bindRoutes(transport: Transport): Record<string, Method> {
  const bound = ROUTES.map(([id, method, path, isSigned, isRepeatable]): [string, Method] => {
    const call: Method = async (input = {}, given = {}) => {
      const wait = Number(input.wait ?? 0);
      const attempted = await transport.request({
        method,
        path: fillPath(path, input),
        // A body that is left out counts as an empty object, which needs no content type.
        ...("body" in input ? { body: input.body } : {}),
        headers: makeHeaders(given, method === "POST"),
        repetition: isRepeatable === 1 ? "repeatable" : "untouched",
        isSigned: isSigned === 1,
        askedToWaitMilliseconds: wait * 1000,
        ...given,
      });
      return "problem" in attempted ? attempted : readRoute(attempted.value, attempted.attempts);
    };
    return [camelCase(id), call];
  });
  return Object.fromEntries(bound);
}

/** The key is made once a call, so that its repetitions have the same. */
function makeHeaders({ idempotencyKey, traceparent }: RouteOptions, needsKey: boolean) {
  return { "idempotency-key": idempotencyKey ?? (needsKey ? crypto.randomUUID() : undefined), traceparent };
}

function describeAnswer({ headers }: Received, attempts: number) {
  return {
    ok: true,
    traceId: headers.get("x-service-trace-id") ?? "",
    meterId: headers.get("x-service-meter-id") ?? undefined,
    priceMicroUsdc: undefined,
    isReplayed: headers.get("idempotent-replayed") === "true",
    payment: undefined,
    attempts,
  } as const;
}

/** A tool's answer, of either host. */
function readCall(received: Received, attempts: number): Outcome<unknown, string> {
  const shared = describeAnswer(received, attempts);
  const body = readObject(readJson(received.bytes));
  if (body === undefined || !("result" in body)) {
    return { ...refuse("unexpected_answer", { status: received.status, traceId: shared.traceId }), attempts };
  }
  const { result, priceMicroUsdc, payment } = body;
  return {
    ...shared,
    result,
    priceMicroUsdc: typeof priceMicroUsdc === "string" ? priceMicroUsdc : undefined,
    payment: readPayment(payment),
  };
}

function readPayment(payment: unknown) {
  const members = readObject(payment);
  if (members === undefined) return undefined;
  const { payer, amountUsdc, settlementTx } = members;
  const transaction = typeof settlementTx === "string" ? settlementTx : null;
  return { payer: String(payer), amountUsdc: String(amountUsdc), settlementTx: transaction };
}

function readRoute(received: Received, attempts: number): Outcome<unknown, string> {
  const { headers, bytes, status } = received;
  const shared = describeAnswer(received, attempts);
  const contentType = headers.get("content-type") ?? "";
  if (!JSON_TYPE.test(contentType)) {
    return { ...shared, result: bytes.length === 0 ? undefined : { contentType, bytes } };
  }
  const result = readJson(bytes);
  if (result !== undefined) return { ...shared, result };
  return { ...refuse("unexpected_answer", { status, traceId: shared.traceId }), attempts };
}
