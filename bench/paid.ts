import type { ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { createPublicClient, createWalletClient, defineChain, erc20Abi, http } from "viem";
import { generatePrivateKey, privateKeyToAccount, privateKeyToAddress } from "viem/accounts";
import { z } from "zod";
import { say } from "./support/compare.ts";
import { openPaidCpu } from "./support/paid-cpu.ts";
import { type PaidSlice, runPaidSlice, toRequest } from "./support/paid-load.ts";
import { startProduct, startProgram, stopProgram } from "./support/processes.ts";
import { readTerms, signPaymentHeader } from "./support/sign-payments.ts";

/**
 * The payment-gated surface with everything on (strict reading, verification, durable claim, validation, durable answer, usage
 * record, signature) against the stock Hono middleware with the stock facilitator in its process: the same chain, price, asset and
 * tool, each payment settled on that chain before its answer.
 */
const MODES = [
  { name: "settled one by one", environment: { PAYMENT_BATCH_WINDOW_MS: "0" }, target: 2 },
  { name: "settled in batches", environment: { PAYMENT_BATCH_WINDOW_MS: "10" }, target: 4 },
] as const;
const CLIENTS = 16;
const SECONDS = 4;
const WARM_UP_SECONDS = 2;
const ROUNDS = 5;
const CORES = availableParallelism();
/** The minimum of valid payments, none of which may be refused. */
const LEAST_PAID = 2_000;
/** Signed for a slice beyond what the fastest one so far needed, and at least: a machine can be slow for a while. */
const SPARE = 3;
const LEAST_SIGNED_PER_SECOND = 400;

const BODY = JSON.stringify({ text: "hello" });
const PATH = "/tools/probe_read";
const EACH_MICRO = 40_000_000n;
const GAS_MONEY = 10n ** 18n;

type Side = "stock" | "ours";

async function runMode({ name, environment, target }: (typeof MODES)[number]): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), "wayfare-bench-"));
  const children: ChildProcess[] = [];
  try {
    const product = await startProduct(folder, environment);
    children.push(product.child);
    const { chain, payer, edgeUrl } = product.quickstart;
    const wallet = openWallet(chain, payer.privateKey);
    const keys = Array.from({ length: CLIENTS }, generatePrivateKey);
    for (const key of keys) await wallet.sendTokens(privateKeyToAddress(key), EACH_MICRO);
    const gasKey = generatePrivateKey();
    await wallet.sendGas(privateKeyToAddress(gasKey), GAS_MONEY);
    const terms = await readTerms(`${edgeUrl}${PATH}`, BODY);
    const stock = await startProgram("stock-paid-server.ts", {
      RPC_URL: chain.rpcUrl,
      CHAIN_ID: String(chain.chainId),
      ASSET: terms.asset,
      ASSET_NAME: terms.extra.name,
      ASSET_VERSION: terms.extra.version,
      PAY_TO: terms.payTo,
      GAS_KEY: gasKey,
      PRICE: terms.amount,
    });
    children.push(stock.child);
    const { port: stockPort } = z.object({ port: z.number() }).parse(stock.facts);
    const ports: Readonly<Record<Side, number>> = { stock: stockPort, ours: Number(new URL(edgeUrl).port) };
    const termsByName = { ours: terms, stock: await readTerms(`http://127.0.0.1:${stockPort}${PATH}`, BODY) };

    const fastest = { stock: 0, ours: 0 };
    const servicePid = product.child.pid ?? 0;
    const cpu = { ours: openPaidCpu(servicePid, servicePid), stock: openPaidCpu(servicePid, stock.child.pid ?? 0) };

    const slice = async (side: Side, seconds: number): Promise<PaidSlice> => {
      const each = Math.ceil((Math.max(fastest[side] * SPARE, LEAST_SIGNED_PER_SECOND) * seconds) / CLIENTS);
      const port = ports[side];
      const requests = keys.map((key) =>
        Array.from({ length: each }, () =>
          toRequest({
            port,
            path: PATH,
            body: BODY,
            headers: { "payment-signature": signPaymentHeader(key, termsByName[side]) },
          }),
        ),
      );
      const measured = await cpu[side].measure(() => runPaidSlice({ port, requests, seconds }));
      fastest[side] = Math.max(measured.paidPerSecond, fastest[side]);
      return measured;
    };

    say(
      `${name}: ${CLIENTS} clients, ${SECONDS} s a slice, ${ROUNDS} rounds interleaved, ${JSON.stringify(environment)}`,
    );
    const before = await wallet.readTokens(terms.payTo);
    const all: Record<Side, PaidSlice[]> = { stock: [], ours: [] };
    const warmUps = [await slice("stock", WARM_UP_SECONDS), await slice("ours", WARM_UP_SECONDS)];
    for (let round = 1; round <= ROUNDS; round += 1) {
      for (const side of ["stock", "ours"] as const) {
        const measured = await slice(side, SECONDS);
        all[side].push(measured);
        say(`${name} round ${round} ${side.padEnd(5)} ${describe(measured)}`);
      }
    }
    while (sumPaid(all.ours) < LEAST_PAID) all.ours.push(await slice("ours", SECONDS));
    for (const [index, side] of (["stock", "ours"] as const).entries()) {
      const paid = sumPaid(all[side]) + (warmUps[index]?.paid ?? 0);
      say(`${name} ${side.padEnd(5)} CPU milliseconds of each paid request: ${cpu[side].describe(paid, CORES)}`);
    }
    const answered = sumPaid([...warmUps, ...all.stock, ...all.ours]);
    const captured = (await wallet.readTokens(terms.payTo)) - before;
    return conclude({ name, target, all, answered, captured, price: BigInt(terms.amount) });
  } finally {
    await Promise.all(children.map(stopProgram));
    rmSync(folder, { recursive: true, force: true });
  }
}

