import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { parentPort, workerData } from "node:worker_threads";
import { z } from "zod";
import type { ThreadAnswer, ThreadTask } from "../worker-queue.ts";
import { type Finding, readFindings } from "./findings.ts";
import { RulesFile, type RulesInfo } from "./rules-file.ts";

/** What we use of a library that has no types. */
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

/** The thread of `EInvoiceRules`: an e-invoice in, what the rules find out. Undefined in: only which rules they are. */
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
