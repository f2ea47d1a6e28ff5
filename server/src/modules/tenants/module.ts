import { defineModule } from "./context.ts";
import { tenantRoutes } from "./routes.ts";

declare module "../../kernel/contracts/parts.ts" {
  interface ModuleSettings {
    /** Undefined: the demo tenant, where there is one. */
    readonly "tenants.operatorTenant": string | undefined;
  }
}

/** Tenants and their plans, for the people who operate the deployment. Each tenant sees its own. */
export const tenantsModule = defineModule({ name: "tenants", routes: tenantRoutes });
