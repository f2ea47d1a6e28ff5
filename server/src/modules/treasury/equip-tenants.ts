import type { Micro } from "../../domain/money.ts";
import { type Hex, tokenSymbols } from "../../domain/tokens.ts";
import type { CommonParts } from "../../kernel/contracts/parts.ts";
import type { ChainKey } from "../../ports/chain/chain-key.ts";
import type { ChainSubmission } from "../../ports/chain/chain-transactions.ts";
import { mint } from "../chain/index.ts";
import type { Aggregates, Stores } from "./context.ts";

type Equipment = Pick<Aggregates, "boundChains" | "chainTransactions" | "wallets">;

const ENVIRONMENT = "sandbox";
const EQUIPPED_AT_ONCE = 50;
const PAYER_MICRO_USDC = 1_000_000_000n;
const STARTING_WAIT_MILLISECONDS = 10_000;

/** Does nothing if the development chain was never opened on this database. */
export async function equipSandboxTenant(aggregates: Equipment, tenantId: string, amount: Micro): Promise<void> {
  const home = await aggregates.boundChains.findHome(ENVIRONMENT);
  if (home !== undefined) await equipTenant(aggregates, home, tenantId, amount);
}

/**
 * Equips all tenants that were created without the development chain, for example by command: otherwise a call that creates the
 * wallet first would leave it without money. Returns how many there were.
 */
export async function equipMissingTenants(stores: Stores, equip: CommonParts["equipTenant"]): Promise<number> {
  const home = await stores.boundChains.findHome(ENVIRONMENT);
  if (home === undefined) return 0;
  for (let equipped = 0; ; ) {
    const missing = await stores.wallets.tenantsWithout(home, EQUIPPED_AT_ONCE);
    for (const tenantId of missing) await stores.transaction((aggregates) => equip(aggregates, tenantId));
    equipped += missing.length;
    if (missing.length < EQUIPPED_AT_ONCE) return equipped;
  }
}

/** Once: what it spends is gone. */
export async function fundPayer(
  { chainTransactions }: Pick<Equipment, "chainTransactions">,
  { environment, chain }: ChainKey,
  to: Hex,
): Promise<void> {
  await chainTransactions.enqueue({
    environment,
    chain,
    idempotencyKey: "payer:USDC",
    tenantId: null,
    callId: null,
    purpose: "payer",
    operation: mint.of({ token: "USDC", to, amount: PAYER_MICRO_USDC }),
    result: undefined,
  });
}

/** Waits for the first tenant's money before the first call. Anything slower continues after the service is ready. */
export async function waitForEquipment(
  { chainTransactions }: Pick<Equipment, "chainTransactions">,
  chain: ChainKey,
  submission: ChainSubmission,
): Promise<void> {
  const deadline = performance.now() + STARTING_WAIT_MILLISECONDS;
  submission.wake();
  for (const { id } of await chainTransactions.listOpen(chain, 100)) {
    const left = deadline - performance.now();
    if (left <= 0) return;
    await submission.waitForEnd(id, left);
  }
}

/**
 * Gives a new tenant a treasury on the development chain and test money, the same amount of each token. Runs in the transaction
 * that creates the tenant; the submitter mints the money.
 */
async function equipTenant(
  { wallets, chainTransactions }: Equipment,
  { environment, chain }: ChainKey,
  tenantId: string,
  amount: Micro,
): Promise<void> {
  const wallet = await wallets.ensure({ environment, chain }, "treasury", tenantId);
  for (const token of amount > 0n ? tokenSymbols : []) {
    await chainTransactions.enqueue({
      environment,
      chain,
      idempotencyKey: `development-money:${tenantId}:${token}`,
      tenantId,
      callId: null,
      purpose: "development_money",
      operation: mint.of({ token, to: wallet.address, amount }),
      result: undefined,
    });
  }
}
