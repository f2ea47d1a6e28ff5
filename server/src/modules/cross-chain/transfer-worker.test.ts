import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { silentLog } from "../../../test/support/identity.ts";
import { sandboxChain } from "../../../test/support/sandbox-chain.ts";
import { createMigratedDatabase, type TestDatabase } from "../../../test/support/test-database.ts";
import { createVault } from "../../adapters/vault.ts";
import { createStores } from "../../contributions.ts";
import { Failure } from "../../domain/errors.ts";
import { newId } from "../../domain/ids.ts";
import { type OpenDatabase, openDatabase } from "../../platform/database/database.ts";
import { systemClock } from "../../ports/clock.ts";
import type { Stores } from "./context.ts";
import { TransferWorker } from "./index.ts";
import type { TransferKind, TransferMove } from "./transfer-kind.ts";
import { keyOfStep, readTransferId, type Transfer } from "./transfers.ts";

/** The machine alone, with kinds that only count. */

let database: TestDatabase;
let open: OpenDatabase;
let stores: Stores;
const workers: TransferWorker[] = [];
let kinds = 0;

beforeAll(async () => {
  database = await createMigratedDatabase();
  open = openDatabase(database.url, { poolSize: 8, onError: () => undefined });
  stores = createStores(open.db, systemClock, createVault(Buffer.alloc(32, 7)));
});
afterAll(async () => {
  for (const worker of workers) await worker.stop();
  await open.close();
  await database.drop();
});

const owner = { tenantId: "tenant_1", environment: "sandbox" } as const;

/** A kind of its own for each test, so that its workers see nothing else. */
function makeKind(advance: TransferKind["advance"]): TransferKind {
  kinds += 1;
  return { kind: `test_${kinds}`, advance };
}

function startWorker(kind: TransferKind): TransferWorker {
  const worker = new TransferWorker(kind, { stores, clock: systemClock, log: silentLog });
  workers.push(worker);
  return worker;
}

async function store({ kind }: TransferKind, idempotencyKey: string = crypto.randomUUID()): Promise<Transfer> {
  const { transfer } = await stores.transfers.insert({
    ...owner,
    id: newId("xfr_", Date.now()),
    idempotencyKey,
    callId: null,
    kind,
    fromChain: "eip155:84532",
    toChain: sandboxChain.chain,
    token: "USDC",
    recipient: `0x${"1".repeat(40)}`,
    amount: 5_000_000n,
    fee: null,
    received: null,
    receivedToken: "USDC",
    steps: [],
    detail: {},
    expectedBy: systemClock.now(),
  });
  await stores.transfers.wake([transfer.id]);
  return transfer;
}

const read = async ({ id }: Transfer) => {
  const found = await stores.transfers.find(owner, id);
  if (found === undefined) throw new Error(`there is no ${id}`);
  return found;
};
const reaches = (transfer: Transfer, members: object) =>
  expect.poll(async () => await read(transfer), { timeout: 20_000, interval: 10 }).toMatchObject(members);
const moveTo = (to: Transfer["status"]): TransferMove => ({ kind: "move", to });

