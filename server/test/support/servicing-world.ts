import { randomBytes } from "node:crypto";
import { z } from "zod";
import { systemRandom } from "../../src/domain/ids.ts";
import { reconcileEffects } from "../../src/modules/effects/reconcile-effects.ts";
import { ledgerImbalance } from "../../src/modules/ledger/store.ts";
import { confirmCancellation, type ServicingToolPorts } from "../../src/modules/servicing/confirm-cancellation.ts";
import { confirmChange } from "../../src/modules/servicing/confirm-change.ts";
import { servicingCommits } from "../../src/modules/servicing/servicing-commits.ts";
import { SERVICING_PURPOSE, servicingUse } from "../../src/modules/servicing/servicing-effect.ts";
import { transfer } from "../../src/modules/treasury/transfer-operation.ts";
import { openBookingWorld, PATIENCE_MILLISECONDS, QUIET_MILLISECONDS } from "./booking-world.ts";
import { silentLog } from "./identity.ts";
import { createMemoryServicing } from "./memory-servicing.ts";
import { offer } from "./offers.ts";
import { sandboxChain } from "./sandbox-chain.ts";

const OPENING = 100_000_000_000n;
export type What = "cancellation" | "change by balance" | "change by wallet" | "stay";

const Booked = z.object({ orderId: z.string() });

const hash = (): `0x${string}` => `0x${randomBytes(32).toString("hex")}`;

