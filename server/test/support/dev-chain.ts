import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { createPublicClient, http } from "viem";
import { generatePrivateKey, privateKeyToAccount, privateKeyToAddress } from "viem/accounts";
import { locateAnvil } from "../../../devnet/src/locate-anvil.ts";
import type { Hex } from "../../src/domain/tokens.ts";

/** The outcome of a request: `dropped` is executed but not answered; `hang` is never answered. */
export type Fate =
  | "pass"
  | "hang"
  | "500"
  | "reset"
  | "dropped"
  | { error: { code: number; message: string } }
  | { result: unknown };

export interface RpcCall {
  method: string;
  params: unknown[];
  /** The header that came with it. */
  traceparent?: string | string[] | undefined;
}

interface RpcRequest extends RpcCall {
  id: unknown;
}

/** Longer than any machine stalls. */
const PATIENCE_MILLISECONDS = 120_000;

/**
 * A real anvil with a separate genesis, reached through a proxy that mines after every transaction, as the sequencer
 * does, and that can be told to misbehave.
 */
export async function startDevChain(options: { chainId?: number } = {}) {
  const chainId = options.chainId ?? 5_042_002;
  const folder = mkdtempSync(join(tmpdir(), "wayfare-anvil-"));
  const funderKey = generatePrivateKey();
  const genesis = {
    config: { chainId },
    timestamp: `0x${Math.floor(Date.now() / 1000 - 10).toString(16)}`,
    coinbase: `0x${randomBytes(20).toString("hex")}`,
    gasLimit: `0x${(30_000_000).toString(16)}`,
    difficulty: "0x0",
    alloc: { [privateKeyToAddress(funderKey)]: { balance: `0x${(10n ** 24n).toString(16)}` } },
  };
  writeFileSync(join(folder, "genesis.json"), JSON.stringify(genesis));
  const child = spawn(
    locateAnvil(),
    [
      // A port of its own choice: another program can take a port found free before.
      ...["--init", join(folder, "genesis.json"), "--host", "127.0.0.1", "--port", "0"],
      ...["--chain-id", String(chainId), "--no-mining", "--order", "fifo", "--accounts", "0"],
    ],
    { cwd: folder, stdio: ["ignore", "pipe", "ignore"], env: { LC_ALL: "C", TZ: "UTC" } },
  );
  const kill = () => void child.kill("SIGKILL");
  process.once("exit", kill);
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const direct = await readUrl(child.stdout, ended);

  const state: { fate: (call: RpcCall) => Fate; mining: boolean } = { fate: () => "pass", mining: true };
  const calls: RpcCall[] = [];
  const client = createPublicClient({ transport: http(direct, { timeout: PATIENCE_MILLISECONDS }), cacheTime: 0 });

  async function ask(method: string, params: unknown[] = []): Promise<unknown> {
    const answer = await post(direct, JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }));
    const body: unknown = JSON.parse(answer);
    if (typeof body === "object" && body !== null && "result" in body) return body.result;
    throw new Error(answer);
  }

  /**
   * Sends and blocks one after another, as the sequencer has them: what reaches anvil while it makes the block of the nonce before
   * it waits in its pool for a nonce that was used, and in no block until it is sent again. Everybody's blocks too.
   */
  let last: Promise<unknown> = Promise.resolve();
  function alone<Result>(work: () => Promise<Result>): Promise<Result> {
    const mine = last.then(work, work);
    last = mine;
    return mine;
  }

  /** The answer as JSON; or the fate of the connection instead. */
  async function answer(
    request: RpcRequest,
    traceparent: RpcCall["traceparent"],
  ): Promise<{ json: string } | Exclude<Fate, object | "pass">> {
    const call = { method: request.method, params: request.params, traceparent };
    calls.push(call);
    const fate = state.fate(call);
    if (fate === "hang" || fate === "reset" || fate === "500") return fate;
    if (typeof fate === "object") return { json: JSON.stringify({ jsonrpc: "2.0", id: request.id, ...fate }) };
    const text = JSON.stringify(request);
    const json = await (call.method === "eth_sendRawTransaction"
      ? alone(async () => {
          const sent = await post(direct, text);
          if (state.mining) await ask("evm_mine");
          return sent;
        })
      : post(direct, text));
    return fate === "dropped" ? fate : { json };
  }

  /** Each of several requests in one is executed and has its fate; the connection has the worst of them. */
  async function handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(Buffer.from(chunk));
    const asked: RpcRequest | RpcRequest[] = JSON.parse(Buffer.concat(chunks).toString("utf8"));
    const answers = await Promise.all([asked].flat().map((one) => answer(one, incoming.headers.traceparent)));
    if (answers.includes("hang")) return;
    if (answers.includes("reset") || answers.includes("dropped")) {
      incoming.socket.resetAndDestroy();
      return;
    }
    if (answers.includes("500")) {
      response.writeHead(500, { "content-type": "text/html" }).end("<h1>Internal Server Error</h1>");
      return;
    }
    const texts = answers.map((one) => (typeof one === "object" ? one.json : "null"));
    response.writeHead(200, { "content-type": "application/json" });
    response.end(Array.isArray(asked) ? `[${texts.join(",")}]` : texts[0]);
  }

  // No connection is closed for its age just when it is used again.
  const server = createServer({ keepAliveTimeout: 0 }, (incoming, response) => {
    handle(incoming, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();

  return {
    chainId,
    funderKey,
    /** Through the proxy. */
    url: `http://127.0.0.1:${findPort(address)}`,
    /** Past the proxy, for what others do. */
    client,
    direct,
    ask,
    calls,
    mine: () => alone(() => ask("evm_mine")),
    /** Sends a transaction by another party's key. */
    sendAs: (privateKey: Hex, { to, data = "0x", value = 0n }: { to?: Hex; data?: Hex; value?: bigint }) =>
      alone(async () => {
        const account = privateKeyToAccount(privateKey);
        const nonce = await client.getTransactionCount({ address: account.address });
        const fees = { maxFeePerGas: 20_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n };
        const gas = to === undefined ? 10_000_000n : 1_000_000n;
        const rest = { type: "eip1559", chainId, nonce, gas, to, data, value } as const;
        const hash = await client.sendRawTransaction({
          serializedTransaction: await account.signTransaction({ ...rest, ...fees }),
        });
        await ask("evm_mine");
        return await client.getTransactionReceipt({ hash });
      }),
    /** Until it is called again. */
    misbehave(fate: (call: RpcCall) => Fate): void {
      state.fate = fate;
    },
    behave(): void {
      state.fate = () => "pass";
    },
    setMining(mining: boolean): void {
      state.mining = mining;
    },
    async close() {
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
      child.kill("SIGKILL");
      await ended;
      process.off("exit", kill);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export type DevChain = Awaited<ReturnType<typeof startDevChain>>;

async function post(url: string, body: string): Promise<string> {
  const response = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body });
  return await response.text();
}

/** Where it listens, as it says itself. What else it says is passed over, so that it is never kept from saying it. */
async function readUrl(output: Readable, ended: Promise<void>): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  createInterface({ input: output }).on("line", (line) => {
    const [, address] = /^Listening on (\S+)$/.exec(line) ?? [];
    if (address !== undefined) resolve(`http://${address}`);
  });
  void ended.then(() => reject(new Error("anvil does not start")));
  return await promise;
}

function findPort(address: string | AddressInfo | null): number {
  return typeof address === "object" && address !== null ? address.port : 0;
}
