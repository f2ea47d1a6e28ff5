import type { z } from "zod";
import { unauthorized } from "../../../domain/errors.ts";
import { type Caller, type CallInfo, Replayed } from "../../../kernel/contracts/tool.ts";
import { chooseOwner, chooseUser, type UserParts } from "../callers/choose-user.ts";
import type { Parts } from "../context.ts";
import { type ConversationOwner, type StoredEvent, type TurnSummary, toConversationOwner } from "../conversations.ts";
import { type AgentAnswer, describeAgentTurn } from "./agent-answer.ts";

export interface AgentTurnParts extends UserParts, Pick<Parts, "conversations"> {
  readonly stores: Pick<Parts["stores"], "conversationLinks" | "turns">;
}

interface AskedAgent {
  text: string;
  locale: string | undefined;
  conversationId: string | undefined;
}

interface AskedWait {
  seconds: number;
  call: Pick<CallInfo, "signal" | "progress">;
}

/** Clients give up on a call near 60 s, and lose streams before. */
export const LONGEST_WAIT_SECONDS = 25;

/**
 * Runs a turn for a calling agent, and answers when it ends, or after 25 s. The same text again in the same state of the
 * conversation is the same turn, for which the first call paid.
 */
export async function askAgent(
  parts: AgentTurnParts,
  caller: Caller,
  call: CallInfo,
  { text, locale, conversationId }: AskedAgent,
): Promise<z.output<typeof AgentAnswer> | Replayed<z.output<typeof AgentAnswer>>> {
  const confirmPrincipal = () => parts.identity.findPrincipal(caller.keyId, { fresh: true });
  const principal = await confirmPrincipal();
  if (principal === undefined) throw unauthorized();
  const userId = await chooseUser(parts, principal, caller.namedUserId);
  const begun = await parts.conversations.begin({
    principal,
    confirmPrincipal,
    userId,
    conversationId,
    channel: "mcp",
    locale,
    text,
    idempotencyKey: call.idempotencyKey,
    callId: call.id,
    traceId: call.traceId,
    isNaturallyIdempotent: true,
  });
  const answer = await followTurn(parts, toConversationOwner(principal, userId), begun, {
    seconds: LONGEST_WAIT_SECONDS,
    call,
  });
  return begun.firstCallId === undefined ? answer : new Replayed(answer, begun.firstCallId);
}

/** The turn when it has ended, or as it is after the wait. Undefined: the caller has no such turn. */
export async function readAgentTurn(
  parts: AgentTurnParts,
  caller: Caller,
  { conversationId, turnId }: Pick<TurnSummary, "conversationId" | "turnId">,
  wait: AskedWait,
): Promise<z.output<typeof AgentAnswer> | undefined> {
  const principal = await parts.identity.findPrincipal(caller.keyId, { fresh: false });
  if (principal === undefined) throw unauthorized();
  const owner = await chooseOwner(parts, principal, caller.namedUserId);
  const turn = await parts.conversations.readTurn(owner, conversationId, turnId);
  return turn === undefined ? undefined : await followTurn(parts, owner, turn, wait);
}

async function followTurn(
  { conversations, stores }: AgentTurnParts,
  owner: ConversationOwner,
  turn: Pick<TurnSummary, "conversationId" | "turnId" | "after">,
  { seconds, call }: AskedWait,
): Promise<z.output<typeof AgentAnswer>> {
  const { conversationId, turnId, after } = turn;
  const events: StoredEvent[] = [];
  const signal = AbortSignal.any([call.signal, AbortSignal.timeout(seconds * 1_000)]);
  for await (const event of conversations.follow(owner, conversationId, { after, turnId, signal })) {
    events.push(event);
    if (event.type === "tool_call") call.progress(`calls ${String(JSON.parse(event.line).tool)}`);
    if (event.type === "reply_delta") call.progress("writes the reply");
  }
  return describeAgentTurn(turn, events, await stores.turns.results(owner, turnId));
}
