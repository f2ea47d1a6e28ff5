import { z } from "zod";

/** What a rule says of an invoice that breaks it. */
export const Finding = z.object({
  rule: z.string(),
  severity: z.enum(["fatal", "warning"]),
  /** In the XML, from its root: `CrossIndustryInvoice/…/SellerTradeParty`. */
  place: z.string(),
  text: z.string(),
});
export type Finding = z.output<typeof Finding>;

const MOST_FINDINGS = 50;
const LONGEST = 500;

const FAILED = /<svrl:(?:failed-assert|successful-report)\b([^>]*)>(.*?)<\/svrl:(?:failed-assert|successful-report)>/gs;

/** Of a report in SVRL, the language in which such rules answer. What is not said to be a warning is fatal. */
export function readFindings(svrl: string): Finding[] {
  if (!svrl.includes("<svrl:fired-rule")) {
    throw new Error("the rules said nothing of the invoice: it has no element that they know");
  }
  return [...svrl.matchAll(FAILED)].slice(0, MOST_FINDINGS).map(([, attributes = "", body = ""]) => {
    const said = (name: string) => plainText(new RegExp(`\\b${name}="([^"]*)"`).exec(attributes)?.[1] ?? "");
    return {
      rule: said("id") || "unnamed",
      severity: said("flag") === "warning" ? "warning" : "fatal",
      place: plainPath(said("location")),
      text: plainText(body.replace(/<[^>]*>/g, " ")),
    };
  });
}

const plainPath = (path: string): string =>
  path
    .replace(/\*:([\w.-]+)\[namespace-uri\(\)='[^']*'\]/g, "$1")
    .replaceAll("[1]", "")
    .replace(/^\//, "");

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

const plainText = (text: string): string =>
  text
    .replace(/&(\w+);/g, (whole, name) => entities[name] ?? whole)
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, LONGEST);
