import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type ChainWorld, openChainWorld, recordingLog, UNIT } from "../../../../test/support/chain-world.ts";
import { sandboxChain } from "../../../../test/support/sandbox-chain.ts";
import { isRetryable } from "../../../domain/errors.ts";
import type { Hex } from "../../../domain/tokens.ts";
import { inTrace } from "../../../domain/trace.ts";
import { split } from "../../treasury/split-operation.ts";

const RECIPIENT: Hex = "0x00000000000000000000000000000000000000bb";

let world: ChainWorld;
beforeAll(async () => {
  world = await openChainWorld();
  world.openedChain.submitter.start();
});
afterEach(() => world.devChain.behave());
afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

const failing = (code: string) => expect.objectContaining({ name: "Failure", code });
const nothing = { USDC: 0n, EURC: 0n };

describe("money sent by a tenant", () => {
  it("leaves its wallet on the chain, and the books agree", async () => {
    const tenant = await world.newTenant();
    const callId = await world.newCall(tenant.tenant.id);
    const answer = await tenant.send(tenant.transfer(RECIPIENT, 30n * UNIT), { callId });
    expect(answer).toMatchObject({ kind: "confirmed", result: { ok: 1, chainId: 5_042_002, status: "confirmed" } });
    const receipt = await world.devChain.client.getTransactionReceipt({ hash: answer.transaction.hash ?? "0x" });
    expect(receipt.status).toBe("success");
    expect(receipt.from).not.toBe(tenant.wallet.address);
    expect(await tenant.balanceOnChain()).toBe(70n * UNIT);
    expect(await tenant.balance()).toEqual({ available: 70n * UNIT, held: 0n, outgoing: 0n });
    expect(await world.callEnd(callId)).toEqual({ effect: "done", result: answer.result });
    expect(await world.reconcile()).toEqual(nothing);
  });

  it("is sent to the node in the trace of its call", async () => {
    const tenant = await world.newTenant();
    const traceId = crypto.randomUUID().replaceAll("-", "");
    world.devChain.calls.length = 0;
    await inTrace(traceId, () => tenant.send(tenant.transfer(RECIPIENT, UNIT)));
    const sent = world.devChain.calls.filter(({ method }) => method === "eth_sendRawTransaction");
    expect(sent.map(({ traceparent }) => traceparent)).toEqual([
      expect.stringMatching(new RegExp(`^00-${traceId}-[0-9a-f]{16}-01$`)),
    ]);
  });

  it("reaches another tenant's wallet and its books", async () => {
    const [from, to] = [await world.newTenant(), await world.newTenant()];
    await from.send(from.transfer(to.wallet.address, 1n));
    expect((await to.balance()).available).toBe(100n * UNIT + 1n);
    expect(await world.reconcile()).toEqual(nothing);
  });

  it("is split on the chain to the last micro-unit, with the service's fee in the collection account", async () => {
    const tenant = await world.newTenant();
    const before = await tenant.balanceOnChain(world.openedChain.collection.address);
    const supplier: Hex = "0x00000000000000000000000000000000000000cc";
    const from = tenant.wallet.address;
    const parts = { gross: 33_333_333n, commissionBps: 1_000, serviceFeeBps: 100 };
    await tenant.send({ operation: split, input: { token: "USDC", from, supplier, ...parts } });
    expect(await tenant.balanceOnChain(supplier)).toBe(33_333_333n - 3_333_333n - 333_333n);
    expect((await tenant.balanceOnChain(world.openedChain.collection.address)) - before).toBe(333_333n);
    // The payer itself earns the commission.
    expect(await tenant.balanceOnChain()).toBe(100n * UNIT - 33_333_333n + 3_333_333n);
    expect(await world.reconcile()).toEqual(nothing);
  });

  it("suffices for 20 of 32 that are sent at once", async () => {
    const tenant = await world.newTenant(20n * UNIT);
    const before = await tenant.balanceOnChain(RECIPIENT);
    const ends = await Promise.allSettled(
      Array.from({ length: 32 }, () => tenant.send(tenant.transfer(RECIPIENT, UNIT))),
    );
    expect(ends.filter(({ status }) => status === "fulfilled")).toHaveLength(20);
    for (const end of ends) {
      if (end.status === "rejected") expect(end.reason).toEqual(failing("insufficient_balance"));
    }
    expect((await tenant.balanceOnChain(RECIPIENT)) - before).toBe(20n * UNIT);
    expect(await tenant.balance()).toEqual({ available: 0n, held: 0n, outgoing: 0n });
    expect(await world.reconcile()).toEqual(nothing);
  });

  it("is sent once per key under concurrent calls", async () => {
    const tenant = await world.newTenant();
    const order = tenant.transfer(RECIPIENT, 7n * UNIT);
    const callIds = await Promise.all(Array.from({ length: 5 }, () => world.newCall(tenant.tenant.id)));
    const answers = await Promise.all(
      callIds.map((callId) => tenant.send(order, { callId, idempotencyKey: `key:${tenant.tenant.id}` })),
    );
    const effects = await Promise.all(callIds.map(async (callId) => (await world.callEnd(callId)).effect));
    expect(effects.toSorted()).toEqual(["done", "none", "none", "none", "none"]);
    expect(answers.filter(({ kind }) => kind === "confirmed")).toHaveLength(1);
    expect(new Set(answers.map(({ transaction }) => transaction.hash)).size).toBe(1);
    expect(await tenant.balanceOnChain()).toBe(93n * UNIT);
    const other = tenant.transfer(RECIPIENT, 8n * UNIT);
    const again = world.stores.chainTransactions.enqueue({
      ...sandboxChain,
      idempotencyKey: `key:${tenant.tenant.id}`,
      tenantId: tenant.tenant.id,
      callId: null,
      purpose: "send_tokens",
      operation: other.operation.of(other.input),
      result: undefined,
    });
    await expect(again).rejects.toThrow(/with another operation/);
  });

  it("is not sent again by a call that repeats the key of one with an open outcome", async () => {
    const tenant = await world.newTenant();
    const call = (key: string) => world.newCall(tenant.tenant.id, key);
    const order = tenant.transfer(RECIPIENT, 9n * UNIT);
    const first = await call("monday");
    world.devChain.misbehave(({ method }) => (method === "eth_sendRawTransaction" ? "500" : "pass"));
    await expect(tenant.send(order, { callId: first, waitMilliseconds: 0 })).rejects.toEqual(
      failing("transfer_in_progress"),
    );
    expect(isRetryable("transfer_in_progress")).toBe(true);
    // The network takes transactions again once the second call has found the order, not before.
    const { submitter } = world.openedChain;
    const waitForEnd: typeof submitter.waitForEnd = async (...question) => {
      expect((await world.callEnd(first)).effect).toBe("open");
      world.devChain.behave();
      return await submitter.waitForEnd(...question);
    };
    const again = await tenant.send(
      order,
      { callId: await call("monday") },
      { submitter: { ...submitter, waitForEnd } },
    );
    expect(again).toMatchObject({ kind: "replayed", firstCallId: first });
    const other = tenant.transfer(RECIPIENT, 8n * UNIT);
    await expect(tenant.send(other, { callId: await call("monday") })).rejects.toEqual(failing("idempotency_mismatch"));
    expect(await tenant.balanceOnChain()).toBe(91n * UNIT);
    // Control: another key is another transfer, and so is no key.
    expect(await tenant.send(order, { callId: await call("tuesday") })).toMatchObject({ kind: "confirmed" });
    expect(await tenant.send(order)).toMatchObject({ kind: "confirmed" });
    expect(await tenant.send(order)).toMatchObject({ kind: "confirmed" });
    expect(await tenant.balanceOnChain()).toBe(64n * UNIT);
    // A transfer without effect may be tried again with its key.
    const blocked = tenant.transfer(world.openedChain.chain.tokens.USDC.address, UNIT);
    for (const callId of [await call("friday"), await call("friday")]) {
      await expect(tenant.send(blocked, { callId })).rejects.toEqual(failing("recipient_blocked"));
    }
    expect((await world.rows()).filter(({ requestKey }) => requestKey?.includes("friday"))).toHaveLength(2);
  });

  it("comes back if the token's issuer blocks the recipient", async () => {
    const tenant = await world.newTenant();
    const callId = await world.newCall(tenant.tenant.id);
    // A token blocks itself.
    const blocked = world.openedChain.chain.tokens.USDC.address;
    await expect(tenant.send(tenant.transfer(blocked, UNIT), { callId })).rejects.toEqual(failing("recipient_blocked"));
    expect(await tenant.balance()).toEqual({ available: 100n * UNIT, held: 0n, outgoing: 0n });
    expect((await world.callEnd(callId)).effect).toBe("failed");
    const row = (await world.rows()).find((one) => one.callId === callId);
    expect(row).toMatchObject({ state: "reverted", step: "withdraw" });
    expect(row?.failure).toMatch(/blacklisted/);
    expect(await world.reconcile()).toEqual(nothing);
  });
});

