import { defineModule } from "../../kernel/module.ts";
import type { DemoTenant } from "./first-run.ts";
import { describeChain, prepareDemo, quickstartPath, writeQuickstart } from "./first-run.ts";

declare module "../../kernel/parts.ts" {
  interface Parts {
    /** Undefined in production. */
    readonly demo: Promise<DemoTenant | undefined>;
  }
  interface Settings {
    readonly dataDir: string;
  }
}

export const demoModule = defineModule({
  name: "demo",
  needs: ["travelers", "workflows"],
  parts: {
    demo: async ({
      settings: { networkMode, dataDir },
      identity,
      travelers,
      internalTokens,
      internalTokenAdministration,
    }) =>
      networkMode === "production"
        ? undefined
        : await prepareDemo({ dataDir, identity, travelers, internalTokens, internalTokenAdministration }),
  },
  async prepare({ demo }) {
    await demo;
  },
  async start({ demo, settings: { dataDir }, urls, embedded, networks, sandboxPayer: payer }) {
    const tenant = await demo;
    if (tenant === undefined) return;
    writeQuickstart(dataDir, {
      ...{ appUrl: urls.app, edgeUrl: urls.edge, ...tenant, payer },
      supplierUrl: embedded.supplierUrl,
      chain: describeChain(networks.sandbox?.chain, embedded.chainRpcUrl),
    });
  },
  async facts({ demo, settings: { dataDir } }) {
    const tenant = await demo;
    if (tenant === undefined) return [];
    return [
      { label: "demo tenant", text: tenant.tenantId },
      { label: "API key", text: `in ${quickstartPath(dataDir)}` },
    ];
  },
});
