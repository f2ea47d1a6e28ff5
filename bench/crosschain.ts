import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { openAttesterWorld, UNIT } from "../attester/test/support/attester-world.ts";
import { createMessageAttestations } from "../server/src/adapters/cctp/index.ts";
import { createHttpClient } from "../server/src/platform/http-client/http-client.ts";
import { median, say } from "./support/compare.ts";
import { startProduct, stopProgram } from "./support/processes.ts";

/**
 * Transfers over the bridge by the product, from the call to the money on the other chain, against a script that burns, asks the same
 * attester and delivers on chains of the same kind, and keeps nothing. Then many at once, and what the first use of a chain takes.
 */
const ROUNDS = 5;
const TRANSFERS = 8;
const AT_ONCE = 100;
const CHAIN = "Base_Sepolia";
const UNUSED = ["Ethereum_Sepolia", "Optimism_Sepolia", "Avalanche_Fuji"] as const;
const LOOK_MILLISECONDS = 20;
const STALLED_AFTER_MILLISECONDS = 120_000;
const TARGETS = { transferMilliseconds: 1_500, firstUseMilliseconds: 2_000 } as const;

const Answer = z.object({ result: z.object({ transferId: z.string(), status: z.string() }) });
const Read = z.object({ result: z.object({ status: z.string() }) });
type Product = Awaited<ReturnType<typeof startProduct>>;

const folder = mkdtempSync(join(tmpdir(), "wayfare-bench-"));
const http = createHttpClient();
const world = await openAttesterWorld();
const product = await startProduct(folder);
let missed = false;
try {
  say(
    "baseline source: bench/crosschain.ts: depositForBurn, the attester's HTTP interface and receiveMessage, by viem",
  );
  say(
    `load: npm run bench:crosschain: one transfer after the other, ${TRANSFERS} a slice, ${ROUNDS} rounds interleaved, node ${process.version}`,
  );
  const bare = await openBare();
  const bridge = () => transfer(product, CHAIN);
  const sides = [
    { name: "bare", run: bare, all: [] as number[] },
    { name: "ours", run: bridge, all: [] as number[] },
  ] as const;
  for (const { run } of sides) await slice(run);
  for (let round = 1; round <= ROUNDS; round += 1) {
    for (const { name, run, all } of sides) {
      const measured = await slice(run);
      all.push(...measured);
      say(`round ${round} ${name} ${describe(measured)}`);
    }
  }
  const [plain, ours] = sides.map(({ all }) => median(all));
  const p50 = ours ?? 0;
  say(
    `bare: ${describe(sides[0].all)}; ours: ${describe(sides[1].all)}: ${(p50 / (plain ?? 1)).toFixed(2)} times the script`,
  );
  judge(`p50 of a transfer under ${TARGETS.transferMilliseconds} ms`, p50 < TARGETS.transferMilliseconds);
  await measureAtOnce();
  await measureFirstUse(p50);
} finally {
  await stopProgram(product.child);
  http.close();
  await world.close();
  rmSync(folder, { recursive: true, force: true });
}
if (missed) process.exitCode = 1;

async function measureAtOnce(): Promise<void> {
  const begun = performance.now();
  const outcomes = await Promise.allSettled(Array.from({ length: AT_ONCE }, () => transfer(product, CHAIN)));
  const seconds = (performance.now() - begun) / 1000;
  const done = outcomes.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
  say(`${AT_ONCE} at once: ${done.length} completed in ${seconds.toFixed(1)} s, ${describe(done)}`);
  for (const one of outcomes) if (one.status === "rejected") say(`  ${String(one.reason)}`);
  judge("none stalled", done.length === AT_ONCE);
}

async function measureFirstUse(usual: number): Promise<void> {
  const firsts: number[] = [];
  for (const chain of UNUSED) {
    const took = await transfer(product, chain);
    const again = await transfer(product, chain);
    firsts.push(took - again);
    say(`first use of ${chain}: ${took.toFixed(0)} ms with a transfer, the next transfer ${again.toFixed(0)} ms`);
  }
  const most = Math.max(...firsts);
  say(
    `first use beyond a usual transfer (${usual.toFixed(0)} ms): ${firsts.map((one) => one.toFixed(0)).join(", ")} ms`,
  );
  judge(`a chain is ready under ${TARGETS.firstUseMilliseconds} ms`, most < TARGETS.firstUseMilliseconds);
}

async function slice(run: () => Promise<number>): Promise<number[]> {
  const measured: number[] = [];
  for (let count = 0; count < TRANSFERS; count += 1) measured.push(await run());
  return measured;
}

/** Milliseconds until the money has arrived. */
async function transfer({ port, tenantId, apiKey }: Product, fromChain: string): Promise<number> {
  const begun = performance.now();
  const ask = async (tool: string, args: Readonly<Record<string, unknown>>): Promise<unknown> => {
    const response = await fetch(`http://127.0.0.1:${port}/api/agent/dispatch`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${apiKey}` },
      body: JSON.stringify({ tenantId, tool, args }),
    });
    const body: unknown = await response.json();
    if (response.status !== 200) throw new Error(`${tool} was answered ${JSON.stringify(body).slice(0, 300)}`);
    return body;
  };
  const answer = Answer.parse(await ask("bridge_to_arc", { fromChain, amount: "1.00" })).result;
  let { status } = answer;
  while (status !== "completed") {
    if (status === "failed" || performance.now() - begun > STALLED_AFTER_MILLISECONDS) {
      throw new Error(`${answer.transferId} is ${status}`);
    }
    await delay(LOOK_MILLISECONDS);
    ({ status } = Read.parse(await ask("read_transaction", { transferId: answer.transferId })).result);
  }
  return performance.now() - begun;
}

/** The same steps without a service. */
async function openBare(): Promise<() => Promise<number>> {
  const { url } = await world.startAttester();
  const attestations = createMessageAttestations({ url, http });
  return async () => {
    const begun = performance.now();
    const burned = await world.burn(world.base, world.hub, UNIT);
    for (;;) {
      const seen = await attestations.find({ sourceDomain: world.base.domain, ...burned });
      if (seen.state === "attested") {
        await world.receive(world.hub, seen.message, seen.attestation);
        return performance.now() - begun;
      }
      await delay(LOOK_MILLISECONDS);
    }
  };
}

function describe(measured: readonly number[]): string {
  const sorted = measured.toSorted((one, other) => one - other);
  const at = (share: number) =>
    (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(0);
  return `p50 ${at(0.5)} ms  p95 ${at(0.95)} ms`;
}

function judge(what: string, isMet: boolean): void {
  say(`${what}: ${isMet ? "met" : "MISSED"}`);
  missed ||= !isMet;
}
