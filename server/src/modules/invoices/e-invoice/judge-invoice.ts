import type { InvoiceDocument } from "../document.ts";
import { type EInvoice, noEInvoice, PROFILE } from "./e-invoice.ts";
import { EInvoiceNotChecked, type EInvoiceRules } from "./e-invoice-rules.ts";
import type { Finding } from "./findings.ts";
import { sayFindings } from "./say-findings.ts";
import { writeCii } from "./write-cii.ts";

export type Rules = Pick<EInvoiceRules, "areInstalled" | "check">;

/** By the rules the invoice would be wrong: it must not be issued. */
export class EInvoiceRefused extends Error {
  readonly findings: readonly Finding[];

  constructor(findings: readonly Finding[]) {
    super(sayFindings(findings));
    this.name = "EInvoiceRefused";
    this.findings = findings;
  }
}

/**
 * What an invoice that is to be issued may say of itself as an e-invoice. Throws `EInvoiceRefused` where a rule forbids it, and
 * `EInvoiceNotChecked`: where rules are installed, nothing is issued that they were not asked about.
 */
export async function judgeInvoice(rules: Rules, invoice: InvoiceDocument): Promise<EInvoice> {
  if (!rules.areInstalled) return noEInvoice("rules");
  if (invoice.kind === "credit_note" && !invoice.eInvoice.available) return noEInvoice("invoice");
  const xml = writeCii(invoice);
  // Only the sandbox has invoices without parties.
  if (xml === undefined) return noEInvoice("parties");
  const { info, findings } = await rules.check(xml);
  const fatal = findings.filter(({ severity }) => severity === "fatal");
  if (fatal.length > 0) throw new EInvoiceRefused(fatal);
  const { version: rulesVersion, sha256: rulesSha256 } = info;
  return { available: true, profile: PROFILE, reason: null, findings, rulesVersion, rulesSha256 };
}

const MOST_TRIES = 3;

/**
 * Judges what would be issued, outside of a transaction because it takes its time, and then issues it: `issue` looks again and
 * answers undefined where the invoice would say something else by now.
 */
export async function issueJudged<Issued>(
  rules: Rules,
  draw: () => Promise<InvoiceDocument | undefined>,
  issue: (judged: { draft: InvoiceDocument; eInvoice: EInvoice }) => Promise<Issued | undefined>,
): Promise<Issued | undefined> {
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const draft = await draw();
    if (draft === undefined) return undefined;
    const issued = await issue({ draft, eInvoice: await judgeInvoice(rules, draft) });
    if (issued !== undefined) return issued;
  }
  throw new EInvoiceNotChecked("what it says changed while it was checked");
}