describe("a transfer", () => {
  test("takes its steps one after the other, each stored once, whoever works on it", async () => {
    const applied: string[] = [];
    const kind = makeKind(async ({ status }) => {
      const to = status === "submitted" ? "burned" : status === "burned" ? "attested" : "completed";
      return { kind: "move", to, apply: async () => void applied.push(to) };
    });
    const all = await Promise.all(Array.from({ length: 20 }, () => store(kind)));
    const crowd = Array.from({ length: 4 }, () => startWorker(kind));
    for (const worker of crowd) worker.wake();
    for (const transfer of all) await reaches(transfer, { status: "completed", waiting: null });
    expect(applied.toSorted()).toEqual(["attested", "burned", "completed"].flatMap((to) => Array(20).fill(to)));
  });

  test("is one for each idempotency key", async () => {
    const kind = makeKind(async () => moveTo("completed"));
    const [first, second] = [await store(kind, "same"), await store(kind, "same")];
    expect(second.id).toBe(first.id);
  });

  test("waits, says why, and goes on when it is woken", async () => {
    let isReady = false;
    const kind = makeKind(async () => (isReady ? moveTo("completed") : { kind: "wait", because: "not ready" }));
    const transfer = await store(kind);
    const worker = startWorker(kind);
    worker.wake();
    await reaches(transfer, { status: "submitted", waiting: "not ready", attempts: 1 });
    isReady = true;
    worker.wake();
    expect(await read(transfer)).toMatchObject({ status: "submitted" });
    await stores.transfers.wake([transfer.id]);
    worker.wake();
    await reaches(transfer, { status: "completed", waiting: null });
  });

  test("that is woken during a step goes on at once", async () => {
    let asked = 0;
    const kind = makeKind(async ({ id }) => {
      asked += 1;
      if (asked > 1) return moveTo("completed");
      await stores.transfers.wake([id]);
      return { kind: "wait" };
    });
    const transfer = await store(kind);
    startWorker(kind).wake();
    await reaches(transfer, { status: "completed" });
  });

  test("whose step fails is asked again", async () => {
    let asked = 0;
    const kind = makeKind(async () => {
      asked += 1;
      if (asked < 3) throw new Error("an accident");
      return moveTo("completed");
    });
    const transfer = await store(kind);
    startWorker(kind).wake();
    await reaches(transfer, { status: "completed" });
    expect(asked).toBe(3);
  });

  test("goes on at once from each of its states in another process, when the first one is stopped", async () => {
    const order: Transfer["status"][] = ["submitted", "burned", "attested", "minted", "completed"];
    const seen: string[] = [];
    const kind = makeKind(async ({ status }) => {
      seen.push(status);
      // Its process is told to stop while it takes this step.
      void current.stop();
      return moveTo(order[order.indexOf(status) + 1] ?? "failed");
    });
    const transfer = await store(kind);
    let current = startWorker(kind);
    for (const status of order.slice(1)) {
      current.wake();
      await reaches(transfer, { status });
      await current.stop();
      current = startWorker(kind);
    }
    expect(seen).toEqual(order.slice(0, -1));
  });

  test("waits while a chain or the attester does not answer, and says which", async () => {
    const faults = [new Failure("chain_not_available", {}), new Failure("unavailable", {})];
    const said: (string | null)[] = [];
    const kind = makeKind(async ({ waiting }) => {
      said.push(waiting);
      const fault = faults.shift();
      if (fault !== undefined) throw fault;
      return moveTo("completed");
    });
    const transfer = await store(kind);
    startWorker(kind).wake();
    await reaches(transfer, { status: "completed" });
    expect(said).toEqual([
      null,
      expect.stringContaining("A chain of this transfer is not answering"),
      expect.stringContaining("attestation service gave no clear answer"),
    ]);
  });

  test("that another worker has taken over is changed by that one alone", async () => {
    const kind = makeKind(async () => ({ kind: "wait" }));
    const transfer = await store(kind);
    const [slow] = await stores.transfers.take(kind.kind, 1);
    await stores.transfers.wake([transfer.id]);
    const [other] = await stores.transfers.take(kind.kind, 1);
    if (slow === undefined || other === undefined) throw new Error("it was not due");
    await expect(stores.transfers.move(slow, "burned", {})).rejects.toThrow(transfer.id);
    expect(await stores.transfers.leave(slow, { waiting: null })).toBeUndefined();
    expect(await stores.transfers.move(other, "burned", {})).toMatchObject({ status: "burned" });
  });

  test("that has ended is never taken or woken again", async () => {
    const kind = makeKind(async () => moveTo("failed"));
    const transfer = await store(kind);
    startWorker(kind).wake();
    await reaches(transfer, { status: "failed" });
    await stores.transfers.wake([transfer.id]);
    expect(await stores.transfers.take(kind.kind, 10)).toEqual([]);
    expect((await stores.transfers.listOpen(owner, 100)).map(({ id }) => id)).not.toContain(transfer.id);
  });
});

test("the key of a chain transaction names its transfer", () => {
  const id = newId("xfr_", 0);
  expect(readTransferId(keyOfStep(id, "burn"))).toBe(id);
  expect(readTransferId(keyOfStep(id, "mint", 3))).toBe(id);
  expect(readTransferId("send_tokens:call_1")).toBeUndefined();
});

test("money in flight is in no wallet, and is booked out when it has arrived", async () => {
  const purse = { ...owner, chain: "eip155:84532", token: "USDC" } as const;
  const { ledger } = stores;
  const address = (digit: string): `0x${string}` => `0x${digit.repeat(40)}`;
  const post = (logIndex: number, from: string, to: string, ends: object) => {
    const place = { transactionHash: `0x${"e".repeat(64)}` as const, logIndex, blockNumber: 3n };
    const movement = { token: "USDC" as const, amount: 900n, from: address(from), to: address(to), ...place };
    return ledger.postMovements(purse, [{ movement, from: undefined, to: undefined, ...ends }]);
  };
  const treasury = { kind: "treasury", tenantId: owner.tenantId };
  await post(0, "1", "2", { to: treasury });
  await ledger.send(purse, 900n, "burn");
  await post(1, "2", "3", { from: treasury, to: { kind: "in_flight", tenantId: owner.tenantId } });
  expect(await ledger.inFlight(purse)).toBe(900n);
  expect(await ledger.balance(purse)).toEqual({ available: 0n, held: 0n, outgoing: 0n });
  for (let times = 0; times < 2; times += 1) await ledger.land(purse, { arrived: 890n, fee: 10n }, "xfr_1");
  expect(await ledger.inFlight(purse)).toBe(0n);
  await expect(ledger.land(purse, { arrived: 1n, fee: 0n }, "xfr_2")).rejects.toThrow("than it holds");
  const sum = await open.pool.query(
    "select sum(balance_micro)::text as sum from ledger_account where chain = 'eip155:84532' group by token",
  );
  expect(sum.rows).toEqual([{ sum: "0" }]);
});