describe("several submitters at once", () => {
  it("execute every order once", async () => {
    const others = [await world.open(), await world.open()];
    for (const { submitter } of others) submitter.start();
    const tenant = await world.newTenant();
    const relayer = (await world.openedChain.wallets.list(sandboxChain)).find(({ kind }) => kind === "relayer");
    const address = relayer?.address ?? "0x";
    const before = await world.devChain.client.getTransactionCount({ address });
    const everybody = [world.openedChain, ...others];
    await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        tenant.send(tenant.transfer(RECIPIENT, 1_000n), {}, everybody[index % 3] ?? world.openedChain),
      ),
    );
    expect(await world.devChain.client.getTransactionCount({ address })).toBe(before + 12);
    expect(await tenant.balanceOnChain()).toBe(100n * UNIT - 12_000n);
    for (const { submitter } of others) await submitter.stop();
    expect(await world.reconcile()).toEqual(nothing);
  });

  it("end an order once, and sign it once", async () => {
    const tenant = await world.newTenant();
    const { transaction } = await tenant.send(tenant.transfer(RECIPIENT, UNIT));
    const { chainTransactions } = world.stores;
    const receipt = await world.openedChain.chain.receipt(transaction.hash ?? "0x");
    if (receipt === undefined) throw new Error("a confirmed transaction has no receipt");
    expect(await chainTransactions.finish(transaction.id, { state: "reverted", receipt, failure: "again" })).toBe(
      false,
    );
    expect(await chainTransactions.requeue(transaction.id, receipt.hash, "carry_out")).toBe(false);
    const { id, operation } = transaction;
    const sign = () => Promise.reject(new Error("signed again"));
    expect(
      await chainTransactions.sign(world.openedChain.sender.relayerWalletId, [{ id, step: "carry_out", sign }]),
    ).toEqual([]);
    expect(await chainTransactions.get(transaction.id)).toMatchObject({ state: "confirmed", hash: receipt.hash });
    // Nor one that was prepared for another step. Everything is rolled back.
    const stale = world.stores.transaction(async (aggregates) => {
      const { id: other } = await aggregates.chainTransactions.enqueue({
        ...sandboxChain,
        idempotencyKey: "stale",
        tenantId: null,
        callId: null,
        purpose: "test",
        operation,
        result: undefined,
      });
      const signFor = (step: "carry_out" | "withdraw") => {
        const signing = { id: other, step, sign: () => Promise.reject(new Error(`signed to ${step}`)) };
        return aggregates.chainTransactions.sign(world.openedChain.sender.relayerWalletId, [signing]);
      };
      expect(await signFor("withdraw")).toEqual([]);
      await signFor("carry_out");
    });
    await expect(stale).rejects.toThrow("signed to carry_out");
  });
});

