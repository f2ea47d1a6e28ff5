import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { sandboxChain } from "../../../test/support/sandbox-chain.ts";
import { createMigratedDatabase, type TestDatabase } from "../../../test/support/test-database.ts";
import { createVault } from "../../adapters/vault.ts";
import { createStores } from "../../contributions.ts";
import type { Stores } from "../../kernel/contracts/whole.ts";
import { type OpenDatabase, openDatabase } from "../../platform/database/database.ts";
import { systemClock } from "../../ports/clock.ts";
import type { OwnedMovement, WalletOwner } from "./ledger.ts";
import { ledgerImbalance } from "./store.ts";

let database: TestDatabase;
let open: OpenDatabase;
let stores: Stores;

beforeAll(async () => {
  database = await createMigratedDatabase();
  open = openDatabase(database.url, {
    poolSize: 16,
    onError: () => undefined,
    // 64 at once wait for one of them, and then in sequence for the same row.
    connectionPatienceMilliseconds: 120_000,
  });
  stores = createStores(open.db, systemClock, createVault(randomBytes(32)));
});

afterAll(async () => {
  await open.close();
  await database.drop();
});

const treasury = (tenantId: string): WalletOwner => ({ kind: "treasury", tenantId });

function moved(amount: bigint, from: WalletOwner | undefined, to: WalletOwner | undefined): OwnedMovement {
  const transactionHash: `0x${string}` = `0x${randomBytes(32).toString("hex")}`;
  const address: `0x${string}` = `0x${"1".repeat(40)}`;
  const event = { transactionHash, logIndex: 0, blockNumber: 1n };
  return { movement: { token: "USDC", from: address, to: address, amount, ...event }, from, to };
}

it("the movements of a split and concurrent payments into the same wallets do not deadlock", async () => {
  const { ledger } = stores;
  const purses = ["a", "b", "c", "d"].map((tenantId) => ({ tenantId, ...sandboxChain, token: "USDC" }) as const);
  for (const purse of purses) {
    const owner = treasury(purse.tenantId);
    await ledger.postMovements(sandboxChain, [moved(1_000n, undefined, owner)]);
    await ledger.send(purse, 1_000n, `out:${purse.tenantId}`);
  }
  await Promise.all(
    Array.from({ length: 64 }, async (_, index) => {
      const tenantId = purses[index % purses.length]?.tenantId ?? "";
      const owner = treasury(tenantId);
      if (index % 8 < 4) {
        await ledger.postMovements(sandboxChain, [moved(5n, undefined, owner)]);
        return;
      }
      // Like a split: everything to the splitter, a part of it to another tenant, a part back, a part to the service.
      const supplier = treasury(purses[(index + 1) % purses.length]?.tenantId ?? "");
      const movements = [
        moved(100n, owner, undefined),
        moved(80n, undefined, supplier),
        moved(15n, undefined, owner),
        moved(5n, undefined, { kind: "collection" }),
      ];
      // The submitter posts all events of its transaction together; the indexer finds the same events one by one.
      await Promise.all([
        ledger.postMovements(sandboxChain, movements),
        ...movements.map((one) => ledger.postMovements(sandboxChain, [one])),
      ]);
    }),
  );
  expect(await ledgerImbalance(open.db)).toBe(0n);
});
