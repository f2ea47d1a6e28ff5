import { METER_ID_HEADER } from "../http/audit-headers.ts";
import type { HttpAnswer, HttpRequest } from "../http/http.ts";
import { INVALID_REQUEST, isInitialize, isModernMessage, JSON_TYPE, rpcError } from "./json-rpc.ts";

/** The only revision with batches, and the last whose clients do not name their revision in a header. */
const BATCH_VERSION = "2025-03-26";
const MOST_MESSAGES = 20;

interface BatchOptions {
  /** Answers one message, as JSON. */
  answerOne(message: unknown): Promise<HttpAnswer>;
  /** Counts another call of this key. Throws if there are too many. */
  countOne(): Promise<unknown>;
}

/** Answers every message of a batch, in its order. Later revisions have no batches and get an error. */
export async function answerBatch(
  messages: readonly unknown[],
  request: HttpRequest,
  { answerOne, countOne }: BatchOptions,
): Promise<HttpAnswer> {
  const refusal = findRefusal(messages, request);
  if (refusal !== undefined) return rpcError(400, { code: INVALID_REQUEST, message: refusal });
  // The first was counted with the request.
  for (let counted = 1; counted < messages.length; counted += 1) await countOne();
  const answers = await Promise.all(messages.map(answerOne));
  const refused = answers.find(({ status }) => status === 401);
  if (refused !== undefined) return refused;
  const said = answers.filter(({ body }) => body !== "");
  if (said.length === 0) return { status: 202, headers: {}, body: "" };
  const headers: Record<string, string> = { "content-type": JSON_TYPE };
  // The results name the usage record of each.
  const meterIds = said.flatMap((answer) => answer.headers[METER_ID_HEADER] ?? []);
  if (meterIds.length === 1 && meterIds[0] !== undefined) headers[METER_ID_HEADER] = meterIds[0];
  return { status: 200, headers, body: `[${said.map(({ body }) => body).join(",")}]` };
}

function findRefusal(messages: readonly unknown[], request: HttpRequest): string | undefined {
  const version = request.header("mcp-protocol-version");
  if ((version !== undefined && version !== BATCH_VERSION) || messages.some(isModernMessage)) {
    return `Batches exist in revision ${BATCH_VERSION} only. Send each message in a separate request.`;
  }
  if (messages.length === 0) return "The batch is empty. Send at least one message.";
  if (messages.length > MOST_MESSAGES) return `The batch has more than ${MOST_MESSAGES} messages. Send fewer at once.`;
  if (messages.some(isInitialize)) return "An initialize request cannot be part of a batch. Send it separately.";
  return undefined;
}
