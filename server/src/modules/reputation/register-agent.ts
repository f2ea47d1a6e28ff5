import type { ChainTransaction, ChainTransactions } from "../../ports/chain-transactions.ts";
import type { Wallets } from "../../ports/wallets.ts";
import { registryEntry } from "./registry-operation.ts";

/** Before the tenant's id, in the idempotency key of what registers its agent. */
export const AGENT_KEY = "agent:";

/** The tenant's agent in the registries of the development chain, owned by its treasury. Once, whoever asks how often. */
export async function registerAgent(
  { wallets, chainTransactions }: { wallets: Wallets; chainTransactions: ChainTransactions },
  tenantId: string,
): Promise<ChainTransaction> {
  const { address } = await wallets.ensure("sandbox", "treasury", tenantId);
  return await chainTransactions.enqueue({
    network: "sandbox",
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
