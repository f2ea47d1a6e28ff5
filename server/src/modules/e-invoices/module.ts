import { defineModule } from "./context.ts";
import { EInvoiceRules, findRules } from "./e-invoice-rules.ts";
import { createEInvoices } from "./judge-invoice.ts";

declare module "../../kernel/contracts/parts.ts" {
  interface ModuleParts {
    /** One per process. Missing in an installation without this module, like everything that the module makes. */
    readonly "e-invoices.eInvoiceRules"?: EInvoiceRules;
  }
  interface ModuleSettings {
    readonly "e-invoices.dataDir": string;
    /** Defaults to the one in the data folder, if there is one. */
    readonly "e-invoices.eInvoiceRulesFile": string | undefined;
  }
}

/**
 * Makes invoices e-invoices, checked by the official rules that the operator installs. An installation may leave this
 * module out of `modules/index.ts` and then issues plain invoices.
 */
export const eInvoicesModule = defineModule({
  name: "e-invoices",
  parts: {
    eInvoiceRules: ({ settings }) => new EInvoiceRules(findRules(settings.eInvoiceRulesFile, settings.dataDir)),
    eInvoices: ({ eInvoiceRules }) => eInvoiceRules && createEInvoices(eInvoiceRules),
  },
  /** Unreadable rules stop the start, rather than every invoice. */
  async start({ eInvoiceRules }) {
    await eInvoiceRules?.requireRunnable();
  },
  async facts({ eInvoiceRules }) {
    if (eInvoiceRules?.areInstalled !== true) return [];
    const { missing } = eInvoiceRules;
    if (missing !== undefined) {
      return [{ label: "e-invoices", text: `not checked, and no invoice is issued, until you run: ${missing}` }];
    }
    const { version, sha256 } = (await eInvoiceRules.check()).info;
    return [{ label: "e-invoices", text: `checked by the rules of EN 16931, version ${version}, SHA-256 ${sha256}` }];
  },
  async stop({ eInvoiceRules }) {
    eInvoiceRules?.close();
  },
});
