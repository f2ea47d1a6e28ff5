import { parseArgs } from "node:util";
import { createVault } from "../../src/adapters/vault.ts";
import { chainOperations, createStores } from "../../src/contributions.ts";
import { openDatabase } from "../../src/platform/database/database.ts";
import { createHttpClient } from "../../src/platform/http-client/http-client.ts";
import { systemClock } from "../../src/ports/clock.ts";
import { startSandboxChain } from "./open-chain.ts";

/** A process that does nothing but submit, for tests that kill it. */
const { values } = parseArgs({
  options: {
    database: { type: "string", default: "" },
    "master-key": { type: "string", default: "" },
    rpc: { type: "string", default: "" },
    "funder-key": { type: "string", default: "" },
  },
});
const silentLog = { info: () => undefined, warn: () => undefined, error: () => undefined };
const { db } = openDatabase(values.database, { poolSize: 4, onError: () => undefined });
const vault = createVault(Buffer.from(values["master-key"], "hex"));
const { submitter } = await startSandboxChain({
  db,
  vault,
  operations: chainOperations,
  clock: systemClock,
  stores: createStores(db, systemClock, vault),
  http: createHttpClient(),
  log: silentLog,
  rpcUrl: values.rpc,
  patienceMilliseconds: 120_000,
  funderKey: `0x${values["funder-key"].slice(2)}`,
});
submitter.start();
process.stdout.write("ready\n");
