import { execFile } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { readConfig } from "../config/config.ts";
import {
  describeRules,
  findProcessor,
  installProcessor,
  RULES_FILE_NAME,
  RulesFile,
  type RulesInfo,
} from "../modules/e-invoices/rules-file.ts";
import { systemClock } from "../ports/clock.ts";
import type { Program } from "./command-line.ts";
import { runAsCommand } from "./run-as-command.ts";

const run = promisify(execFile);

/** The publisher's name for the rules of the syntax in which e-invoices are made. */
const STYLESHEET = "EN16931-CII-validation.xslt";
const SOURCE = "the public repository ConnectingEurope/eInvoicing-EN16931 on GitHub";
const COMPILE_MILLISECONDS = 300_000;

const program: Program<{ dataDir: string; progress(line: string): void }> = {
  name: "einvoice-rules",
  summary: `Compile the official EN 16931 rules, which e-invoices are checked against before they are issued. They are published in ${SOURCE}.`,
  commands: [
    {
      name: "",
      summary: `Compile ${STYLESHEET}: give its path, or a folder that contains it, such as a copy of ${SOURCE}.`,
      usage: "<file or folder> [--to <file>]",
      positionals: ["file or folder"],
      options: { to: { type: "string" } },
      prepare(args) {
        const from = findStylesheet(resolve(args.positional(0)));
        const to = args.text("to");
        return async ({ dataDir, progress }) => {
          const target = resolve(to ?? join(dataDir, RULES_FILE_NAME));
          progress(`Compiling ${from}. This takes up to a minute.`);
          const info = await compile(from, target);
          const lines = [
            `Version ${info.version}, licence: ${info.licence}, from ${SOURCE}.`,
            `SHA-256 of the stylesheet: ${info.sha256}`,
            `Compiled to ${target}.`,
            to === undefined
              ? "The service uses it from its next start."
              : "Set EINVOICE_RULES to that file and restart the service.",
          ];
          return { text: lines.join("\n"), json: { ...info, file: target } };
        };
      },
    },
  ],
  notes: ["The command accepts --json. Exit code: 0 success, 1 failure, 2 usage error."],
};

function findStylesheet(path: string): string {
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) return path;
  const found = readdirSync(path, { recursive: true, encoding: "utf8" }).find((one) => one.endsWith(STYLESHEET));
  if (found === undefined) throw new Error(`There is no ${STYLESHEET} in ${path}. It is in ${SOURCE}.`);
  return join(path, found);
}

/** Replaces the target only on success. */
async function compile(from: string, target: string): Promise<RulesInfo> {
  const compiler = findProcessor(target, "compiler");
  if (compiler === undefined || findProcessor(target, "runtime") === undefined) {
    throw new Error(
      `SaxonJS, which compiles and runs the rules, is not installed beside them. It is free of charge and not open source. Install it with: ${installProcessor(target)}`,
    );
  }
  const described = describeRules(readFileSync(from, "utf8"));
  mkdirSync(dirname(target), { recursive: true });
  const folder = mkdtempSync(`${target}.`);
  try {
    const compiled = join(folder, "compiled.json");
    const options = { timeout: COMPILE_MILLISECONDS, maxBuffer: 10_000_000 };
    await run(process.execPath, [compiler, `-xsl:${from}`, `-export:${compiled}`, "-nogo"], options).catch((error) => {
      throw new Error(`The stylesheet could not be compiled. ${String(error.stderr ?? error).slice(0, 500)}`);
    });
    const rules = RulesFile.parse({
      kind: "wayfare-einvoice-rules",
      info: { ...described, compiledAt: systemClock.now().toString() },
      stylesheet: JSON.parse(readFileSync(compiled, "utf8")),
    });
    const whole = join(folder, RULES_FILE_NAME);
    writeFileSync(whole, JSON.stringify(rules));
    renameSync(whole, target);
    return rules.info;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  await runAsCommand(program, (options, work) =>
    work({ dataDir: readConfig(process.env).dataDir, progress: options.progress }),
  );
}
