import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { ExactEvmScheme } from "@x402/evm/exact/client";
import { wrapFetchWithPayment, x402Client } from "@x402/fetch";
import { rolldown } from "rolldown";
import { privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { startBrowser } from "../../server/test/support/browser.ts";
import type { TestService } from "../../server/test/support/service.ts";
import { openSharedService } from "../../server/test/support/shared-service.ts";
import { createPaidClient } from "../src/index.ts";

const run = promisify(execFile);
const PACKAGE = resolve(import.meta.dirname, "..");
const COMPILER = resolve(PACKAGE, "../node_modules/typescript/bin/tsc");
const Packed = z.tuple([z.object({ filename: z.string(), files: z.array(z.object({ path: z.string() })) })]);
const Failed = z.object({ stdout: z.string() });

/** As the reader's project would be configured, and with what is strictest. */
const OPTIONS = {
  target: "es2022",
  lib: ["es2022", "dom", "dom.iterable"],
  module: "nodenext",
  types: [],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: false,
};

const SAMPLE = `
import { createClient, items, unwrap } from "@wayfare/client";
declare const process: { env: Record<string, string | undefined>; stdout: { write(text: string): void } };
const { BASE_URL = "", API_KEY = "", SIGNING_SECRET = "", DAY = "" } = process.env;
const wayfare = createClient({ baseUrl: BASE_URL, apiKey: API_KEY, signingSecret: SIGNING_SECRET });
const route = { origin: "LHR", destination: "JFK", departureDate: DAY };
const { offers } = await unwrap(wayfare.tools.searchFlights(route));
const refused = await wayfare.tools.searchFlights({ ...route, destination: "LHR" });
const issues = !refused.ok && refused.problem.code === "invalid_input" ? refused.problem.issues : [];
const tools: string[] = [];
for await (const { tool } of items(wayfare.routes.readUsage, "records", { limit: 1 })) tools.push(tool);
const replies: string[] = [];
for await (const event of wayfare.converse({ channel: "web", input: "What can you do for me?" })) {
  if (event.type === "turn_ended") replies.push(event.reply);
}
process.stdout.write(JSON.stringify({ currency: offers[0]?.totalCurrency, issues, tools, replies: replies.length }));
`;

/** Each of these lines but the first two is a mistake that the compiler finds. */
const MISUSE = `import { createClient, items } from "@wayfare/client";
const { tools, routes } = createClient({ baseUrl: "" });
void tools.searchFlights({ origin: "LHR", destination: "JFK" });
void tools.searchFlights({ origin: 1, destination: "JFK", departureDate: "2030-01-15" });
void tools.searchFlights({ origin: "LHR", destination: "JFK", departureDate: "2030-01-15", stray: 1 });
void tools.searchTrains({});
void tools.searchFlights({ origin: "LHR", destination: "JFK", departureDate: "" }).then((found) => !found.ok && found.problem.code === "not_its_code");
void tools.searchFlights({ origin: "LHR", destination: "JFK", departureDate: "" }).then((found) => found.result);
void routes.getOrder({});
void items(routes.readUsage, "orders", {});
`;

let service: TestService;
let project: string;
let packed: z.infer<typeof Packed>[0];

/** An empty project that has installed the packed file, without a network. */
beforeAll(async () => {
  service = await openSharedService();
  project = mkdtempSync(join(tmpdir(), "wayfare client "));
  const quiet = ["--offline", "--no-audit", "--no-fund", "--no-update-notifier", "--cache", join(project, "cache")];
  const { stdout } = await run("npm", ["pack", "--json", "--pack-destination", project, ...quiet], { cwd: PACKAGE });
  [packed] = Packed.parse(JSON.parse(stdout));
  mkdirSync(join(project, "src"));
  writeFileSync(join(project, "package.json"), JSON.stringify({ name: "reader", type: "module" }));
  writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions: OPTIONS, include: ["src"] }));
  await run("npm", ["install", ...quiet, join(project, packed.filename)], { cwd: project });
});

afterAll(async () => {
  rmSync(project, { recursive: true, force: true });
  await service?.[Symbol.asyncDispose]();
});

const compile = async (text: string, ...options: string[]) => {
  writeFileSync(join(project, "src/sample.ts"), text);
  const compiling = run(process.execPath, [COMPILER, "-p", project, ...options], { cwd: project });
  return Failed.parse(await compiling.catch((error: unknown) => error)).stdout;
};

