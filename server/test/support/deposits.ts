import { randomBytes } from "node:crypto";
import type { Aggregates } from "../../src/kernel/contracts/whole.ts";
import type { Purse } from "../../src/modules/ledger/ledger.ts";
import type { BoundChain } from "../../src/ports/chain/bound-chains.ts";

const hash = (): `0x${string}` => `0x${randomBytes(32).toString("hex")}`;

/** A chain that is bound and that nobody asks: for tests of what happens before a transaction is signed. */
export async function bindTestChain({ boundChains }: Pick<Aggregates, "boundChains">): Promise<BoundChain> {
  return await boundChains.bind("sandbox", {
    chainId: 5_042_002,
    genesisHash: hash(),
    head: { number: 0n, hash: hash() },
    isHome: true,
  });
}

/** As an incoming transfer from a stranger is posted. */
export async function depositForTest(
  { ledger }: Pick<Aggregates, "ledger">,
  { tenantId, environment, chain, token }: Purse,
  amount: bigint,
  blockNumber = 1n,
): Promise<void> {
  const from = `0x${"1".repeat(40)}` as const;
  const to = `0x${"2".repeat(40)}` as const;
  const movement = { token, from, to, amount, transactionHash: hash(), logIndex: 0, blockNumber };
  await ledger.postMovements({ environment, chain }, [
    { movement, from: undefined, to: { kind: "treasury", tenantId } },
  ]);
}
