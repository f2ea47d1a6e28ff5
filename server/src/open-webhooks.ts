import type { Duffel } from "./adapters/duffel/index.ts";
import type { Config } from "./config/config.ts";
import { repeat } from "./kernel/repeat.ts";
import type { Stores } from "./kernel/stores.ts";
import { servicingCommits } from "./modules/servicing/servicing-commits.ts";
import { createWebhookProcessor } from "./modules/webhooks/process-webhooks.ts";
import { registerWebhooks } from "./modules/webhooks/register-webhooks.ts";
import { SUPPLIER_WEBHOOK_PATH, type WebhookReceiver } from "./modules/webhooks/routes.ts";
import type { Clock } from "./ports/clock.ts";
import type { Environment } from "./ports/identity.ts";
import type { Log } from "./ports/log.ts";

const PROCESS_MILLISECONDS = 500;
const READ_ORDERS_MILLISECONDS = 5_000;
const REGISTER_MILLISECONDS = 60_000;
const PRUNE_MILLISECONDS = 600_000;
/** Another process may have registered a new endpoint; what it signs meanwhile is sent again. */
const SECRET_KEPT_MILLISECONDS = 1_000;

/** The events of both suppliers: how they are let in, and what is done about them. */
export function openWebhooks(options: {
  config: Config;
  suppliers: Partial<Record<Environment, Duffel>>;
  stores: Stores;
  localAppUrl: string;
  clock: Clock;
  log: Log;
}): { receivers: readonly WebhookReceiver[]; start(): Promise<() => Promise<unknown>> } {
  const { config, suppliers, stores, clock, log } = options;
  const { sandbox, production } = suppliers;
  const processor = createWebhookProcessor({
    stores,
    portsFor(network) {
      const supplier = suppliers[network];
      return supplier === undefined ? undefined : { ...supplier, commits: servicingCommits(supplier) };
    },
    clock,
    log,
  });

  let registered = { secrets: Promise.resolve<readonly string[]>([]), until: 0 };
  const registeredSecrets = (): Promise<readonly string[]> => {
    const now = clock.now().epochMilliseconds;
    if (now >= registered.until) {
      const secrets = stores.webhookEndpoints.find("sandbox").then((found) => (found ? [found.secret] : []));
      registered = { secrets, until: now + SECRET_KEPT_MILLISECONDS };
    }
    return registered.secrets;
  };

  const receivers: WebhookReceiver[] = [];
  if (sandbox !== undefined) {
    receivers.push({ network: "sandbox", read: sandbox.webhooks.read, secrets: registeredSecrets });
  }
  if (production !== undefined) {
    const secrets = async () => config.supplierWebhookSecrets;
    receivers.push({ network: "production", read: production.webhooks.read, secrets });
  }

  async function register(): Promise<void> {
    // The edge host has no such route.
    if (sandbox === undefined || config.serve === "edge") return;
    const url = `${options.localAppUrl}${SUPPLIER_WEBHOOK_PATH}`;
    await registerWebhooks({ stores, webhooks: sandbox.webhooks }, "sandbox", url);
  }

  return {
    receivers,
    async start() {
      if (production !== undefined && config.supplierWebhookSecrets.length === 0) {
        log.warn({}, "SUPPLIER_WEBHOOK_SECRETS is not set: events of the live supplier are refused");
      }
      // A sandbox that is away for a moment is no reason not to start.
      await register().catch((err: unknown) => log.warn({ err }, "the sandbox's events could not be registered yet"));
      const jobs = [
        repeat("register-webhooks", REGISTER_MILLISECONDS, register, log),
        repeat("process-webhooks", PROCESS_MILLISECONDS, () => processor.runOnce(), log),
        repeat("read-orders", READ_ORDERS_MILLISECONDS, () => processor.readDueOrders(), log),
        repeat("prune-webhooks", PRUNE_MILLISECONDS, () => processor.prune(), log),
      ];
      return () => Promise.all(jobs.map((stop) => stop()));
    },
  };
}
