import { z } from "zod";
import { parseDecimal } from "../../../server/src/domain/money.ts";
import type { Hex } from "../../../server/src/domain/tokens.ts";
import { describeLoss } from "../client.ts";
import type { History } from "../history.ts";
import type { PaidOutcome, Purchase } from "./purchase.ts";

/** The price and payee of one call, from the service's answer to an unpaid request. */
export interface Terms {
  raw: unknown;
  amount: bigint;
  asset: Hex;
  payTo: Hex;
  network: string;
  maxTimeoutSeconds: number;
  extra: { name: string; version: string };
}

/** A buyer has to live with outages, and asks again with what it has signed. */
export interface Buyer {
  /** Rejects when it cannot be asked. */
  terms(tool: string, keyed: boolean): Promise<Terms>;
  /** `edge`: which of the hosts. `other`: with the other arguments. */
  ask(purchase: Purchase, edge: number, other: boolean, signal: AbortSignal): Promise<PaidOutcome>;
}

/** A buyer gives up on an answer after this time and repeats the call. */
const PATIENCE_MILLISECONDS = 8_000;

const Address = z.string().regex(/^0x[0-9a-fA-F]{40}$/);
const Hash = z.string().regex(/^0x[0-9a-f]{64}$/);
const Bought = z.object({
  paid: z.literal(true),
  payment: z.object({ payer: Address, amountUsdc: z.string(), settlementTx: Hash }),
  result: z.unknown(),
});
const Free = z.object({ paid: z.literal(false), payment: z.null(), result: z.unknown() });
const Problem = z.object({ code: z.string(), retryable: z.boolean(), reason: z.string().optional() });
const Price = z.looseObject({
  network: z.string(),
  amount: z.string(),
  asset: Address,
  payTo: Address,
  maxTimeoutSeconds: z.number(),
  extra: z.object({ name: z.string(), version: z.string() }),
});
const Required = z.object({ accepts: z.tuple([Price], Price) });

const lower = (text: string): Hex => `0x${text.slice(2).toLowerCase()}`;

export function createBuyer(options: {
  edgeUrls: readonly [string, ...string[]];
  apiKey: string;
  history: History;
}): Buyer {
  const { edgeUrls, apiKey, history } = options;
  const buildHeaders = (keyed: boolean): Record<string, string> => ({
    "content-type": "application/json",
    ...(keyed ? { authorization: `Bearer ${apiKey}` } : {}),
  });

  async function send(purchase: Purchase, edge: number, other: boolean, signal: AbortSignal): Promise<PaidOutcome> {
    const { tool, keyed, header, args, otherArgs } = purchase;
    const response = await fetch(`${edgeUrls[edge] ?? edgeUrls[0]}/tools/${tool}`, {
      method: "POST",
      headers: { ...buildHeaders(keyed), "payment-signature": header },
      body: JSON.stringify(other ? (otherArgs ?? args) : args),
      signal: AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MILLISECONDS)]),
    });
    const body = parseJson(await response.text());
    if (response.status !== 200) {
      const problem = Problem.safeParse(body).data;
      if (problem === undefined) return { kind: "open", code: `http_${response.status}`, other };
      const { code, reason, retryable } = problem;
      return retryable ? { kind: "open", code, other } : { kind: "refused", code, reason, other };
    }
    const bought = Bought.safeParse(body).data;
    if (bought === undefined) return { kind: "free", result: Free.parse(body).result, other };
    return {
      kind: "paid",
      settlementTx: lower(bought.payment.settlementTx),
      payer: lower(bought.payment.payer),
      amount: parseDecimal(bought.payment.amountUsdc),
      meterId: response.headers.get("x-service-meter-id") ?? undefined,
      result: bought.result,
      replayed: response.headers.get("idempotent-replayed") === "true",
      other,
    };
  }

  return {
    async terms(tool, keyed) {
      const url = `${edgeUrls[0]}/tools/${tool}`;
      const response = await fetch(url, { method: "POST", headers: buildHeaders(keyed), body: "{}" });
      const header = response.headers.get("payment-required") ?? "";
      const [raw] = Required.parse(parseJson(Buffer.from(header, "base64").toString("utf8"))).accepts;
      const { network, amount, asset, payTo, maxTimeoutSeconds, extra } = raw;
      return {
        raw,
        network,
        maxTimeoutSeconds,
        extra,
        amount: BigInt(amount),
        asset: lower(asset),
        payTo: lower(payTo),
      };
    },

    async ask(purchase, edge, other, signal) {
      const outcome = await send(purchase, edge, other, signal).catch(
        (error: unknown): PaidOutcome => ({
          kind: "open",
          code: signal.aborted ? "(round ended)" : describeOpenCall(error),
          other,
        }),
      );
      purchase.answers.push(outcome);
      record(history, purchase, outcome);
      return outcome;
    },
  };
}

/** For the report, and for kills on the heels of an answer. */
function record(history: History, { tool, args }: Purchase, outcome: PaidOutcome): void {
  if (outcome.kind === "paid") {
    const { meterId, amount: priceMicroUsdc, replayed } = outcome;
    const seen = { result: undefined, meterId, priceMicroUsdc, replayed, signed: true };
    history.record({ tool, args }, { kind: "ok", ...seen });
    return;
  }
  if (outcome.kind === "free") {
    history.record({ tool, args }, { kind: "refused", code: "(paid before)", retryable: false });
    return;
  }
  const code = outcome.kind === "refused" && outcome.reason !== undefined ? outcome.reason : outcome.code;
  history.record({ tool, args }, { kind: "refused", code, retryable: outcome.kind === "open" });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** An answer of a shape that the interface does not have is not a lost one: it ends the run. */
function describeOpenCall(error: unknown): string {
  if (error instanceof z.ZodError) throw error;
  return describeLoss(error);
}
