import { createHash } from "node:crypto";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { z } from "zod";

/** The rules named below, compiled once by `npm run einvoice-rules`, with their source. */
export const RULES_FILE_NAME = "einvoice-rules.json";

export const RulesInfo = z.object({
  version: z.string(),
  /** Hash of the stylesheet as published. */
  sha256: z.string(),
  licence: z.string(),
  compiledAt: z.string(),
});
export type RulesInfo = z.output<typeof RulesInfo>;

/** `stylesheet` is the compiler's output, which only its own library reads. */
export const RulesFile = z.object({
  kind: z.literal("wayfare-einvoice-rules"),
  info: RulesInfo,
  stylesheet: z.looseObject({}),
});

const LONGEST = 200;

/** The stylesheet's own facts in its comments. */
export function describeRules(stylesheet: string): Pick<RulesInfo, "version" | "sha256" | "licence"> {
  const found = (pattern: RegExp) => pattern.exec(stylesheet)?.[1]?.trim().slice(0, LONGEST);
  return {
    version: found(/Schematron version ([\w.-]+)/) ?? "not stated",
    licence: found(/Licensed under (?:the )?([^\n]+?)\.?\s*\n/) ?? "not stated",
    sha256: createHash("sha256").update(stylesheet).digest("hex"),
  };
}

/** Compiles rules and runs them. Neither is open source: the operator installs them beside the rules. */
const PROCESSOR = { compiler: "xslt3-he/xslt3.js", runtime: "saxonjs-he" } as const;
const PROCESSOR_VERSION = "3.0.0-beta2";

/** The path of a part of the processor, installed in the folder of the rules or above it; undefined if it is missing. */
export function findProcessor(rulesFile: string, part: keyof typeof PROCESSOR): string | undefined {
  try {
    return createRequire(join(dirname(rulesFile), "beside-the-rules.js")).resolve(PROCESSOR[part]);
  } catch {
    return undefined;
  }
}

export const installProcessor = (rulesFile: string): string =>
  `npm install --prefix ${dirname(rulesFile)} xslt3-he@${PROCESSOR_VERSION} saxonjs-he@${PROCESSOR_VERSION}`;