/** A tenant with booked orders, a supplier that services them, and real storage; there is no chain but for `confirmTransfers`. */
export async function openServicingWorld() {
  const world = await openBookingWorld();
  const { stores, db, clock } = world;
  // The money for refunds of cancellations has come in before.
  const movement = { token: "USDC", from: hash(), to: hash(), amount: OPENING, blockNumber: 1n, logIndex: 0 } as const;
  await stores.ledger.postMovements(sandboxChain, [
    { movement: { ...movement, transactionHash: hash() }, from: undefined, to: { kind: "collection" } },
  ]);
  let next = 0;

  const tenant = await world.newTenant(OPENING);
  const { caller, purse, supplier } = tenant;

  /** An order of the one tenant, booked and paid. */
  async function newOrder() {
    next += 1;
    const offerId = `off_serviced_${next}`;
    supplier.offers.set(offerId, offer({ id: offerId }));
    const { orderId } = Booked.parse((await tenant.book({ offerId })).result);
    const [cancellationId, changeId, stayQuoteId] = [`ore_${orderId}`, `oce_${orderId}`, `scq_${orderId}`];
    const servicing = createMemoryServicing(orderId, {
      quietMilliseconds: QUIET_MILLISECONDS,
      confirmedAt: clock.now().toString(),
    });
    const quote = { refundAmount: "300.00", refundCurrency: "USD", expiresAt: undefined };
    const { tenantId } = caller;
    await stores.servicingQuotes.insertStayCancellation({
      id: stayQuoteId,
      tenantId,
      environment: "sandbox",
      stayId: orderId,
      ...quote,
    });
    const before = await read();
    const ports: ServicingToolPorts = {
      flights: supplier.flights,
      flightServicing: servicing.flightServicing,
      stays: supplier.flights,
      stayBookings: servicing.stayBookings,
      stores,
      clock,
      random: systemRandom,
      submission: {
        wake: () => undefined,
        async waitForEnd(transactionId) {
          await confirmTransfers();
          return await stores.chainTransactions.get(transactionId);
        },
      },
    };

    async function act(what: What, by: ServicingToolPorts = ports, options = {}) {
      const call = { caller, callId: await tenant.newCall() };
      const limits = { answerMilliseconds: PATIENCE_MILLISECONDS, waitMilliseconds: PATIENCE_MILLISECONDS, ...options };
      if (what === "cancellation") return await confirmCancellation(by, call, cancellationId, limits);
      if (what === "stay") return await confirmCancellation(by, call, stayQuoteId, limits);
      const type = what === "change by wallet" ? "arc" : "balance";
      const payment = { type, amount: "90.50", currency: "USD" } as const;
      return await confirmChange(by, call, { changeId, payment }, limits);
    }

    /** One pass of the reconciler, after this time. */
    async function reconcile(after: Temporal.DurationLike, by: ServicingToolPorts = ports): Promise<number> {
      clock.advance(after);
      next += 1;
      const portsFor = () => ({ submission: by.submission, commits: servicingCommits(by) });
      const workerId = `reconciler_${next}`;
      return await reconcileEffects([servicingUse({ stores: by.stores, clock }, portsFor)], {
        workerId,
        log: silentLog,
      });
    }

    async function actions() {
      const rows = await db
        .selectFrom("servicingAction")
        .selectAll()
        .where("orderId", "=", orderId)
        .orderBy("id")
        .execute();
      const calls = await db.selectFrom("call").select(["id", "effect"]).execute();
      return rows.map(({ state, failureCode, callId }) => ({
        state,
        code: failureCode,
        effect: calls.find(({ id }) => id === callId)?.effect,
      }));
    }

    /** Both sides' books: the supplier's receipts less its refunds equal the tenant's loss. */
    async function audit() {
      const rows = await actions();
      const after = await read();
      return {
        states: rows.map(({ state }) => state),
        unsettled: rows.filter(({ state }) => state !== "done" && state !== "failed").length,
        effectsFit: rows.every(({ state, effect }) => effect === (state === "done" ? "done" : "failed")),
        held: after.held,
        lost: before.owned - after.owned,
        supplierHas: servicing.paid(),
        times: servicing.effects.cancellation + servicing.effects.change + servicing.effects.stay,
        imbalance: await ledgerImbalance(db),
      };
    }

    const order = await stores.orders.find(caller.tenantId, "sandbox", orderId);
    if (order === undefined) throw new Error(`${orderId} is no order of the tenant`);
    /** Confirms any quote of a cancellation. */
    const confirm = async (id: string) =>
      await confirmCancellation(ports, { caller, callId: await tenant.newCall() }, id);
    return { order, servicing, ports, act, confirm, reconcile, actions, audit };
  }

  /** The tenant's money, including refunds that no chain executes. */
  async function read() {
    const balance = await stores.ledger.balance(purse);
    const open = await stores.chainTransactions.listOpen(sandboxChain, 1_000_000);
    const refunds = open
      .filter(({ purpose }) => purpose === "refund")
      .reduce((sum, { operation }) => sum + (transfer.read(operation)?.amount ?? 0n), 0n);
    return { held: balance.held, owned: balance.available + balance.held + refunds };
  }

  /** As the submitter does when the chain has them. */
  async function confirmTransfers(): Promise<void> {
    const open = await stores.chainTransactions.listOpen(sandboxChain, 1_000_000);
    for (const { id, tenantId, purpose, operation } of open) {
      const sent = transfer.read(operation);
      if (purpose !== SERVICING_PURPOSE || sent === undefined || tenantId === null) continue;
      const transactionHash = hash();
      const { token, from, to, amount } = sent;
      await stores.ledger.postMovements(sandboxChain, [
        {
          movement: { token, from, to, amount, transactionHash, logIndex: 0, blockNumber: 2n },
          from: { kind: "treasury", tenantId },
          to: { kind: "collection" },
        },
      ]);
      next += 1;
      await db
        .updateTable("chainTransaction")
        .set({ state: "confirmed", hash: transactionHash, raw: "0x00", nonce: BigInt(next), blockNumber: 2n })
        .where("id", "=", id)
        .execute();
    }
  }

  return { ...world, newOrder, confirmTransfers };
}

export type ServicingWorld = Awaited<ReturnType<typeof openServicingWorld>>;
export type ServicedOrder = Awaited<ReturnType<ServicingWorld["newOrder"]>>;
