import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { z } from "zod";

const ROOT = join(import.meta.dirname, "../..");

const Digits = z.templateLiteral(["0x", z.string().regex(/^[0-9a-fA-F]+$/)]);
const Quickstart = z.object({
  edgeUrl: z.string(),
  tenantId: z.string(),
  apiKey: z.string(),
  operatorKey: z.string(),
  chain: z.object({ rpcUrl: z.string(), chainId: z.number(), usdc: Digits }),
  payer: z.object({ address: Digits, privateKey: Digits }),
});

/** Another checkout may know no sign-in. */
const ServiceFacts = z.object({ appUrl: z.string(), quickstartPath: z.string(), signInLink: z.string().optional() });

/** Starts a program of this folder, or of another checkout's, and reads the JSON line that it prints when it is ready. */
export async function startProgram(
  program: string,
  environment: Readonly<Record<string, string>> = {},
  root: string = ROOT,
) {
  const child = spawn(process.execPath, [join(root, "bench/support", program)], {
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "inherit"],
  });
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.startsWith("{")) return { child, facts: JSON.parse(line) as unknown };
  }
  throw new Error(`${program} ended before it was ready.`);
}

export async function startBaseline(program: string): Promise<{ child: ChildProcess; port: number }> {
  const { child, facts } = await startProgram(program);
  return { child, ...z.object({ port: z.number() }).parse(facts) };
}

/** The product with the probe tools, on a data folder of its own, without limits that a bench would meet. */
export async function startProduct(
  dataDir: string,
  environment: Readonly<Record<string, string>> = {},
  root: string = ROOT,
  program = "service.ts",
) {
  const settings = {
    DATA_DIR: dataDir,
    PORT: "0",
    EDGE_PORT: "0",
    RATE_LIMIT_PER_SECOND: "1000000",
    RATE_LIMIT_BURST: "1000000",
    UNSETTLED_PER_PAYER_MINUTE: "1000000",
    UNSETTLED_PER_ADDRESS_MINUTE: "1000000",
    LOG_LEVEL: "warn",
    ...environment,
  };
  const { child, facts } = await startProgram(program, settings, root);
  const { appUrl, quickstartPath, signInLink } = ServiceFacts.parse(facts);
  const quickstart = Quickstart.parse(JSON.parse(readFileSync(quickstartPath, "utf8")));
  const { tenantId, apiKey } = quickstart;
  await raiseCap(dataDir, tenantId, root);
  return { child, port: Number(new URL(appUrl).port), appUrl, signInLink, tenantId, apiKey, quickstart };
}

export function stopProgram(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve();
    child.once("exit", () => resolve());
    child.kill("SIGTERM");
  });
}

/** The run must not end at the demo tenant's cap. */
async function raiseCap(dataDir: string, tenantId: string, root: string): Promise<void> {
  const program = join(root, "server/src/commands/tenant.ts");
  const child = spawn(process.execPath, [program, "set", tenantId, "--cap", "1000000"], {
    env: { ...process.env, DATA_DIR: dataDir },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const code = await new Promise((resolve) => child.once("exit", resolve));
  if (code !== 0) throw new Error("The cap could not be raised.");
}
