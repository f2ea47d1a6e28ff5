import type { Hex } from "../../domain/tokens.ts";
import type { ChainKey } from "../../ports/chain/chain-key.ts";
import type { ChainTransaction } from "../../ports/chain/chain-transactions.ts";
import type { Environment } from "../../ports/identity.ts";
import type { ChainTransactions, Wallets } from "../chain/index.ts";
import type { Aggregates, Stores } from "./context.ts";
import { registryEntry } from "./registry-operation.ts";

/** The prefix of the idempotency key that registers a tenant's agent. */
const AGENT_KEY = "agent:";

/** The file that others read about an agent. It is the address itself, so nobody has to host it. */
const AGENT_FILE = {
  type: "https://eips.ethereum.org/EIPS/eip-8004#registration-v1",
  name: "Wayfare travel agent",
  description: "Books and pays for travel.",
} as const;
const AGENT_FILE_URI = `data:application/json;base64,${Buffer.from(JSON.stringify(AGENT_FILE)).toString("base64")}`;

/** The transaction that registered the tenant's agent, once it is in a block. */
export async function findRegistration(
  { chainTransactions }: Pick<Stores, "chainTransactions">,
  chain: ChainKey,
  tenantId: string,
): Promise<Hex | undefined> {
  const transaction = await chainTransactions.findByKey(chain, `${AGENT_KEY}${tenantId}`);
  return transaction?.state === "confirmed" ? transaction.hash : undefined;
}

/** Registers the tenant's agent, owned by its treasury. Idempotent. */
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
      action: {
        name: "register",
        agentUri: environment === "sandbox" ? `urn:wayfare:tenant:${tenantId}` : AGENT_FILE_URI,
      },
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

/**
 * Registers agents of tenants that have a wallet and no agent: on the development chain those that are older than the
 * registries, on a live chain everyone. Returns how many there were.
 */
export async function registerMissingAgents(
  aggregates: Pick<Aggregates, "boundChains" | "chainTransactions" | "wallets">,
  environment: Environment = "sandbox",
): Promise<number> {
  const { boundChains, wallets } = aggregates;
  const home = await boundChains.findHome(environment);
  if (home?.contracts?.agentRegistries === undefined) return 0;
  for (let registered = 0; ; ) {
    const missing = await wallets.tenantsWithoutTransaction(home, AGENT_KEY, REGISTERED_AT_ONCE);
    for (const tenantId of missing) await registerAgent(aggregates, home, tenantId);
    registered += missing.length;
    if (missing.length < REGISTERED_AT_ONCE) return registered;
  }
}
