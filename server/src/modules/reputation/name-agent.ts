import type { Hex } from "../../domain/tokens.ts";
import type { ChainKey } from "../../ports/chain/chain-key.ts";
import type { Stores } from "./context.ts";

type Wallets = Pick<Stores["wallets"], "findByAddress">;

/** Whether one of the operator's own wallets owns the agent. */
export async function isOperators(wallets: Wallets, chain: ChainKey, owner: Hex): Promise<boolean> {
  const kind = (await wallets.findByAddress(chain, [owner])).get(owner)?.kind;
  return kind === "relayer" || kind === "collection";
}

/** Other tenants are not named: their wallet's address is public, their name is not. */
export async function nameAgent(wallets: Wallets, chain: ChainKey, owner: Hex, tenantId: string | undefined) {
  const wallet = (await wallets.findByAddress(chain, [owner])).get(owner);
  const isYours = wallet?.kind === "treasury" && wallet.tenantId !== undefined && wallet.tenantId === tenantId;
  const isOfOperator = wallet?.kind === "relayer" || wallet?.kind === "collection";
  if (isYours) return { agentName: "Your own agent", owner: "you" as const };
  if (isOfOperator) return { agentName: "The agent of this service's operator", owner: "operator" as const };
  return wallet === undefined
    ? { agentName: "An agent whose wallet is not managed by this service", owner: "elsewhere" as const }
    : { agentName: "The agent of another tenant of this service", owner: "tenant" as const };
}
