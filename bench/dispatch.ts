import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compare, say } from "./support/compare.ts";
import { startBaseline, startProduct, stopProgram } from "./support/processes.ts";

/** Dispatch with everything on (key, validation, cap, durable record, signature) against a bare node:http JSON echo. */
const TARGETS = { read: 0.25, write: 0.15 } as const;
/** A call waits for a durable commit: with few connections that wait is measured, with many the work. Both are shown. */
const MANY = 256;

const folder = mkdtempSync(join(tmpdir(), "wayfare-bench-"));
const echo = await startBaseline("echo-server.ts");
const product = await startProduct(folder);
try {
  const buildBody = (tool: string) => JSON.stringify({ tenantId: product.tenantId, tool, args: { text: "hello" } });
  const dispatch = {
    port: product.port,
    path: "/api/agent/dispatch",
    headers: { authorization: `Bearer ${product.apiKey}` },
  };
  const targets = {
    echo: { port: echo.port, path: "/", headers: {}, body: buildBody("probe_read") },
    read: { ...dispatch, body: buildBody("probe_read") },
    write: { ...dispatch, body: buildBody("probe_write") },
  };
  const { medianRate, refused } = await compare(
    "npm run bench",
    ["bench/support/echo-server.ts (bare node:http, parses and answers the same JSON)"],
    {
      ...targets,
      "echo, many": { ...targets.echo, connections: MANY },
      "read, many": { ...targets.read, connections: MANY },
      "write, many": { ...targets.write, connections: MANY },
    },
  );
  for (const name of ["read", "write"] as const) {
    const ratio = medianRate(name) / medianRate("echo");
    const verdict = ratio >= TARGETS[name] && refused(name) === 0 ? "met" : "MISSED";
    say(
      `${name}: median ${medianRate(name).toFixed(0)} of ${medianRate("echo").toFixed(0)} requests/s = ${ratio.toFixed(2)} of the echo (target ${TARGETS[name]}: ${verdict})`,
    );
    if (verdict !== "met") process.exitCode = 1;
    const [many, echoOfMany] = [medianRate(`${name}, many`), medianRate("echo, many")];
    say(`${name}, many: median ${many.toFixed(0)} requests/s = ${(many / echoOfMany).toFixed(2)} of the echo, many`);
  }
} finally {
  await Promise.all([stopProgram(echo.child), stopProgram(product.child)]);
  rmSync(folder, { recursive: true, force: true });
}
