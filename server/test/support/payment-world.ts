import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { chainEndings } from "../../src/contributions.ts";
import { newId } from "../../src/domain/ids.ts";
import type { PaymentTerms, SignedPayment } from "../../src/domain/payments.ts";
import type { Hex } from "../../src/domain/tokens.ts";
import type { PendingCall } from "../../src/kernel/contracts/charge.ts";
import { mint } from "../../src/modules/chain/development/mint-operation.ts";
import { createCalls } from "../../src/modules/charging/store-calls.ts";
import { PaymentCharges, type PaymentChargesOptions } from "../../src/modules/payments/paying/charge-by-payment.ts";
import type { PaymentLimits } from "../../src/modules/payments/paying/payment-limits.ts";
import { gatherPayments } from "../../src/modules/payments/settling/gather-payments.ts";
import { payment as paymentOperation } from "../../src/modules/payments/settling/payment-operation.ts";
import { sweepPayments } from "../../src/modules/payments/settling/sweep-payments.ts";
import { watchPayments } from "../../src/modules/payments/settling/watch-payments.ts";
import { isDatabaseAway } from "../../src/platform/database/transient.ts";
import { openChainWorld } from "./chain-world.ts";
import { silentLog } from "./identity.ts";
import { createProbes } from "./probe-tools.ts";
import { sandboxChain } from "./sandbox-chain.ts";

const TRANSFER = [
  { name: "from", type: "address" },
  { name: "to", type: "address" },
  { name: "value", type: "uint256" },
  { name: "validAfter", type: "uint256" },
  { name: "validBefore", type: "uint256" },
  { name: "nonce", type: "bytes32" },
] as const;

/** Longer than any machine stands still: a test whose call is not to wait says so. */
const CALL_PATIENCE_MILLISECONDS = 120_000;
const VALID_SECONDS = 3_600;

/** No surface counts here. */
export const unlimited: PaymentLimits = {
  countPayer: () => undefined,
  judge: (verification) => verification(),
};

const lower = (text: string): Hex => `0x${text.slice(2).toLowerCase()}`;

