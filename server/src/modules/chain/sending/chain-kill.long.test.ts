import { type ChildProcess, spawn } from "node:child_process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ChainWorld, openChainWorld, UNIT } from "../../../../test/support/chain-world.ts";
import { openTestIdentities } from "../../../../test/support/identity.ts";
import { startSandboxChain } from "../../../../test/support/open-chain.ts";
import { programAt } from "../../../../test/support/programs.ts";
import { sandboxChain } from "../../../../test/support/sandbox-chain.ts";
import { createStores } from "../../../contributions.ts";
import type { Hex } from "../../../domain/tokens.ts";

const RECIPIENT: Hex = "0x00000000000000000000000000000000000000bb";

let world: ChainWorld;
beforeAll(async () => {
  world = await openChainWorld();
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

function startSubmitter(): ChildProcess {
  const words = [
    ...["--database", world.url, "--master-key", Buffer.from(world.masterKey).toString("hex")],
    ...["--rpc", world.devChain.url, "--funder-key", world.devChain.funderKey],
  ];
  return spawn(process.execPath, [programAt("server/test/support/chain-child.ts"), ...words], {
    stdio: "ignore",
  });
}

const SENDS = 12;
/** For tests that start many processes or databases in sequence. */
const LONG_MILLISECONDS = 240_000;

describe("a submitter that is killed", () => {
  it.each([
    ["as it broadcasts", "reset"],
    ["when the network has the transaction and it has no answer", "dropped"],
  ] as const)(
    "%s, repeatedly, loses no order and executes none twice",
    { timeout: LONG_MILLISECONDS },
    async (_when, fate) => {
      const tenant = await world.newTenant();
      const before = await tenant.balanceOnChain(RECIPIENT);
      const calls = await Promise.all(
        Array.from({ length: SENDS }, async () => {
          const callId = await world.newCall(tenant.tenant.id);
          await tenant.send(tenant.transfer(RECIPIENT, UNIT), { callId, waitMilliseconds: 0 }).catch(() => undefined);
          return callId;
        }),
      );
      // Each process lives for three more broadcasts.
      let kills = 0;
      for (; kills < 3; kills += 1) {
        const child = startSubmitter();
        const ended = new Promise((resolve) => child.once("exit", (_code, signal) => resolve(signal)));
        let sends = 0;
        world.devChain.misbehave(({ method }) => {
          if (method !== "eth_sendRawTransaction") return "pass";
          sends += 1;
          if (sends < 3) return "pass";
          child.kill("SIGKILL");
          return fate;
        });
        expect(await ended).toBe("SIGKILL");
      }
      world.devChain.behave();
      // Control: the next process has work left to do.
      expect(await world.stores.chainTransactions.listOpen(sandboxChain, 100)).not.toEqual([]);
      await world.drain();
      expect((await tenant.balanceOnChain(RECIPIENT)) - before).toBe(BigInt(SENDS) * UNIT);
      expect(await tenant.balance()).toEqual({ available: (100n - BigInt(SENDS)) * UNIT, held: 0n, outgoing: 0n });
      for (const callId of calls) expect((await world.callEnd(callId)).effect).toBe("done");
      expect(await world.reconcile()).toEqual({ USDC: 0n, EURC: 0n });
    },
  );
});

describe("the first preparation of the development chain", () => {
  const STEPS = 11;

  it.each(["reset", "dropped"] as const)(
    "continues after a crash in the middle: %s",
    { timeout: LONG_MILLISECONDS },
    async (fate) => {
      for (const crashAt of [1, 2, 5, 8, STEPS]) {
        const setup = await openTestIdentities();
        try {
          const options = {
            ...world.shared,
            db: setup.db,
            vault: setup.vault,
            stores: createStores(setup.db, world.clock, setup.vault),
          };
          let sends = 0;
          world.devChain.misbehave(({ method }) => {
            if (method === "eth_sendRawTransaction") sends += 1;
            return method === "eth_sendRawTransaction" && sends === crashAt ? fate : "pass";
          });
          await expect(startSandboxChain({ ...options, patienceMilliseconds: 0 })).rejects.toMatchObject({
            code: "chain_unavailable",
          });
          expect(sends).toBeGreaterThanOrEqual(crashAt);
          world.devChain.behave();
          const { chain, boundChains, wallets } = await startSandboxChain(options);
          expect(chain.tokens.EURC?.name).toBe("EURC");
          const before = await world.devChain.client.getBlockNumber();
          expect((await startSandboxChain(options)).chain.tokens).toEqual(chain.tokens);
          // Control: contracts that exist are not deployed again.
          expect(await world.devChain.client.getBlockNumber()).toBe(before);
          const relayer = (await wallets.list(sandboxChain)).find(({ kind }) => kind === "relayer");
          const nonce = await world.devChain.client.getTransactionCount({ address: relayer?.address ?? "0x" });
          expect(nonce).toBe(STEPS - 1);
          expect((await boundChains.get(sandboxChain))?.contracts?.faucet).toBe(chain.faucet);
        } finally {
          await setup.close();
        }
      }
    },
  );
});
