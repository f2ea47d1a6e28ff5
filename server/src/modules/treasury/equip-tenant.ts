import type { Micro } from "../../domain/money.ts";
import { tokenSymbols } from "../../domain/tokens.ts";
import type { ChainTransaction, ChainTransactions } from "../../ports/chain-transactions.ts";
import type { Wallets } from "../../ports/wallets.ts";

/** Before the tenant's id, in the key of the order that registers its agent. */
export const AGENT_KEY = "agent:";

interface Equipment {
  wallets: Wallets;
  chainTransactions: ChainTransactions;
}

/**
 * A treasury on the development chain and money to try everything with, as much of each token. In one transaction with whatever
 * makes the tenant; the submitter mints it.
 */
export async function equipTenant(
  { wallets, chainTransactions }: Equipment,
  tenantId: string,
  amount: Micro,
): Promise<ChainTransaction[]> {
  const wallet = await wallets.ensure("sandbox", "treasury", tenantId);
  const mints: ChainTransaction[] = [];
  for (const token of amount > 0n ? tokenSymbols : []) {
    mints.push(
      await chainTransactions.enqueue({
        network: "sandbox",
        idempotencyKey: `development-money:${tenantId}:${token}`,
        tenantId,
        callId: null,
        purpose: "development_money",
        order: { kind: "mint", token, to: wallet.address, amount },
        result: undefined,
      }),
    );
  }
  return mints;
}

/** The tenant's agent in the registries of the development chain, owned by its treasury. Once, whoever asks how often. */
export async function registerAgent(
  { wallets, chainTransactions }: Equipment,
  tenantId: string,
): Promise<ChainTransaction> {
  const { address } = await wallets.ensure("sandbox", "treasury", tenantId);
  return await chainTransactions.enqueue({
    network: "sandbox",
    idempotencyKey: `${AGENT_KEY}${tenantId}`,
    tenantId,
    callId: null,
    purpose: "agent_registration",
    order: {
      kind: "agent_registry",
      token: "USDC",
      from: address,
      action: { name: "register", agentUri: `urn:wayfare:tenant:${tenantId}` },
    },
    result: undefined,
  });
}
