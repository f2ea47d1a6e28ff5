import { DASHBOARD_PATH } from "../../domain/page-paths.ts";
import { defineModule } from "./context.ts";
import type { DemoTenant } from "./first-run.ts";
import { describeChain, prepareDemo, QuickstartFile, quickstartPath } from "./first-run.ts";

declare module "../../kernel/contracts/parts.ts" {
  interface ModuleParts {
    /** Undefined in production. */
    readonly "demo.demo": Promise<DemoTenant | undefined>;
    readonly "demo.quickstartFile": QuickstartFile;
  }
  interface ModuleSettings {
    readonly "demo.dataDir": string;
  }
}

/** How long the link of the start-up block works. */
const SIGN_IN_HOURS = 24;

export const demoModule = defineModule({
  name: "demo",
  parts: {
    quickstartFile: ({ settings: { dataDir } }) => new QuickstartFile(dataDir),
    demo: async ({
      settings: { networkMode, dataDir },
      identity,
      stores: { persons },
      clock,
      random,
      travelers,
      internalTokens,
      internalTokenAdministration,
    }) =>
      networkMode === "production"
        ? undefined
        : await prepareDemo({
            dataDir,
            identity,
            persons,
            clock,
            random,
            travelers,
            internalTokens,
            internalTokenAdministration,
          }),
  },
  async prepare({ demo }) {
    await demo;
  },
  async start({ demo, quickstartFile, urls, embedded, chains, sandboxPayer: payer }) {
    const tenant = await demo;
    if (tenant === undefined) return;
    const { operatorId: _operatorId, ...written } = tenant;
    quickstartFile.write({
      appUrl: urls.app,
      edgeUrl: urls.edge,
      dashboardUrl: `${urls.app}${DASHBOARD_PATH}`,
      ...written,
      payer,
      supplierUrl: embedded.supplierUrl,
      chain: describeChain(chains.home("sandbox")?.chain, embedded.chainRpcUrl),
    });
  },
  async stop({ quickstartFile }) {
    quickstartFile.release();
  },
  async facts({ demo, quickstartFile, urls, settings: { dataDir }, signInLinks }) {
    const tenant = await demo;
    if (tenant === undefined) return [];
    const path = quickstartPath(dataDir);
    const owner = quickstartFile.ownerUrl(urls.app);
    const shared = `in ${path}, which stays with the service at ${owner} that runs in the same DATA_DIR; its key works here too`;
    const { tenantId, operatorId: personId } = tenant;
    const link = { kind: "sign_in", provesAddress: false, lifeHours: SIGN_IN_HOURS } as const;
    const signInPath = await signInLinks.create({ tenantId, environment: "sandbox", personId }, link);
    return [
      { label: "dashboard", text: `${urls.app}${signInPath} (once, within a day)` },
      { label: "demo tenant", text: tenant.tenantId },
      { label: "API key", text: owner === undefined ? `in ${path}` : shared },
    ];
  },
});