describe("the packed client", () => {
  it("brings its built files and nothing else", () => {
    const paths = packed.files.map(({ path }) => path);
    expect(paths.filter((path) => !/^(?:dist\/.+\.(?:js|d\.ts)|README\.md|package\.json)$/.test(path))).toEqual([]);
    expect(paths).toContain("dist/index.d.ts");
    const lock = z.object({ packages: z.record(z.string(), z.unknown()) });
    const { packages } = lock.parse(JSON.parse(readFileSync(join(project, "package-lock.json"), "utf8")));
    expect(Object.keys(packages)).toEqual(["", "node_modules/@wayfare/client"]);
  });

  it("compiles in a strict project, and runs against the service", async () => {
    expect(await compile(SAMPLE)).toBe("");
    const environment = {
      BASE_URL: service.appUrl,
      API_KEY: service.apiKey,
      SIGNING_SECRET: service.signingSecret,
      DAY: Temporal.Now.plainDateISO("UTC").add({ days: 60 }).toString(),
    };
    const { stdout } = await run(process.execPath, [join(project, "src/sample.js")], { env: environment });
    expect(JSON.parse(stdout)).toEqual({
      currency: "USD",
      issues: [{ path: "destination", message: expect.any(String) }],
      tools: ["search_flights"],
      replies: 1,
    });
  });

  it("lets the compiler refuse wrong arguments, names, codes and unchecked results", async () => {
    const said = await compile(MISUSE, "--noEmit");
    const lines = [...said.matchAll(/^src\/sample\.ts\((\d+),\d+\): error TS2\d+/gm)].map(([, line]) => Number(line));
    expect([...new Set(lines)], said).toEqual([3, 4, 5, 6, 7, 8, 9, 10]);
  });

  it("runs in a page and in a worker", async () => {
    const bundle = await rolldown({ input: join(project, "node_modules/@wayfare/client/dist/index.js") });
    const { code } = (await bundle.generate({ format: "esm" })).output[0];
    await bundle.close();
    const settings = { baseUrl: service.appUrl, apiKey: service.apiKey, signingSecret: service.signingSecret };
    const use = `const { ok, result, problem } = await createClient(${JSON.stringify(settings)}).tools.findAirportsNearby({ query: "Lisbon" });
      const said = ok ? result.place : problem.code + ": " + problem.detail;`;
    const scripts: Readonly<Record<string, string>> = {
      "/page.js": `import { createClient } from "/client.js"; ${use} document.title = said;`,
      "/worker.js": `${code}\n${use} postMessage(said);`,
      "/client.js": code,
    };
    await using browser = await startBrowser();
    const page = await browser.browser.newPage();
    await page.route(/\/(?:page|worker|client)\.js$|\/sample$/, async (asked) => {
      const { pathname } = new URL(asked.request().url());
      const body = scripts[pathname];
      if (body === undefined)
        await asked.fulfill({ contentType: "text/html", body: "<script type=module src=/page.js></script>" });
      else await asked.fulfill({ contentType: "text/javascript", body });
    });
    await page.goto(`${service.appUrl}/sample`);
    await expect.poll(() => page.title()).toContain("Lisbon");
    const fromWorker = await page.evaluate(
      `new Promise((done, failed) => Object.assign(new Worker("/worker.js", { type: "module" }), { onmessage: ({ data }) => done(data), onerror: ({ message }) => failed(new Error(message)) }))`,
    );
    expect(fromWorker).toContain("Lisbon");
  });

  it("buys a call with the official x402 client", async () => {
    const Quickstart = z.object({
      edgeUrl: z.string(),
      chain: z.object({ network: z.templateLiteral(["eip155:", z.string()]), usdc: z.string() }),
      payer: z.object({ privateKey: z.templateLiteral(["0x", z.string()]) }),
    });
    const { edgeUrl, chain, payer } = Quickstart.parse(JSON.parse(readFileSync(service.quickstartFile, "utf8")));
    const account = privateKeyToAccount(payer.privateKey);
    const wallet = new x402Client().register("eip155:*", new ExactEvmScheme(account));
    wallet.setSpendControls({
      allowedAssets: [{ network: chain.network, asset: chain.usdc, maxAmountPerPayment: "100000" }],
    });
    const { tools } = createPaidClient({ edgeUrl, fetch: wrapFetchWithPayment(fetch, wallet) });
    const bought = await tools.findAirportsNearby({ query: "Lisbon" });
    expect(bought, JSON.stringify(bought)).toMatchObject({
      ok: true,
      payment: { payer: account.address.toLowerCase(), settlementTx: expect.stringMatching(/^0x[0-9a-f]{64}$/) },
    });
    // A refusal is the service's own, and nothing is paid for it.
    expect(await tools.findAirportsNearby({ query: "Lisbon", maxResults: -1 })).toMatchObject({
      ok: false,
      problem: { code: "invalid_input" },
    });
  });
});
