import { z } from "zod";
import { tokenSymbols } from "../../domain/tokens.ts";
import type { ChainOrder } from "../../ports/chain-transactions.ts";

const Address = z.templateLiteral(["0x", z.string().regex(/^[0-9a-f]{40}$/)]);
const Token = z.enum(tokenSymbols);
const Amount = z.string().regex(/^\d+$/).transform(BigInt);
const Seconds = Amount;
const Hash = z.templateLiteral(["0x", z.string().regex(/^[0-9a-f]{64}$/)]);
const Signature = z.templateLiteral(["0x", z.string().regex(/^(?:[0-9a-f]{2})+$/)]);
const Bps = z.int().min(0).max(10_000);

const authorization = {
  from: Address,
  amount: Amount,
  validAfter: Seconds,
  validBefore: Seconds,
  nonce: Hash,
  signature: Signature,
};

const EscrowAction = z.discriminatedUnion("name", [
  z.strictObject({ name: z.literal("claim"), guest: Address, deadline: Seconds, signature: Signature }),
  z.strictObject({ name: z.literal("reserve"), bookingId: Hash, amount: Amount }),
  z.strictObject({
    name: z.literal("commit"),
    bookingId: Hash,
    vendor: Address,
    vendorAmount: Amount,
    markup: Amount,
    serviceFee: Amount,
    itineraryHash: Hash,
  }),
  z.strictObject({ name: z.literal("confirm"), bookingId: Hash, ticketHash: Hash }),
  z.strictObject({ name: z.literal("settle"), bookingId: Hash }),
  z.strictObject({ name: z.literal("cancel"), bookingId: Hash, reason: z.string() }),
  z.strictObject({ name: z.literal("log"), actionId: Hash, actionType: z.string(), fee: Amount }),
  z.strictObject({ name: z.literal("close") }),
  z.strictObject({ name: z.literal("release") }),
  z.strictObject({ name: z.literal("release_booking"), bookingId: Hash }),
]);
const AgentRegistryAction = z.discriminatedUnion("name", [
  z.strictObject({ name: z.literal("register"), agentUri: z.string() }),
  z.strictObject({
    name: z.literal("give_feedback"),
    agentId: Amount,
    stars: z.int().min(1).max(5),
    tag: z.string(),
    feedbackUri: z.string(),
    feedbackHash: Hash,
  }),
  z.strictObject({
    name: z.literal("request_validation"),
    validator: Address,
    agentId: Amount,
    requestUri: z.string(),
    requestHash: Hash,
  }),
  z.strictObject({
    name: z.literal("respond_validation"),
    requestHash: Hash,
    response: z.int().min(0).max(100),
    responseUri: z.string(),
    responseHash: Hash,
    tag: z.string(),
  }),
]);

const StoredOrder = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("transfer"), token: Token, from: Address, to: Address, amount: Amount }),
  z.strictObject({
    kind: z.literal("split"),
    token: Token,
    from: Address,
    supplier: Address,
    gross: Amount,
    commissionBps: Bps,
    serviceFeeBps: Bps,
  }),
  z.strictObject({ kind: z.literal("drip"), token: Token, to: Address }),
  z.strictObject({ kind: z.literal("mint"), token: Token, to: Address, amount: Amount }),
  z.strictObject({ kind: z.literal("payment"), token: Token, to: Address, ...authorization }),
  z.strictObject({
    kind: z.literal("payment_batch"),
    token: Token,
    to: Address,
    payments: z.array(z.strictObject(authorization)).min(1),
  }),
  z.strictObject({
    kind: z.literal("trip_prefund"),
    token: Token,
    escrow: Address,
    tripId: Hash,
    terms: z.strictObject({
      funder: Address,
      budget: Amount,
      expiresAt: Seconds,
      claimSigner: Address,
      metadataHash: Hash,
      salt: Hash,
    }),
  }),
  z.strictObject({
    kind: z.literal("escrow"),
    token: Token,
    escrow: Address,
    tripId: Hash,
    action: EscrowAction,
  }),
  z.strictObject({ kind: z.literal("agent_registry"), token: Token, from: Address, action: AgentRegistryAction }),
]);

/** What others wrote, which may begin with 0x too, stays as it is. */
const FREE_TEXT: ReadonlySet<string> = new Set([
  "tag",
  "agentUri",
  "feedbackUri",
  "requestUri",
  "responseUri",
  "reason",
  "actionType",
]);

/** JSON has no large integers: amounts are decimal text, addresses in lower case. What cannot be read again is refused. */
export function toStoredOrder(order: ChainOrder): string {
  const text = JSON.stringify(order, (name, value: unknown) => {
    if (typeof value === "bigint") return value.toString();
    const isHex = typeof value === "string" && value.startsWith("0x") && !FREE_TEXT.has(name);
    return isHex ? value.toLowerCase() : value;
  });
  StoredOrder.parse(JSON.parse(text));
  return text;
}

export function fromStoredOrder(value: unknown): ChainOrder {
  return StoredOrder.parse(value);
}
