import type { Environment } from "../../ports/identity.ts";
import type { SupplierWebhooks } from "../../ports/supplier/supplier-webhooks.ts";
import type { Stores } from "./context.ts";

/**
 * Makes the embedded supplier send its events to this deployment. A sandbox that is a new one gets a new endpoint, and a known one
 * follows the address, so that a start on another port misses nothing.
 */
export async function registerWebhooks(
  { stores, webhooks }: { stores: Pick<Stores, "supplierEndpoints">; webhooks: Pick<SupplierWebhooks, "register"> },
  environment: Environment,
  url: string,
): Promise<void> {
  const known = await stores.supplierEndpoints.find(environment);
  const made = await webhooks.register(url, known?.endpointId);
  if (made !== undefined) await stores.supplierEndpoints.put(environment, made);
  else if (known !== undefined && known.url !== url) await stores.supplierEndpoints.put(environment, { ...known, url });
}
