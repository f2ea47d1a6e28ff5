import type { Hex } from "../../domain/tokens.ts";
import type { Environment } from "../../ports/identity.ts";
import type { Purse } from "../ledger/index.ts";
import type { Aggregates } from "./context.ts";

/** Orders are paid in USDC, from the tenant's wallet on the home chain. */
export async function findHomePurse(
  { boundChains }: Pick<Aggregates, "boundChains">,
  { tenantId, environment }: { tenantId: string; environment: Environment },
): Promise<Purse> {
  return { ...(await boundChains.requireHome(environment)), tenantId, token: "USDC" };
}

/** The service's own address on the home chain: the vendor of its orders. */
export async function findVendorAddress(
  { boundChains, wallets }: Pick<Aggregates, "boundChains" | "wallets">,
  environment: Environment,
): Promise<Hex> {
  return (await wallets.ensure(await boundChains.requireHome(environment), "collection")).address;
}
