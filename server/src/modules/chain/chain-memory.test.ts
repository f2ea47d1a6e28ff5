import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createMigratedDatabase, type TestDatabase } from "../../../test/support/test-database.ts";
import { createVault } from "../../adapters/vault.ts";
import { createStores } from "../../contributions.ts";
import type { Hex } from "../../domain/tokens.ts";
import type { Aggregates, Stores } from "../../kernel/contracts/whole.ts";
import { type OpenDatabase, openDatabase } from "../../platform/database/database.ts";
import { nameEvmChain } from "../../ports/chain/chain-key.ts";
import { systemClock } from "../../ports/clock.ts";

const HOME = { environment: "sandbox", chain: nameEvmChain(5_042_002) } as const;
const vault = createVault(randomBytes(32));
const hash = (): Hex => `0x${randomBytes(32).toString("hex")}`;

let database: TestDatabase;
const opened: OpenDatabase[] = [];
let stores: Stores;

/** Stores with a memory of their own, as another process has them. */
function openStores(): Stores {
  const open = openDatabase(database.url, { poolSize: 4, onError: () => undefined });
  opened.push(open);
  return createStores(open.db, systemClock, vault);
}

beforeAll(async () => {
  database = await createMigratedDatabase();
  stores = openStores();
  await bind(stores, "sandbox", 5_042_002);
});
afterAll(async () => {
  for (const open of opened) await open.close();
  await database.drop();
});

const bind = ({ boundChains }: Pick<Aggregates, "boundChains">, environment: "sandbox" | "production", id: number) =>
  boundChains.bind(environment, { chainId: id, genesisHash: hash(), head: { number: 0n, hash: hash() }, isHome: true });

const enqueue = ({ chainTransactions }: Pick<Aggregates, "chainTransactions">, idempotencyKey = hash()) =>
  chainTransactions.enqueue({
    ...HOME,
    idempotencyKey,
    tenantId: null,
    callId: null,
    purpose: "test",
    operation: { kind: "test" },
    result: undefined,
  });

/** Rolls back. */
async function undone(work: (aggregates: Aggregates) => Promise<void>): Promise<void> {
  const undo = new Error("undone");
  const all = stores.transaction(async (aggregates) => {
    await work(aggregates);
    throw undo;
  });
  await expect(all).rejects.toBe(undo);
}

describe("a remembered nonce", () => {
  const signed = async () => ({ raw: hash(), hash: hash() });
  /** Returns the stored nonces of so many new rows. */
  async function sign(by: Stores, rows = 1, sign: () => ReturnType<typeof signed> = signed) {
    const { id: relayer } = await by.wallets.ensure(HOME, "relayer");
    const signings = [];
    for (let row = 0; row < rows; row += 1) {
      signings.push({ id: (await enqueue(by)).id, step: "carry_out" as const, sign });
    }
    const stored = await by.chainTransactions.sign(relayer, signings);
    return stored.map(({ nonce }) => nonce).toSorted();
  }

  it("is not used once another process has taken it", async () => {
    const other = openStores();
    expect([await sign(stores), await sign(stores), await sign(other)]).toEqual([[0], [1], [2]]);
    // Here the next one is still believed to be 2, there 3.
    expect([await sign(stores, 2), await sign(other), await sign(other), await sign(stores)]).toEqual([
      [3, 4],
      [5],
      [6],
      [7],
    ]);
  });

  it("is lost to nobody when several sign at once", async () => {
    const all = [stores, openStores(), openStores()];
    const nonces = await Promise.all(Array.from({ length: 12 }, (_, index) => sign(all[index % 3] ?? stores)));
    expect(nonces.flat().toSorted((one, other) => Number(one) - Number(other))).toEqual(
      Array.from({ length: 12 }, (_, index) => 8 + index),
    );
  });

  it("is not taken for a row that somebody else has signed, nor for one that cannot be signed", async () => {
    const { id: relayer } = await stores.wallets.ensure(HOME, "relayer");
    const { id } = await enqueue(stores);
    const signing = { id, step: "carry_out", sign: signed } as const;
    expect(await stores.chainTransactions.sign(relayer, [signing])).toHaveLength(1);
    expect(await stores.chainTransactions.sign(relayer, [signing])).toEqual([]);
    const refused = new Error("no key");
    await expect(sign(stores, 1, () => Promise.reject(refused))).rejects.toBe(refused);
    expect(await sign(stores)).toEqual([21]);
  });
});

describe("what is remembered for good", () => {
  it("is not what was rolled back", async () => {
    const before: Hex[] = [];
    await undone(async (aggregates) => {
      await bind(aggregates, "production", 1);
      expect((await aggregates.boundChains.requireHome("production")).chain).toBe(nameEvmChain(1));
      for (let again = 0; again < 2; again += 1) {
        before.push((await aggregates.wallets.ensure(HOME, "collection")).address);
      }
    });
    await bind(stores, "production", 2);
    expect((await stores.boundChains.requireHome("production")).chain).toBe(nameEvmChain(2));
    const { address } = await stores.wallets.ensure(HOME, "collection");
    expect(before).not.toContain(address);
    expect((await openStores().wallets.ensure(HOME, "collection")).address).toBe(address);
    await stores.transaction(async ({ wallets }) => {
      expect((await wallets.ensure(HOME, "collection")).address).toBe(address);
    });
  });
});

it("a stop by another process is seen by the statement that stores a transaction, and by the list of open ones", async () => {
  const other = openStores();
  const key = hash();
  expect((await enqueue(stores, key)).isStopped).toBe(false);
  await other.boundChains.stop(HOME, "a difference");
  expect([(await enqueue(stores)).isStopped, (await enqueue(stores, key)).isStopped]).toEqual([true, true]);
  expect((await stores.chainTransactions.listOpen(HOME, 50)).every(({ isStopped }) => isStopped)).toBe(true);
  await other.boundChains.resume(HOME);
  expect((await enqueue(stores, key)).isStopped).toBe(false);
});
