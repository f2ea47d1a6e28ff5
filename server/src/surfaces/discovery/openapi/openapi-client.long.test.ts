import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import createClient from "openapi-fetch";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { generateTypes } from "../../../../../examples/openapi-client/generate.ts";
import type { paths } from "../../../../../examples/openapi-client/generated/schema.d.ts";
import type { TestService } from "../../../../test/support/service.ts";
import { openSharedService } from "../../../../test/support/shared-service.ts";

// Most of them run a compiler.
vi.setConfig({ testTimeout: 240_000 });

const run = promisify(execFile);
const CompilerOutput = z.object({ stdout: z.string() });
const folder = resolve(import.meta.dirname, "../../../../../examples/openapi-client");
const types = join(folder, "generated/schema.d.ts");
// The generator's own TypeScript, which is older than this repository's.
const compiler = join(folder, "node_modules/typescript/bin/tsc");

let service: TestService;

beforeAll(async () => {
  service = await openSharedService();
});

afterAll(() => service?.[Symbol.asyncDispose]());

describe("the client generated from the API description", () => {
  it("matches the running service", async () => {
    const { text } = await service.send("/api/openapi.json", {});
    const fresh = await generateTypes(text);
    expect(fresh, "run npm run gen").toBe(readFileSync(types, "utf8"));
  });

  it("type-checks", async () => {
    const { stdout } = await run(process.execPath, [compiler, "-p", folder, "--noEmit"]);
    expect(stdout).toBe("");
  });

  it("refuses at compile time another tool's name, and an argument that is missing, unknown or of the wrong type", async () => {
    const file = join(service.dataDir, "misuse.ts");
    const type = 'paths["/api/agent/dispatch#search_flights"]["post"]["requestBody"]["content"]["application/json"]';
    const call = (tool: string, args: string) => `: ${type} = { tenantId: "", tool: "${tool}", args: { ${args} } };`;
    const route = 'origin: "", destination: ""';
    const lines = [
      `import type { paths } from ${JSON.stringify(types)};`,
      `export const fits${call("search_flights", `${route}, departureDate: ""`)}`,
      `export const anotherTool${call("book_flight", `${route}, departureDate: ""`)}`,
      `export const missing${call("search_flights", route)}`,
      `export const wrong${call("search_flights", 'origin: 1, destination: "", departureDate: ""')}`,
      `export const unknown${call("search_flights", `${route}, departureDate: "", stray: 1`)}`,
    ];
    writeFileSync(file, lines.join("\n"));
    const options = ["--noEmit", "--strict", "--skipLibCheck", "--module", "nodenext", file];
    const refused = run(process.execPath, [compiler, ...options], { cwd: service.dataDir });
    const { stdout } = CompilerOutput.parse(await refused.catch((error: unknown) => error));
    const found = [...stdout.matchAll(/^misuse\.ts\((\d+),\d+\): error TS2\d+/gm)].map(([, line]) => Number(line));
    expect(found, stdout).toEqual([3, 4, 5, 6]);
  });

  it("calls the running service", async () => {
    const quickstart = service.quickstartFile;
    const { stdout } = await run(process.execPath, [join(folder, "search.ts"), quickstart]);
    expect(stdout).toMatch(/^off_\w+: \d+\.\d\d USD\n/);
    expect(stdout).toContain("Paid: 2000 micro-USDC\n");
    expect(stdout).toContain("Refused: Not accepted: destination: must be another place than the origin.\n");
    expect(stdout).toContain("Last call: search_flights, sandbox\n");
  });

  it("sends nothing after # in a path", async () => {
    const seen: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      seen.push(`${request.method} ${request.url}`);
      response.setHeader("content-type", "application/json").end("{}");
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    try {
      const address = server.address();
      const port = typeof address === "object" ? address?.port : undefined;
      const client = createClient<paths>({ baseUrl: `http://127.0.0.1:${port}` });
      const args = { origin: "LHR", destination: "JFK", departureDate: "2027-01-01" };
      await client.POST("/api/agent/dispatch#search_flights", {
        body: { tenantId: "tenant_x", tool: "search_flights", args },
      });
      expect(seen).toEqual(["POST /api/agent/dispatch"]);
    } finally {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    }
  });
});
