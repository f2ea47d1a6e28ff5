import type { ChainTransaction } from "../../ports/chain/chain-transactions.ts";
import type { ChainTransactions, Wallets } from "../chain/index.ts";
import type { Aggregates } from "./context.ts";
import { registryEntry } from "./registry-operation.ts";

/** Before the tenant's id, in the idempotency key of what registers its agent. */
const AGENT_KEY = "agent:";

/** The tenant's agent in the registries of the development chain, owned by its treasury. Once, whoever asks how often. */
async function registerAgent(
  { wallets, chainTransactions }: { wallets: Wallets; chainTransactions: ChainTransactions },
  tenantId: string,
): Promise<ChainTransaction> {
  const { address } = await wallets.ensure("sandbox", "treasury", tenantId);
  return await chainTransactions.enqueue({
    environment: "sandbox",
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

/** Nothing while the development chain has no registries: who is missing then is registered by the start that finds them. */
export async function registerNewAgent(
  aggregates: Pick<Aggregates, "boundChains" | "chainTransactions" | "wallets">,
  tenantId: string,
): Promise<void> {
  if ((await aggregates.boundChains.get("sandbox"))?.contracts?.agentRegistries === undefined) return;
  await registerAgent(aggregates, tenantId);
}

const REGISTERED_AT_ONCE = 50;

/** Agents of the tenants whose wallet is older than the registries. How many there were. */
export async function registerMissingAgents(
  aggregates: Pick<Aggregates, "boundChains" | "chainTransactions" | "wallets">,
): Promise<number> {
  const { boundChains, wallets } = aggregates;
  if ((await boundChains.get("sandbox"))?.contracts?.agentRegistries === undefined) return 0;
  for (let registered = 0; ; ) {
    const missing = await wallets.tenantsWithoutTransaction("sandbox", AGENT_KEY, REGISTERED_AT_ONCE);
    for (const tenantId of missing) await registerAgent(aggregates, tenantId);
    registered += missing.length;
    if (missing.length < REGISTERED_AT_ONCE) return registered;
  }
}
