import type { Environment } from "../../ports/identity.ts";
import type { Supplier } from "../../ports/supplier/supplier.ts";
import type { SupplierWebhooks } from "../../ports/supplier/supplier-webhooks.ts";
import type { Parts, Stores } from "./context.ts";
import { SUPPLIER_WEBHOOK_PATH, type WebhookReceiver } from "./routes.ts";

/** Another process may have registered a new endpoint; the supplier repeats what that one signs meanwhile. */
const SECRET_KEPT_MILLISECONDS = 1_000;

/** The webhook receivers of both suppliers. */
export function createReceivers({ suppliers, stores, clock, settings }: Parts): readonly WebhookReceiver[] {
  const { sandbox, production } = suppliers;
  let registered = { secrets: Promise.resolve<readonly string[]>([]), until: 0 };
  const registeredSecrets = (): Promise<readonly string[]> => {
    const now = clock.now().epochMilliseconds;
    if (now >= registered.until) {
      const secrets = stores.supplierEndpoints.find("sandbox").then((found) => (found ? [found.secret] : []));
      registered = { secrets, until: now + SECRET_KEPT_MILLISECONDS };
    }
    return registered.secrets;
  };
  const configuredSecrets = async () => settings.supplierWebhookSecrets;
  return [
    ...(sandbox === undefined
      ? []
      : [{ environment: "sandbox" as const, ...pickReading(sandbox), secrets: registeredSecrets }]),
    ...(production === undefined
      ? []
      : [{ environment: "production" as const, ...pickReading(production), secrets: configuredSecrets }]),
  ];
}

const pickReading = ({ webhooks: { read, mayBeSigned } }: Supplier) => ({ read, mayBeSigned });

/** Makes the embedded supplier send its events here. */
export async function registerSandbox({ suppliers: { sandbox }, stores, settings, urls }: Parts): Promise<void> {
  // The edge host does not serve this route.
  if (sandbox === undefined || settings.serve === "edge") return;
  const { webhooks } = sandbox;
  await registerWebhooks({ stores, webhooks }, "sandbox", `${urls.local}${SUPPLIER_WEBHOOK_PATH}`);
}

/**
 * Makes the embedded supplier send its events to this deployment. A new sandbox gets a new endpoint, and an existing endpoint
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