function conclude(facts: {
  name: string;
  target: number;
  all: Readonly<Record<Side, readonly PaidSlice[]>>;
  answered: number;
  captured: bigint;
  price: bigint;
}): boolean {
  const { name, target, all, answered, captured, price } = facts;
  const [ours, stock] = [medianRate(all.ours), medianRate(all.stock)];
  const met = ours / stock >= target;
  const [refusedOurs, refusedStock] = [sumRefused(all.ours), sumRefused(all.stock)];
  say(
    `${name}: median ${ours.toFixed(0)} paid requests/s = ${(ours / stock).toFixed(1)} times the stock middleware's ${stock.toFixed(0)} (target ${target}: ${met ? "met" : "MISSED"})`,
  );
  say(
    `${name}: of ${sumPaid(all.ours) + refusedOurs} valid payments we refused ${refusedOurs} (target 0 of ${LEAST_PAID}: ${refusedOurs === 0 ? "met" : "MISSED"}); the stock middleware ${refusedStock} of ${sumPaid(all.stock) + refusedStock}`,
  );
  // Payments in progress when the stock server answered an error may still have been captured.
  const agrees = captured === BigInt(answered) * price || refusedStock > 0;
  say(
    `${name}: ${answered} answered as paid by both, ${captured / price} captured on the chain${agrees ? "" : " - THEY DIFFER"}`,
  );
  return met && refusedOurs === 0 && agrees;
}

function openWallet(
  { rpcUrl, chainId, usdc }: { rpcUrl: string; chainId: number; usdc: `0x${string}` },
  key: `0x${string}`,
) {
  const chain = defineChain({
    id: chainId,
    name: "development",
    nativeCurrency: { name: "gas", symbol: "GAS", decimals: 18 },
    rpcUrls: { default: { http: [rpcUrl] } },
  });
  const transport = http(rpcUrl);
  const reader = createPublicClient({ chain, transport, pollingInterval: 20 });
  const writer = createWalletClient({ chain, transport, account: privateKeyToAccount(key) });
  return {
    async sendTokens(to: `0x${string}`, amount: bigint): Promise<void> {
      const call = { address: usdc, abi: erc20Abi, functionName: "transfer", args: [to, amount] } as const;
      await reader.waitForTransactionReceipt({ hash: await writer.writeContract(call) });
    },
    async sendGas(to: `0x${string}`, value: bigint): Promise<void> {
      await reader.waitForTransactionReceipt({ hash: await writer.sendTransaction({ to, value }) });
    },
    readTokens: (owner: `0x${string}`): Promise<bigint> =>
      reader.readContract({ address: usdc, abi: erc20Abi, functionName: "balanceOf", args: [owner] }),
  };
}

function describe({ paidPerSecond, p50Milliseconds, p99Milliseconds, refused }: PaidSlice): string {
  const others = [...refused].map(([status, count]) => `${count} times ${status}`).join(", ") || "none";
  return `${paidPerSecond.toFixed(0).padStart(6)} paid requests/s  p50 ${p50Milliseconds.toFixed(1)} ms  p99 ${p99Milliseconds.toFixed(1)} ms  not 200: ${others}`;
}

function medianRate(slices: readonly PaidSlice[]): number {
  const rates = slices.map(({ paidPerSecond }) => paidPerSecond).toSorted((left, right) => left - right);
  return rates[Math.floor(rates.length / 2)] ?? 0;
}

function sumPaid(slices: readonly PaidSlice[]): number {
  return slices.reduce((sum, { paid }) => sum + paid, 0);
}

function sumRefused(slices: readonly PaidSlice[]): number {
  return slices.reduce((sum, { refused }) => sum + [...refused.values()].reduce((total, count) => total + count, 0), 0);
}

say(
  "baseline source: bench/support/stock-paid-server.ts (@x402/hono paymentMiddleware, @x402/core x402Facilitator and @x402/evm ExactEvmScheme in its process)",
);
say(
  `load: npm run bench:paid: keep-alive connections in a closed loop, payments signed beforehand, node ${process.version}`,
);
for (const mode of MODES) {
  if (!(await runMode(mode))) process.exitCode = 1;
}