it("keys occur in no log and no table", async () => {
  const log = recordingLog();
  const separate = await openChainWorld();
  try {
    const openedChain = await separate.open({ log });
    const tenant = await separate.newTenant();
    separate.devChain.misbehave(({ method }) => (method === "eth_sendRawTransaction" ? "500" : "pass"));
    await tenant.send(tenant.transfer(RECIPIENT, UNIT), { waitMilliseconds: 0 }, openedChain).catch(() => undefined);
    await openedChain.submitter.runOnce().catch((error: unknown) => log.error({ err: error }, "failed"));
    separate.devChain.behave();
    await separate.drain(openedChain);
    await tenant
      .send(tenant.transfer(openedChain.chain.tokens.USDC.address, UNIT), { waitMilliseconds: 0 }, openedChain)
      .catch(() => undefined);
    await separate.drain(openedChain);
    const wallets = await openedChain.wallets.list(sandboxChain);
    const keys = await Promise.all(wallets.map(({ id }) => separate.readKey(id)));
    expect(keys).toHaveLength(3);
    const { rows: tables } = await separate.pool.query<{ name: string }>(
      "select table_name as name from information_schema.tables where table_schema = 'public'",
    );
    const dump: string[] = [];
    for (const { name } of tables) {
      const { rows } = await separate.pool.query<{ text: string }>(`select to_jsonb(t)::text as text from "${name}" t`);
      dump.push(...rows.map(({ text }) => text));
    }
    const everything = [...log.lines, ...dump].join("\n").toLowerCase();
    for (const key of keys) expect(everything).not.toContain(key.slice(2));
    // Control: the searched output is not empty.
    expect(log.lines.length).toBeGreaterThan(2);
    for (const { address } of wallets) expect(everything).toContain(address);
  } finally {
    await separate[Symbol.asyncDispose]();
  }
});