/** A real chain and a real database, with payers that sign, and as many service processes as a test wants. */
export async function openPaymentWorld() {
  const world = await openChainWorld();
  const { stores, pool, clock } = world;
  const openedChain = await world.open({ endings: chainEndings });
  const { chain, collection, submitter, facilitator, outcomes } = openedChain;
  const token = chain.tokens.USDC;
  const calls = createCalls(pool, stores.callPayments);
  const { tools } = createProbes();

  const buildTerms = (amount: bigint): PaymentTerms => ({
    network: `eip155:${chain.chainId}`,
    asset: token.address,
    payTo: collection.address,
    amount,
    maxTimeoutSeconds: 120,
    extra: { name: token.name, version: token.version },
  });

  /** Somebody with a key and so much money. */
  async function newPayer(balance: bigint) {
    const account = privateKeyToAccount(generatePrivateKey());
    const address = lower(account.address);
    if (balance > 0n) {
      await stores.chainTransactions.enqueue({
        ...sandboxChain,
        idempotencyKey: `mint:${address}`,
        tenantId: null,
        callId: null,
        purpose: "payer",
        operation: mint.of({ token: "USDC", to: address, amount: balance }),
        result: undefined,
      });
      await world.drain(openedChain);
    }
    async function sign(amount: bigint, change: { validBefore?: bigint; to?: Hex } = {}): Promise<SignedPayment> {
      const nonce: Hex = `0x${randomBytes(32).toString("hex")}`;
      const validAfter = 0n;
      const validBefore = change.validBefore ?? BigInt(Math.floor(Date.now() / 1000) + VALID_SECONDS);
      const payTo = change.to ?? collection.address;
      const signature = await account.signTypedData({
        domain: {
          name: token.name,
          version: token.version,
          chainId: chain.chainId,
          verifyingContract: token.address,
        },
        types: { TransferWithAuthorization: TRANSFER },
        primaryType: "TransferWithAuthorization",
        message: { from: address, to: payTo, value: amount, validAfter, validBefore, nonce },
      });
      const { asset, network: caip } = buildTerms(amount);
      return { network: caip, asset, payer: address, payTo, amount, validAfter, validBefore, nonce, signature };
    }

    /** All but so much of its money goes elsewhere, by a transfer that it signed itself. */
    async function spend(amount: bigint): Promise<void> {
      const to: Hex = `0x${randomBytes(20).toString("hex")}`;
      const { payer, ...signed } = await sign(amount, { to });
      await stores.chainTransactions.enqueue({
        ...sandboxChain,
        idempotencyKey: `spend:${signed.nonce}`,
        tenantId: null,
        callId: null,
        purpose: "stranger",
        operation: paymentOperation.of({ token: "USDC", to, from: payer, ...signedParts(signed) }),
        result: undefined,
      });
      await world.drain(openedChain);
    }
    return { address, sign, spend, balance: () => readBalance(address) };
  }

  async function readBalance(address: Hex): Promise<bigint> {
    const head = await chain.head();
    return (await chain.balances("USDC", [address], head.number))[0] ?? 0n;
  }

  /** Somebody else broadcasts what a payer has signed. */
  async function broadcast(signed: SignedPayment): Promise<void> {
    await stores.chainTransactions.enqueue({
      ...sandboxChain,
      idempotencyKey: `stranger:${signed.nonce}`,
      tenantId: null,
      callId: null,
      purpose: "stranger",
      operation: paymentOperation.of({ token: "USDC", to: signed.payTo, from: signed.payer, ...signedParts(signed) }),
      result: undefined,
    });
    await world.drain(openedChain);
  }

  /** The charging side of a service process. */
  function openProcess(processId: string, change: Partial<PaymentChargesOptions> = {}) {
    const charges = new PaymentCharges({
      stores,
      processId,
      clock,
      log: silentLog,
      calls,
      facilitatorFor: () => facilitator,
      isSignedByPayer: () => true,
      submissionFor: () => submitter,
      outcomesFor: () => outcomes,
      isTransient: isDatabaseAway,
      pause: (milliseconds) => delay(milliseconds, undefined, { ref: false }),
      batchWindowMilliseconds: 0,
      waitMilliseconds: CALL_PATIENCE_MILLISECONDS,
      ...change,
    });
    const shared = {
      stores,
      chain: sandboxChain,
      submission: submitter,
      tell: (ids: readonly string[], joined?: string) => charges.tell(ids, joined),
    } as const;
    return {
      processId,
      charges,
      gather: () => gatherPayments({ ...shared, clock, isBatched: true }),
      watch: (quietSeconds = 0, receivableSeconds = 0) =>
        watchPayments({
          ...shared,
          facilitator: change.facilitatorFor?.(sandboxChain) ?? facilitator,
          outcomes,
          log: silentLog,
          quietSeconds,
          receivableSeconds,
        }),
    };
  }

  function newCall(toolName: "probe_read" | "probe_write", tenantId: string | undefined, args: unknown): PendingCall {
    const tool = tools.find(({ name }) => name === toolName);
    if (tool === undefined) throw new Error(`no tool ${toolName}`);
    const startedAt = clock.now();
    return {
      id: newId("call_", startedAt.epochMilliseconds),
      traceId: "trace",
      surface: "paid",
      tool,
      tenantId: tenantId ?? "payer:somebody",
      keyId: tenantId === undefined ? "" : `key_of_${tenantId}`,
      subject: "user_1",
      travelerId: "user_1",
      environment: "sandbox",
      paidBy: "payment",
      listPrice: tool.price,
      discountPercent: 0,
      price: tool.price,
      startedAt,
      idempotencyKey: undefined,
      args,
    };
  }

  /** A call on its way through a charge, in the kernel's order. */
  async function pay(
    { charges }: Pick<ReturnType<typeof openProcess>, "charges">,
    signed: SignedPayment,
    options: PayOptions = {},
  ) {
    const { tool = "probe_read", tenantId, args = { text: "a" }, terms = buildTerms(signed.amount) } = options;
    const run = options.run ?? (async (): Promise<Ran> => ({ result: { text: "done" } }));
    const principal =
      tenantId === undefined ? { payer: signed.payer, environment: "sandbox" as const } : buildPrincipal(tenantId);
    const charge = charges.open({ payment: signed, terms, principal, limits: unlimited });
    const call = newCall(tool, tenantId, args);
    await charge.admit?.(call);
    const reservation = await charge.reserve(call);
    if (reservation.kind === "replay") {
      return {
        call,
        replayed: true,
        outcome: reservation.outcome,
        price: reservation.receipt.price,
        receipt: reservation.receipt.payment,
      };
    }
    let ran: Ran;
    try {
      ran = await run(call);
    } catch (error) {
      await charge.release(call, { ok: false, code: "no_offers" }, true);
      throw error;
    }
    const { result, firstCallId } = ran;
    const settled = await charge.capture(call, result, 1, firstCallId);
    return { call, outcome: { ok: true, result }, ...settled, receipt: settled.payment };
  }

  return Object.assign(world, {
    settling: openedChain,
    calls,
    collection,
    buildTerms,
    newPayer,
    broadcast,
    openProcess,
    pay,
    readBalance,
    /** The books of a payer, and the collection wallet's balance on the chain. */
    async books({ address }: { address: Hex }) {
      const rows = await world.db
        .selectFrom("payment")
        .selectAll()
        .where("payer", "=", address)
        .orderBy("id")
        .execute();
      const purse = await world.db
        .selectFrom("paymentPayer")
        .select(["openMicro", "receivables", "underWay", "settled"])
        .where("payer", "=", address)
        .executeTakeFirst();
      const callIds = rows.map((row) => row.callId);
      const records = await world.db
        .selectFrom("usageRecord")
        .selectAll()
        .where("callId", "in", callIds.length === 0 ? ["none"] : callIds)
        .execute();
      return {
        states: rows.map((row) => row.state),
        rows,
        open: purse?.openMicro ?? 0n,
        receivables: purse?.receivables ?? 0,
        underWay: purse?.underWay ?? 0,
        settled: purse?.settled ?? 0,
        recorded: records.reduce((sum, row) => sum + row.priceMicro, 0n),
        records,
      };
    },
    /** As if its last tries had failed at once: the next ones, which come when a payment is twice as old as then, are due. */
    async failAtOnce({ address }: { address: Hex }): Promise<void> {
      await pool.query("update payment set created_at = updated_at where payer = $1", [address]);
    },
    /** `processId` was silent for a while, and another process that was there all the time sweeps after it. */
    async sweepAfter(processId: string) {
      for (const id of [processId, "proc_sweeper"]) await calls.heartbeat(id);
      const age = `update service_process set started_at = now() - interval '60 s',
        seen_at = now() - make_interval(secs => $2) where id = $1`;
      await pool.query(age, [processId, 20]);
      await pool.query(age, ["proc_sweeper", 1]);
      return await sweepPayments({ payments: stores.payments, processId: "proc_sweeper", log: silentLog });
    },
  });
}

export interface PayOptions {
  tool?: "probe_read" | "probe_write";
  tenantId?: string;
  args?: unknown;
  terms?: PaymentTerms;
  run?(call: PendingCall): Promise<Ran>;
}

interface Ran {
  result: unknown;
  firstCallId?: string;
}

export type PaymentWorld = Awaited<ReturnType<typeof openPaymentWorld>>;

function signedParts({ amount, validAfter, validBefore, nonce, signature }: Omit<SignedPayment, "payer">) {
  return { amount, validAfter, validBefore, nonce, signature };
}

function buildPrincipal(tenantId: string) {
  return {
    keyId: `key_of_${tenantId}`,
    tenantId,
    serviceAccountId: `svc:key_of_${tenantId}`,
    scopes: ["*"],
    environment: "sandbox",
    plan: "free",
    signingSecret: "secret",
    expiresAt: undefined,
    defaultTravelerId: undefined,
  } as const;
}
