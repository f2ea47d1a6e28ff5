import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { parentPort, workerData } from "node:worker_threads";
import { z } from "zod";
import type { ThreadAnswer, ThreadTask } from "../../platform/threads/worker-queue.ts";
import type { Finding } from "../invoices/index.ts";
import { RulesFile, type RulesInfo } from "./rules-file.ts";

/** The part in use of a library without types. */
interface Saxon {
  transform(
    options: { stylesheetInternal: object; sourceText: string; destination: "serialized" },
    execution: "sync",
  ): { principalResult: string };
}

export interface Judgement {
  info: RulesInfo;
  findings: Finding[];
}

const paths = z.object({ rules: z.string(), processor: z.string() }).parse(workerData);
const saxon: Saxon = createRequire(import.meta.url)(paths.processor);
const rules = RulesFile.parse(JSON.parse(readFileSync(paths.rules, "utf8")));

/** The thread of `EInvoiceRules`: takes an e-invoice and returns the findings. Without one it only tells which rules are installed. */
parentPort?.on("message", ({ id, input }: ThreadTask<string | undefined>) => {
  const post = (answer: ThreadAnswer<Judgement>) => parentPort?.postMessage(answer);
  try {
    post({ id, output: { info: rules.info, findings: input === undefined ? [] : judge(input) } });
  } catch (error) {
    post({ id, error: String(error) });
  }
});

function judge(xml: string): Finding[] {
  const stylesheetInternal = rules.stylesheet;
  return readFindings(
    saxon.transform({ stylesheetInternal, sourceText: xml, destination: "serialized" }, "sync").principalResult,
  );
}

const MOST_FINDINGS = 50;
const LONGEST = 500;

const FAILED = /<svrl:(?:failed-assert|successful-report)\b([^>]*)>(.*?)<\/svrl:(?:failed-assert|successful-report)>/gs;

/** Parses a report in SVRL, the output language of such rules. A finding not marked as a warning is fatal. */
function readFindings(svrl: string): Finding[] {
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
