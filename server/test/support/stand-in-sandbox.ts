// Stands in for the supplier sandbox where a test is about starting, keeping and stopping it: the same start line and health route.
import { readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { parseArgs } from "node:util";
import { withClient } from "../../src/embedded/postgres/databases.ts";

const { values } = parseArgs({
  options: { port: { type: "string" }, host: { type: "string" }, "secrets-file": { type: "string" } },
});
const secretsFile = values["secrets-file"] ?? "";
const { token, databaseUrl } = JSON.parse(readFileSync(secretsFile, "utf8"));
const mode = statSync(secretsFile).mode & 0o777;
const database = await withClient(databaseUrl, async (client) => {
  const { rows } = await client.query("select current_database() as name");
  return rows[0]?.name;
});
const server = createServer((request, response) => {
  if (request.url === "/healthz") response.end("ok");
  else
    response.end(
      JSON.stringify({ pid: process.pid, mode, database, tokenFits: request.headers.authorization === token }),
    );
});
server.listen(Number(values.port), values.host, () => process.stdout.write(`${JSON.stringify({ ready: true })}\n`));
process.on("SIGTERM", () => process.exit(0));
