import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { requireThere } from "../../../test/support/escrow-orders.ts";
import { createMigratedDatabase, type TestDatabase } from "../../../test/support/test-database.ts";
import { createVault } from "../../adapters/vault.ts";
import { createStores } from "../../contributions.ts";
import type { Hex } from "../../domain/tokens.ts";
import type { Stores } from "../../kernel/contracts/whole.ts";
import { type OpenDatabase, openDatabase } from "../../platform/database/database.ts";
import type { ChainKey } from "../../ports/chain/chain-key.ts";
import { systemClock } from "../../ports/clock.ts";

/**
 * The stores with two chains in one environment: a tenant has everything twice, and nothing of one chain is found on the other.
 * `two-chains.test.ts` runs the service with two.
 */

const TENANT = "tenant_two";
const hash = (): Hex => `0x${randomBytes(32).toString("hex")}`;
const address = (): Hex => `0x${randomBytes(20).toString("hex")}`;

let database: TestDatabase;
let open: OpenDatabase;
let stores: Stores;
let home: ChainKey;
let other: ChainKey;

beforeAll(async () => {
  database = await createMigratedDatabase();
  open = openDatabase(database.url, { poolSize: 4, onError: () => undefined });
  stores = createStores(open.db, systemClock, createVault(randomBytes(32)));
  home = await bind(5_042_002, true);
  other = await bind(43_113, false);
});
afterAll(async () => {
  await open.close();
  await database.drop();
});

async function bind(chainId: number, isHome: boolean): Promise<ChainKey> {
  const head = { number: 0n, hash: hash() };
  const { environment, chain } = await stores.boundChains.bind("sandbox", {
    chainId,
    genesisHash: hash(),
    head,
    isHome,
  });
  return { environment, chain };
}

const enqueue = (chain: ChainKey, idempotencyKey: string) =>
  stores.chainTransactions.enqueue({
    ...chain,
    idempotencyKey,
    tenantId: TENANT,
    callId: null,
    purpose: "test",
    operation: { kind: "test" },
    result: undefined,
  });

