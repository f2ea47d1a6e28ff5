import { z } from "zod";
import { tokenSymbols } from "../domain/tokens.ts";
import type { ChainOrder } from "../ports/chain-transactions.ts";

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
]);

/** JSON has no large integers: amounts are decimal text, addresses in lower case. What cannot be read again is refused. */
export function toStoredOrder(order: ChainOrder): string {
  const text = JSON.stringify(order, (_key, value: unknown) => {
    if (typeof value === "bigint") return value.toString();
    return typeof value === "string" && value.startsWith("0x") ? value.toLowerCase() : value;
  });
  StoredOrder.parse(JSON.parse(text));
  return text;
}

export function fromStoredOrder(value: unknown): ChainOrder {
  return StoredOrder.parse(value);
}
