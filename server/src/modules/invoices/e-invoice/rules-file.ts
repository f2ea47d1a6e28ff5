import { createHash } from "node:crypto";
import { z } from "zod";

/** The rules whose name stands below, compiled once by `npm run einvoice-rules`, with what they were compiled from. */
export const RULES_FILE_NAME = "einvoice-rules.json";

export const RulesInfo = z.object({
  version: z.string(),
  /** Of the stylesheet as its publisher gives it out. */
  sha256: z.string(),
  licence: z.string(),
  compiledAt: z.string(),
});
export type RulesInfo = z.output<typeof RulesInfo>;

/** `stylesheet` is what the compiler wrote, which only its own library reads. */
export const RulesFile = z.object({
  kind: z.literal("wayfare-einvoice-rules"),
  info: RulesInfo,
  stylesheet: z.looseObject({}),
});

const LONGEST = 200;

/** What the stylesheet says of itself in its comments. */
export function describeRules(stylesheet: string): Pick<RulesInfo, "version" | "sha256" | "licence"> {
  const found = (pattern: RegExp) => pattern.exec(stylesheet)?.[1]?.trim().slice(0, LONGEST);
  return {
    version: found(/Schematron version ([\w.-]+)/) ?? "not stated",
    licence: found(/Licensed under (?:the )?([^\n]+?)\.?\s*\n/) ?? "not stated",
    sha256: createHash("sha256").update(stylesheet).digest("hex"),
  };
}
