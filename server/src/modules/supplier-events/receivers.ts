import type { Supplier } from "../../ports/supplier/supplier.ts";
import type { Parts } from "./context.ts";
import { registerWebhooks } from "./register-webhooks.ts";
import { SUPPLIER_WEBHOOK_PATH, type WebhookReceiver } from "./routes.ts";

/** Another process may have registered a new endpoint; what it signs meanwhile is sent again. */
const SECRET_KEPT_MILLISECONDS = 1_000;

/** Both suppliers' events: how they are let in. */
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
  // The edge host has no such route.
  if (sandbox === undefined || settings.serve === "edge") return;
  const { webhooks } = sandbox;
  await registerWebhooks({ stores, webhooks }, "sandbox", `${urls.local}${SUPPLIER_WEBHOOK_PATH}`);
}
