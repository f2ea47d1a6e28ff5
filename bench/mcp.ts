import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compare, say } from "./support/compare.ts";
import { startBaseline, startProduct, stopProgram } from "./support/processes.ts";

/**
 * MCP in the stateless revision with everything on (key, validation, cap, durable record, signature) against the SDK's own handler
 * without any of that, and against a raw JSON-RPC echo.
 */
const TARGET = 3;
const REVISION = "2026-07-28";
/** A call waits for a durable commit: with few connections that wait is measured, with many the work. Both are shown. */
const MANY = 192;

const folder = mkdtempSync(join(tmpdir(), "wayfare-bench-"));
const echo = await startBaseline("rpc-echo-server.ts");
const sdk = await startBaseline("sdk-server.ts");
const product = await startProduct(folder);
try {
  const request = (method: string, params: Record<string, unknown>, name?: string) => ({
    headers: {
      accept: "application/json, text/event-stream",
      authorization: `Bearer ${product.apiKey}`,
      "mcp-protocol-version": REVISION,
      "mcp-method": method,
      ...(name === undefined ? {} : { "mcp-name": name }),
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method,
      params: {
        ...params,
        _meta: {
          "io.modelcontextprotocol/protocolVersion": REVISION,
          "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1.0.0" },
          "io.modelcontextprotocol/clientCapabilities": {},
        },
      },
    }),
  });
  const call = request("tools/call", { name: "probe_read", arguments: { text: "hello" } }, "probe_read");
  const list = request("tools/list", {});
  const ours = { port: product.port, path: "/api/mcp" };
  const theirs = { port: sdk.port, path: "/mcp" };
  const { medianRate, refused } = await compare(
    "npm run bench:mcp",
    [
      "bench/support/rpc-echo-server.ts (bare node:http, parses and answers a JSON-RPC result)",
      "bench/support/sdk-server.ts (@modelcontextprotocol/server createMcpHandler, low-level Server, the same tools)",
    ],
    {
      "echo call": { port: echo.port, path: "/", ...call },
      "sdk call": { ...theirs, ...call },
      "our call": { ...ours, ...call },
      "sdk call, many": { ...theirs, ...call, connections: MANY },
      "our call, many": { ...ours, ...call, connections: MANY },
      "echo call, many": { port: echo.port, path: "/", ...call, connections: MANY },
      "sdk list": { ...theirs, ...list },
      "our list": { ...ours, ...list },
    },
  );
  for (const kind of ["call", "call, many", "list"] as const) {
    const [mine, other] = [medianRate(`our ${kind}`), medianRate(`sdk ${kind}`)];
    const echoRate = medianRate(kind === "call, many" ? "echo call, many" : "echo call");
    const wrong = refused(`our ${kind}`) + refused(`sdk ${kind}`);
    const verdict = mine / other >= TARGET && wrong === 0 ? "met" : "MISSED";
    say(
      `tools/${kind}: median ${mine.toFixed(0)} requests/s = ${(mine / other).toFixed(1)} times the SDK's ${other.toFixed(0)} (target ${TARGET}: ${verdict}), ${(mine / echoRate).toFixed(2)} of the echo's ${echoRate.toFixed(0)}`,
    );
    if (verdict !== "met") process.exitCode = 1;
  }
} finally {
  await Promise.all([stopProgram(echo.child), stopProgram(sdk.child), stopProgram(product.child)]);
  rmSync(folder, { recursive: true, force: true });
}
