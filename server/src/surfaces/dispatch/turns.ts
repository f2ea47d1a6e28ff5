import { unauthorized } from "../../domain/errors.ts";
import { buildScope, hasScope, missingScope } from "../../domain/scopes.ts";
import type { SentEvent } from "../../kernel/contracts/route.ts";
import type { Principal } from "../../ports/identity.ts";
import type { Admitted } from "../http/admission.ts";
import { answerWithEvents } from "../http/events-answer.ts";
import type { HttpAnswer, HttpRequest } from "../http/http.ts";
import { type AskedTurn, readTurn } from "./read-turn.ts";

/** A turn that is asked for, by whom. */
interface Turn extends Omit<AskedTurn, "tenantId"> {
  principal: Principal;
  confirmPrincipal: Admitted["confirm"];
  traceId: string;
  idempotencyKey: string | undefined;
}

/** Begins a turn. Its events can be followed as long as somebody reads them; it goes on without a reader. */
export type BeginTurn = (turn: Turn) => Promise<(signal: AbortSignal) => AsyncIterable<SentEvent>>;

export interface TurnOptions {
  beginTurn: BeginTurn;
  /** Throws unless the tenant is the key's, and the user one of its users. */
  checkCaller(asked: Pick<AskedTurn, "tenantId" | "userId">, principal: Principal): Promise<void>;
}

const SCOPE = buildScope("conversations", "write");

/** Answers a body that has no tool with the events of the turn that it asks for. */
export async function answerTurn(
  request: HttpRequest,
  body: Readonly<Record<string, unknown>>,
  { principal, confirm, traceId }: Admitted & { traceId: string },
  { beginTurn, checkCaller }: TurnOptions,
): Promise<HttpAnswer> {
  if (!hasScope(principal.scopes, SCOPE)) throw missingScope("a turn of a conversation", [SCOPE]);
  const { tenantId, ...asked } = readTurn(body);
  // It writes, so it does not rest on a cached key.
  const [confirmed] = await Promise.all([confirm(), checkCaller({ tenantId, userId: asked.userId }, principal)]);
  if (confirmed === undefined) throw unauthorized();
  const follow = await beginTurn({
    ...asked,
    principal: confirmed,
    confirmPrincipal: confirm,
    traceId,
    idempotencyKey: request.header("idempotency-key"),
  });
  return await answerWithEvents(request, follow(request.signal), summarizeTurn);
}

/** The document of a turn begins with the members of its first and last event. */
function summarizeTurn(events: readonly Readonly<Record<string, unknown>>[]): Readonly<Record<string, unknown>> {
  const { type: _, sequence: __, at: ___, ...summary } = { ...events[0], ...events.at(-1) };
  return summary;
}
