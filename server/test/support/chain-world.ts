import { setTimeout as delay } from "node:timers/promises";
import { chainOperations, createStores } from "../../src/contributions.ts";
import type { Hex } from "../../src/domain/tokens.ts";
import { createSigner } from "../../src/modules/chain/store-wallets.ts";
import { type SendOutRequest, sendOut } from "../../src/modules/treasury/send-out.ts";
import { transfer } from "../../src/modules/treasury/transfer-operation.ts";
import { createHttpClient } from "../../src/platform/http-client/http-client.ts";
import type { ChainSubmission } from "../../src/ports/chain/chain-transactions.ts";
import { systemClock } from "../../src/ports/clock.ts";
import type { Log } from "../../src/ports/log.ts";
import { type DevChain, startDevChain } from "./dev-chain.ts";
import { openTestIdentities, silentLog } from "./identity.ts";
import { equipSandboxTenant, type StartedSandboxOptions, startSandboxChain } from "./open-chain.ts";

export const UNIT = 1_000_000n;

/** Longer than any machine stalls: a test of a node that does not answer, or of a caller that does not wait, sets its own time-out. */
const PATIENCE_MILLISECONDS = 120_000;
const DRAIN_PATIENCE_MILLISECONDS = 45_000;
/** So many turns are enough for everything that nobody else has in hand. */
const DRAIN_TURNS = 100;
const DRAIN_PAUSE_MILLISECONDS = 20;

/** A development chain, a database, and as many submitters over both as a test wants. */
export async function openChainWorld(options: { chain?: DevChain } = {}) {
  const chain = options.chain ?? (await startDevChain());
  const setup = await openTestIdentities();
  const { db, vault } = setup;
  const clock = systemClock;
  const stores = createStores(db, clock, vault);
  const http = createHttpClient();
  const identity = setup.open();
  const shared = {
    operations: chainOperations,
    db,
    vault,
    clock,
    stores,
    http,
    log: silentLog,
    rpcUrl: chain.url,
    rpcTimeoutMilliseconds: PATIENCE_MILLISECONDS,
    funderKey: chain.funderKey,
  };
  const opened: { submitter: { stop(): Promise<void> } }[] = [];
  let next = 0;

  async function open(change: Partial<StartedSandboxOptions> = {}) {
    const openedChain = await startSandboxChain({ ...shared, timing: { resendMilliseconds: 0 }, ...change });
    opened.push(openedChain);
    return openedChain;
  }

  const openedChain = await open();

  /** Until nothing is open. What a submitter beside this one has in hand is waited for. */
  async function drain(by: { submitter: { runOnce(): Promise<number> } } = openedChain): Promise<void> {
    const deadline = performance.now() + DRAIN_PATIENCE_MILLISECONDS;
    for (let turn = 0; turn < DRAIN_TURNS || performance.now() < deadline; turn += 1) {
      if ((await by.submitter.runOnce()) === 0) return;
      // A transaction that arrived before its predecessor can be missing from the predecessor's block.
      await chain.mine();
      if (turn >= DRAIN_TURNS) await delay(DRAIN_PAUSE_MILLISECONDS);
    }
    throw new Error("there are transactions that do not come to an end");
  }

  async function newCall(tenantId: string, idempotencyKey: string | null = null): Promise<string> {
    next += 1;
    const id = `call_${next}`;
    await db
      .insertInto("call")
      .values({
        id,
        tenantId,
        keyId: "key",
        subject: "svc",
        tool: "send_tokens",
        surface: "test",
        period: "2026-11",
        listPriceMicro: 0n,
        discountPercent: 0,
        priceMicro: 0n,
        environment: "sandbox",
        usageStatus: "sandbox",
        traceId: "t",
        idempotencyKey,
        processId: "p",
        result: null,
        usageId: null,
        createdAt: clock.now().toString(),
        settledAt: null,
      })
      .execute();
    return id;
  }

  /** With a wallet and as much of both tokens, which the chain has when this resolves. */
  async function newTenant(amount = 100n * UNIT) {
    next += 1;
    const { tenant } = await identity.createTenant({ name: `Tenant ${next}`, actor: "test" });
    await stores.transaction((aggregates) => equipSandboxTenant(aggregates, tenant.id, amount));
    await drain();
    const wallet = await openedChain.wallets.ensure(openedChain.chain.key, "treasury", tenant.id);
    const purse = { ...openedChain.chain.key, tenantId: tenant.id, token: "USDC" } as const;
    const buildTransfer = (to: Hex, value: bigint) => ({
      operation: transfer,
      input: { token: "USDC" as const, from: wallet.address, to, amount: value },
    });

    /** As a tool does it. */
    async function send<Input>(
      { operation, input }: Pick<SendOutRequest<Input>, "operation" | "input">,
      change: Partial<Omit<SendOutRequest, "operation" | "input">> = {},
      by: { submitter: ChainSubmission } = openedChain,
      on: Pick<typeof openedChain, "chain" | "boundChains"> = openedChain,
    ) {
      const callId = change.callId ?? (await newCall(tenant.id));
      return await sendOut(
        { stores, chain: on.chain, submission: by.submitter },
        {
          tenantId: tenant.id,
          callId,
          idempotencyKey: callId,
          purpose: "send_tokens",
          operation,
          input,
          result: { ok: 1 },
          waitMilliseconds: PATIENCE_MILLISECONDS,
          ...change,
        },
      );
    }

    const balanceOnChain = async (address = wallet.address): Promise<bigint> => {
      const head = await openedChain.chain.head();
      return (await openedChain.chain.balances("USDC", [address], head.number))[0] ?? 0n;
    };
    return {
      tenant,
      wallet,
      purse,
      transfer: buildTransfer,
      send,
      balanceOnChain,
      balance: () => stores.ledger.balance(purse),
    };
  }

  return {
    ...setup,
    clock,
    stores,
    http,
    shared,
    devChain: chain,
    openedChain,
    open,
    newCall,
    identity,
    newTenant,
    drain,
    /** Reads and compares everything; returns the difference. */
    async reconcile(by = openedChain) {
      while (await by.indexer.runOnce());
      return await by.reconciler.runOnce();
    },
    /** Opens a wallet, as only a thief or a test does. */
    readKey: (walletId: string) => createSigner({ db, vault }).readPrivateKey(walletId),
    db,
    rows: () => db.selectFrom("chainTransaction").selectAll().orderBy("id").execute(),
    async callEnd(callId: string) {
      const row = await db
        .selectFrom("call")
        .select(["effect", "result"])
        .where("id", "=", callId)
        .executeTakeFirstOrThrow();
      return { effect: row.effect, result: row.result === null ? undefined : JSON.parse(row.result) };
    },
    async [Symbol.asyncDispose]() {
      for (const one of opened) await one.submitter.stop();
      http.close();
      await setup.close();
      if (options.chain === undefined) await chain.close();
    },
  };
}

export type ChainWorld = Awaited<ReturnType<typeof openChainWorld>>;

/** Remembers what was logged, for a look at what must not be in it. */
export function recordingLog(): Log & { lines: string[] } {
  const lines: string[] = [];
  const write = (fields: Readonly<Record<string, unknown>>, message: string) => {
    lines.push(
      JSON.stringify({ message, ...fields }, (_key, value: unknown) =>
        value instanceof Error
          ? { message: value.message, stack: value.stack, cause: value.cause }
          : typeof value === "bigint"
            ? value.toString()
            : value,
      ),
    );
  };
  return { lines, info: write, warn: write, error: write };
}
