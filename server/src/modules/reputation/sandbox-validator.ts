import type { Hex } from "../../domain/tokens.ts";
import type { ConfirmedTransaction } from "../../kernel/contracts/chain-ending.ts";
import type { ChainKey } from "../../ports/chain/chain-key.ts";
import type { Aggregates } from "./context.ts";
import { ANSWER_PURPOSE, buildIntentKey, hashContent } from "./registry-intents.ts";
import { registryEntry } from "./registry-operation.ts";
import type { Validation, ValidationAnswer } from "./reputation.ts";

/** The sandbox's own validator: the operator's wallet, which answers by itself as soon as a request is on the chain. */

/** In the place of the answering tenant. */
const OPERATOR = "operator";
const BOOKING = /^urn:wayfare:booking:(0x[0-9a-f]{64})$/i;

/** For list_validators. */
export const WHAT_IT_CHECKS =
  "Answers by itself, within seconds. Send requestUri urn:wayfare:booking:<bookingId> of a booking of yours in escrow: it passes once its ticket is confirmed (confirm_ticketing). Everything else fails; responseUri says why.";

type Wallets = Pick<Aggregates["wallets"], "ensure">;

/** Undefined on live chains, where validators are somebody else's. */
export async function findSandboxValidator(wallets: Wallets, key: ChainKey): Promise<Hex | undefined> {
  return key.environment === "sandbox" ? (await wallets.ensure(key, "collection")).address : undefined;
}

/** Stores the answers in the transaction that confirms the requests. */
export async function answerRequests(
  aggregates: Pick<Aggregates, "chainTransactions" | "escrowBookings" | "validations" | "wallets">,
  confirmed: readonly ConfirmedTransaction[],
): Promise<void> {
  for (const { transaction } of confirmed) {
    const { environment, chain } = transaction;
    const action = registryEntry.read(transaction.operation)?.action;
    if (action?.name !== "request_validation") continue;
    const key = { environment, chain };
    const own = await findSandboxValidator(aggregates.wallets, key);
    if (own !== action.validator) continue;
    const validation = await aggregates.validations.find(key, action.requestHash);
    if (validation !== undefined) await answer(aggregates, own, validation);
  }
}

async function answer(
  aggregates: Pick<Aggregates, "chainTransactions" | "escrowBookings" | "validations">,
  from: Hex,
  validation: Validation,
): Promise<void> {
  const { environment, chain, requestHash, tag } = validation;
  const { response, responseUri } = await judge(aggregates, validation);
  const responseHash = hashContent({ requestHash, response, tag, responseUri });
  const id = `van_${validation.id.slice("val_".length)}`;
  const answer: ValidationAnswer = { id, tenantId: OPERATOR, response, responseUri, responseHash };
  if (!(await aggregates.validations.answer({ environment, chain }, requestHash, answer))) return;
  await aggregates.chainTransactions.enqueue({
    environment,
    chain,
    idempotencyKey: buildIntentKey(ANSWER_PURPOSE, id),
    tenantId: null,
    callId: null,
    purpose: ANSWER_PURPOSE,
    operation: registryEntry.of({
      token: "USDC",
      from,
      action: { name: "respond_validation", requestHash, response, responseUri, responseHash, tag },
    }),
    result: undefined,
  });
}

/** Whether the tenant's own booking has a confirmed ticket. */
async function judge(
  { escrowBookings }: Pick<Aggregates, "escrowBookings">,
  { tenantId, environment, requestUri }: Validation,
): Promise<{ response: 0 | 100; responseUri: string }> {
  const named = BOOKING.exec(requestUri ?? "")?.[1];
  if (named === undefined) return { response: 0, responseUri: say("no-booking-named") };
  const bookingId: Hex = `0x${named.slice(2).toLowerCase()}`;
  const booking = await escrowBookings.find(tenantId, environment, bookingId);
  if (booking === undefined) return { response: 0, responseUri: say("booking-not-found") };
  return booking.ticketHash === undefined
    ? { response: 0, responseUri: say("ticket-not-confirmed") }
    : { response: 100, responseUri: say("ticket-confirmed") };
}

const say = (finding: string): string => `urn:wayfare:finding:${finding}`;
