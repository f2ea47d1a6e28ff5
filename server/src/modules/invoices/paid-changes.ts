import { z } from "zod";
import { type Micro, parseDecimal } from "../../domain/money.ts";
import type { Hex } from "../../domain/tokens.ts";
import type { BoughtOrder } from "../orders/index.ts";
import type { Stores } from "./context.ts";
import type { InvoiceDocument } from "./document.ts";

/** A change of an order that cost money, paid from the wallet after the booking. */
export interface PaidChange {
  changeId: string;
  paid: Micro;
  transactionHash: Hex;
  paidAt: Temporal.Instant;
}

/** The members of a confirmed change's answer that say how it was paid. */
const Paid = z.object({
  chargedUsdc: z.string().default("0"),
  chargeTransferId: z.string().nullable().default(null),
});

/** Oldest first. Undefined: the chain has not confirmed all of their payments yet. */
export async function listPaidChanges(
  { servicingActions, chainTransactions }: Pick<Stores, "servicingActions" | "chainTransactions">,
  { environment, orderId, events }: Pick<BoughtOrder, "environment" | "orderId" | "events">,
): Promise<readonly PaidChange[] | undefined> {
  const done = await servicingActions.listDone(environment, orderId);
  const changes: PaidChange[] = [];
  for (const { kind, subjectId: changeId, result, createdAt } of done) {
    const { chargedUsdc, chargeTransferId } = Paid.parse(kind === "flight_change" ? (result ?? {}) : {});
    const paid = parseDecimal(chargedUsdc) ?? 0n;
    if (paid === 0n) continue;
    const transaction = chargeTransferId === null ? undefined : await chainTransactions.get(chargeTransferId);
    if (transaction?.state !== "confirmed" || transaction.hash === undefined) return undefined;
    const changed = events.find((event) => event.kind === "changed" && event.details.changeId === changeId);
    changes.push({ changeId, paid, transactionHash: transaction.hash, paidAt: changed?.at ?? createdAt });
  }
  return changes.toSorted((one, other) => Temporal.Instant.compare(one.paidAt, other.paidAt));
}

/** The changes that none of the order's receipts shows. */
export function pickUnreceipted(
  changes: readonly PaidChange[],
  issued: readonly { document: Pick<InvoiceDocument, "changes"> }[],
): readonly PaidChange[] {
  const known = new Set(issued.flatMap(({ document }) => document.changes.map(({ changeId }) => changeId)));
  return changes.filter(({ changeId }) => !known.has(changeId));
}