describe("the stores, with two chains of one environment", () => {
  it("have one home chain, which another one does not replace", async () => {
    expect(await stores.boundChains.requireHome("sandbox")).toEqual(home);
    expect(await bind(84_532, true)).toEqual(home);
    expect(await stores.boundChains.get(other)).toMatchObject({ chainId: 43_113, isHome: false });
  });

  it("stop and are read apart", async () => {
    await stores.boundChains.stop(other, "a difference");
    await stores.boundChains.advance(requireThere(await stores.boundChains.get(other)), { number: 7n, hash: hash() });
    expect(await stores.boundChains.get(home)).toMatchObject({ stoppedBecause: undefined, indexed: { number: 0n } });
    expect(await stores.boundChains.get(other)).toMatchObject({
      stoppedBecause: "a difference",
      indexed: { number: 7n },
    });
    await stores.boundChains.resume(other);
  });

  it("have a wallet each, which the other does not know", async () => {
    const [here, there] = [
      await stores.wallets.ensure(home, "treasury", TENANT),
      await stores.wallets.ensure(other, "treasury", TENANT),
    ];
    expect(there.address).not.toBe(here.address);
    expect(await stores.wallets.findTreasury(home, TENANT)).toEqual(here);
    expect(await stores.wallets.findTreasury(other, TENANT)).toEqual(there);
    expect([...(await stores.wallets.findByAddress(other, [here.address, there.address])).keys()]).toEqual([
      there.address,
    ]);
    expect(await stores.wallets.list(home)).toEqual([here]);
  });

  it("have nonces and queues that do not mix, also under one idempotency key", async () => {
    const [relayer, otherRelayer] = [
      await stores.wallets.ensure(home, "relayer"),
      await stores.wallets.ensure(other, "relayer"),
    ];
    expect(otherRelayer.id).not.toBe(relayer.id);
    const mine = [await enqueue(home, "one"), await enqueue(home, "two")];
    const theirs = await enqueue(other, "one");
    expect(theirs.id).not.toBe(mine[0]?.id);
    expect((await stores.chainTransactions.listOpen(home, 10)).map(({ id }) => id)).toEqual(mine.map(({ id }) => id));
    expect((await stores.chainTransactions.listOpen(other, 10)).map(({ id }) => id)).toEqual([theirs.id]);
    expect((await stores.chainTransactions.findByKey(other, "one"))?.id).toBe(theirs.id);
    expect(await stores.chainTransactions.findByKey(other, "two")).toBeUndefined();
    const sign = (walletId: string, ids: readonly string[]) =>
      stores.chainTransactions.sign(
        walletId,
        ids.map((id) => ({ id, step: "carry_out", sign: async () => ({ raw: "0x01", hash: hash() }) })),
      );
    const signed = await sign(
      relayer.id,
      mine.map(({ id }) => id),
    );
    expect(signed.map(({ nonce }) => nonce).toSorted()).toEqual([0, 1]);
    const [signedThere] = await sign(otherRelayer.id, [theirs.id]);
    expect(signedThere?.nonce).toBe(0);
    const known = await stores.chainTransactions.knownHashes(home, [signedThere?.hash ?? "0x"]);
    expect(known.size).toBe(0);
    expect(await stores.chainTransactions.findByHash(home, signedThere?.hash ?? "0x")).toBeUndefined();
  });

  it("have accounts of their own for each kind and token, also for one signed transaction that is on both", async () => {
    const event = { transactionHash: hash(), logIndex: 0, blockNumber: 3n, from: address(), to: address() };
    const owner = { kind: "treasury", tenantId: TENANT } as const;
    const pay = (chain: ChainKey, amount: bigint) =>
      stores.ledger.postMovements(chain, [
        { movement: { token: "USDC", amount, ...event }, from: undefined, to: owner },
      ]);
    expect([await pay(home, 100n), await pay(other, 7n)]).toEqual([1, 1]);
    expect([await pay(home, 100n), await pay(other, 7n)]).toEqual([0, 0]);
    const purses = [home, other].map((chain) => ({ ...chain, tenantId: TENANT, token: "USDC" }) as const);
    const [here, there] = purses;
    if (here === undefined || there === undefined) throw new Error("there are two purses");
    await stores.ledger.hold(here, 30n, "booking:home");
    expect(await stores.ledger.balance(here)).toEqual({ available: 70n, held: 30n, outgoing: 0n });
    expect(await stores.ledger.balance(there)).toEqual({ available: 7n, held: 0n, outgoing: 0n });
    await expect(stores.ledger.hold(there, 8n, "booking:other")).rejects.toMatchObject({
      code: "insufficient_balance",
    });
    expect([(await stores.ledger.holds(here)).length, (await stores.ledger.holds(there)).length]).toEqual([1, 0]);
    const accounts = await open.db
      .selectFrom("ledgerAccount")
      .select(["chain", "kind", "tenantId"])
      .where("kind", "in", ["prefunded", "external"])
      .orderBy("kind")
      .orderBy("chain")
      .execute();
    expect(accounts).toHaveLength(4);
    const custody = await stores.custody.read(other, "USDC", 3n);
    expect(custody.map(({ amount }) => amount)).toEqual([7n]);
  });

  it("have payments of their own, though the token has one address on both", async () => {
    const claim = (chain: ChainKey, signed: ReturnType<typeof sign>) =>
      stores.payments.claim(
        {
          id: `pay_${randomBytes(8).toString("hex")}`,
          environment: chain.environment,
          signed,
          terms: { ...signed, maxTimeoutSeconds: 60, extra: { name: "USDC", version: "2" } },
          requestHash: "request",
          tool: "probe",
          tenantId: null,
          keyId: null,
          subject: "payer",
          callId: `call_${randomBytes(8).toString("hex")}`,
          processId: "process",
          traceId: "trace",
          listPrice: 1n,
          discountPercent: 0,
          hasEffects: false,
        },
        undefined,
      );
    const fixed = { asset: address(), payer: address(), payTo: address(), nonce: hash(), amount: 5n };
    const sign = ({ chain }: ChainKey) =>
      ({ ...fixed, network: chain, validAfter: 0n, validBefore: 9_999_999_999n, signature: "0x01" }) as const;
    expect(await claim(home, sign(home))).toEqual({ kind: "claimed" });
    expect(await stores.payments.find("sandbox", sign(other))).toBeUndefined();
    expect(await claim(other, sign(other))).toEqual({ kind: "claimed" });
    const paid = await stores.payments.find("sandbox", sign(home));
    await stores.payments.earn(paid?.id ?? "", { result: {}, latencyMs: 1, transactionIntent: undefined });
    expect([await stores.payments.isAnyUngathered(home), await stores.payments.isAnyUngathered(other)]).toEqual([
      true,
      false,
    ]);
    const payers = await open.db.selectFrom("paymentPayer").select(["chain", "openMicro"]).orderBy("chain").execute();
    expect(payers.map(({ openMicro }) => openMicro)).toEqual([5n, 5n]);
  });
});
