import { afterAll, beforeAll, expect, it } from "vitest";
import { createDevnetFixture } from "../../../../../devnet/test/support/devnet-fixture.ts";
import { openTestIdentities, silentLog } from "../../../../test/support/identity.ts";
import { equipSandboxTenant, startSandboxChain } from "../../../../test/support/open-chain.ts";
import { sandboxChain } from "../../../../test/support/sandbox-chain.ts";
import { chainOperations, createStores } from "../../../contributions.ts";
import type { Hex } from "../../../domain/tokens.ts";
import { sandboxFunder } from "../../../outside/sandbox-keys.ts";
import { createHttpClient } from "../../../platform/http-client/http-client.ts";
import { systemClock } from "../../../ports/clock.ts";
import { transfer } from "../../treasury/transfer-operation.ts";

const RECIPIENT: Hex = "0x00000000000000000000000000000000000000bb";
const UNIT = 1_000_000n;
const SENDS = 60;

const fixture = createDevnetFixture();
const http = createHttpClient();
let setup: Awaited<ReturnType<typeof openTestIdentities>>;
beforeAll(async () => {
  setup = await openTestIdentities();
});
afterAll(async () => {
  http.close();
  await setup.close();
  await fixture.cleanUp();
});

it("the embedded development chain keeps the books correct when it is killed during transfers", async () => {
  const { db, vault } = setup;
  const clock = systemClock;
  const stores = createStores(db, clock, vault);
  const funder = sandboxFunder(vault);
  const start = () => fixture.start({ prefund: [funder.address] });
  const open = (rpcUrl: string) =>
    startSandboxChain({
      operations: chainOperations,
      db,
      vault,
      clock,
      stores,
      http,
      rpcUrl,
      log: silentLog,
      funderKey: funder.privateKey,
      // A killed node resets its connections; a slow one is waited for.
      rpcTimeoutMilliseconds: 120_000,
      patienceMilliseconds: 120_000,
      timing: { failedMilliseconds: 20, resendMilliseconds: 20 },
    });

  const before = await start();
  const first = await open(before.url);
  const { tenant } = await setup.open().createTenant({ name: "Embedded", actor: "test" });
  await stores.transaction((aggregates) => equipSandboxTenant(aggregates, tenant.id, 100n * UNIT));
  while ((await first.submitter.runOnce()) > 0);
  const wallet = await first.wallets.ensure(sandboxChain, "treasury", tenant.id);
  const purse = { tenantId: tenant.id, ...sandboxChain, token: "USDC" } as const;
  for (let index = 0; index < SENDS; index += 1) {
    await stores.transaction(async ({ chainTransactions, ledger }) => {
      const operation = transfer.of({ token: "USDC", from: wallet.address, to: RECIPIENT, amount: UNIT });
      const { id } = await chainTransactions.enqueue({
        ...sandboxChain,
        tenantId: tenant.id,
        callId: null,
        purpose: "test",
        operation,
        result: undefined,
        idempotencyKey: `send:${index}`,
      });
      await ledger.send(purse, UNIT, id);
    });
  }
  await first.submitter.runOnce();
  const killed = before.kill();
  await first.submitter.runOnce().catch(() => undefined);
  await killed;
  // Control: some are done and some are not.
  const { outgoing } = await stores.ledger.balance(purse);
  expect(outgoing).toBeGreaterThan(0n);
  expect(outgoing).toBeLessThan(BigInt(SENDS) * UNIT);

  const after = await start();
  expect(after.genesisHash).toBe(before.genesisHash);
  const second = await open(after.url);
  expect(second.chain.tokens).toEqual(first.chain.tokens);
  while ((await second.submitter.runOnce()) > 0);
  const head = await second.chain.head();
  expect(await second.chain.balances("USDC", [wallet.address, RECIPIENT], head.number)).toEqual([
    (100n - BigInt(SENDS)) * UNIT,
    BigInt(SENDS) * UNIT,
  ]);
  expect(await stores.ledger.balance(purse)).toEqual({
    available: (100n - BigInt(SENDS)) * UNIT,
    held: 0n,
    outgoing: 0n,
  });
  while (await second.indexer.runOnce());
  expect(await second.reconciler.runOnce()).toEqual({ USDC: 0n, EURC: 0n });
});
