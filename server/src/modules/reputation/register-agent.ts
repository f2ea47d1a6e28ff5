import type { ChainKey } from "../../ports/chain/chain-key.ts";
import type { ChainTransaction } from "../../ports/chain/chain-transactions.ts";
import type { ChainTransactions, Wallets } from "../chain/index.ts";
import type { Aggregates } from "./context.ts";
import { registryEntry } from "./registry-operation.ts";

/** The prefix of the idempotency key that registers a tenant's agent. */
const AGENT_KEY = "agent:";

/** Registers the tenant's agent on the development chain, owned by its treasury. Idempotent. */
async function registerAgent(
  { wallets, chainTransactions }: { wallets: Wallets; chainTransactions: ChainTransactions },
  { environment, chain }: ChainKey,
  tenantId: string,
): Promise<ChainTransaction> {
  const { address } = await wallets.ensure({ environment, chain }, "treasury", tenantId);
  return await chainTransactions.enqueue({
    environment,
    chain,
    idempotencyKey: `${AGENT_KEY}${tenantId}`,
    tenantId,
    callId: null,
    purpose: "agent_registration",
    operation: registryEntry.of({
      token: "USDC",
      from: address,
      action: { name: "register", agentUri: `urn:wayfare:tenant:${tenantId}` },
    }),
    result: undefined,
  });
}

/** Does nothing while the development chain has no registries; the start that finds them registers the missing agents. */
export async function registerNewAgent(
  aggregates: Pick<Aggregates, "boundChains" | "chainTransactions" | "wallets">,
  tenantId: string,
): Promise<void> {
  const home = await aggregates.boundChains.findHome("sandbox");
  if (home?.contracts?.agentRegistries === undefined) return;
  await registerAgent(aggregates, home, tenantId);
}

const REGISTERED_AT_ONCE = 50;

/** Registers agents of tenants whose wallet is older than the registries. Returns how many there were. */
export async function registerMissingAgents(
  aggregates: Pick<Aggregates, "boundChains" | "chainTransactions" | "wallets">,
): Promise<number> {
  const { boundChains, wallets } = aggregates;
  const home = await boundChains.findHome("sandbox");
  if (home?.contracts?.agentRegistries === undefined) return 0;
  for (let registered = 0; ; ) {
    const missing = await wallets.tenantsWithoutTransaction(home, AGENT_KEY, REGISTERED_AT_ONCE);
    for (const tenantId of missing) await registerAgent(aggregates, home, tenantId);
    registered += missing.length;
    if (missing.length < REGISTERED_AT_ONCE) return registered;
  }
}
