import { setTimeout as delay } from "node:timers/promises";
import { outputSchemas } from "../../server/src/contributions.ts";
import { type Client, createClient } from "./client.ts";
import type { Deployment, TenantAccess } from "./deployment.ts";
import type { History } from "./history.ts";

const MONTHLY_CAP = 1_000_000_000_000n;
const FUNDED_WITHIN_MILLISECONDS = 240_000;
const POLL_MILLISECONDS = 100;

interface PreparedTenant {
  client: Client;
  tenantId: string;
  access: TenantAccess;
}

/** The demo tenant and further ones of these names, with money and without a cap that a storm would meet. */
export async function prepareTenants(
  deployment: Deployment,
  history: History,
  names: readonly string[],
): Promise<readonly [PreparedTenant, ...PreparedTenant[]]> {
  const quickstart = deployment.quickstart();

  async function prepare(tenant: TenantAccess): Promise<PreparedTenant> {
    const client = createClient({ ...tenant, appUrl: quickstart.appUrl, history });
    await deployment.allowSpending(tenant.tenantId, MONTHLY_CAP);
    const deadline = AbortSignal.timeout(FUNDED_WITHIN_MILLISECONDS);
    for (;;) {
      const answer = await client.call({ tool: "check_treasury", args: {} }, deadline);
      const found = answer.kind === "ok" ? outputSchemas.check_treasury.safeParse(answer.result).data : undefined;
      if (found !== undefined && /[1-9]/.test(found.available.USDC))
        return { client, tenantId: tenant.tenantId, access: tenant };
      deadline.throwIfAborted();
      await delay(POLL_MILLISECONDS);
    }
  }

  const others: PreparedTenant[] = [];
  const first = await prepare(quickstart);
  for (const name of names) others.push(await prepare(await deployment.createTenant(name)));
  return [first, ...others];
}
