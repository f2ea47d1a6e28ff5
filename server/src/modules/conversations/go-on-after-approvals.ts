import { newId, type RandomBytes } from "../../domain/ids.ts";
import type { Clock } from "../../ports/clock.ts";
import { startedLine } from "./begin-turn.ts";
import type { TurnRunner } from "./running/turn-runner.ts";
import type { Turns } from "./store.ts";
import type { DecidedCall } from "./stores/store-approvals.ts";
import type { NewTurn } from "./stores/store-begin.ts";

interface Going {
  turns: Turns;
  turnRunner: TurnRunner;
  clock: Clock;
  random: RandomBytes;
}

/** Calls that waited for an approver go on, each in a turn of its own that tells the user. */
export async function goOnAfterApprovals(going: Going, limit: number): Promise<void> {
  const { turns, turnRunner, clock } = going;
  for (const decided of await turns.decidedCalls(clock.now(), limit)) {
    const turn = buildTurn(going, decided);
    const began = await turns.begin(turn, startedLine(turn, clock.now()));
    // Too many messages wait: the next look begins it.
    if (began.kind === "full") continue;
    await turns.endAskedCall(decided);
    if (began.kind === "begun" && began.turn !== undefined) turnRunner.begin(began.turn, began.line, undefined);
  }
}

function buildTurn({ turnRunner, clock, random }: Going, decided: DecidedCall): NewTurn {
  const { callId, conversationId, tenantId, environment, ownerId, keyId, isNamed, channel } = decided;
  const now = clock.now();
  return {
    id: newId("trn_", now.epochMilliseconds, random),
    conversationId,
    tenantId,
    environment,
    ownerId,
    isNewConversation: false,
    keyId,
    userId: isNamed ? ownerId : undefined,
    channel,
    locale: "",
    text: undefined,
    continuesCall: callId,
    traceId: random(16).toHex(),
    // The same decision begins one turn, in whichever process it is seen.
    callId: undefined,
    idempotencyKey: `approval:${callId}`,
    requestHash: callId,
    sameSince: undefined,
    workerId: turnRunner.workerId,
    leasedUntil: turnRunner.leasedUntil(),
    createdAt: now,
  };
}
