import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { createPublicClient, createWalletClient, defineChain, type Hex, http, keccak256, toHex } from "viem";
import { type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts";
import { z } from "zod";
import { endOrphanNodes, findNodes } from "../../src/orphans.ts";
import { until } from "./until.ts";

const program = (name: string) => fileURLToPath(new URL(name, import.meta.url));
export const DEVNET_PROGRAM = program("../../src/main.ts");
const BROKEN_PROGRAM = program("./devnet-broken.ts");

const Started = z.object({
  ready: z.literal(true),
  port: z.number(),
  url: z.string(),
  genesisHash: z.string(),
  restored: z.object({ block: z.number(), hash: z.string() }),
});

/** Always the same accounts: nothing of value is theirs. */
export const accounts: readonly PrivateKeyAccount[] = Array.from({ length: 8 }, (_, index) =>
  privateKeyToAccount(keccak256(toHex(`wayfare devnet test ${index}`))),
);
export const account = (index: number): PrivateKeyAccount => {
  const found = accounts[index];
  if (found === undefined) throw new Error(`There is no test account ${index}.`);
  return found;
};

export interface StartOptions {
  chainId?: number;
  snapshotAfter?: number;
  prefund?: readonly string[];
  /** A folder of its own beside the others'. */
  name?: string;
  /** Another log in place of the real one, or more patience. */
  broken?: "forgetful" | "full" | "mortal" | "patient";
  /** Words before the program's, for another user or network. */
  prefix?: readonly string[];
}

const Reply = z.object({
  id: z.unknown().optional(),
  result: z.unknown().optional(),
  error: z.object({ code: z.number(), message: z.string() }).optional(),
});
export type RpcReply = z.infer<typeof Reply>;

/** One request to a chain, on a connection of its own: a kept one may belong to a process that was killed meanwhile. */
export const ask = (url: string, method: string, ...params: unknown[]): Promise<RpcReply> =>
  new Promise((resolve, reject) => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const asked = request(url, { agent: false, method: "POST" }, (answer) => {
      text(answer)
        .then((all) => resolve(Reply.parse(JSON.parse(all))))
        .catch(reject);
    });
    asked.on("error", reject);
    asked.end(body);
  });

const chainOf = (id: number, url: string) =>
  defineChain({
    id,
    name: "devnet",
    nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
    rpcUrls: { default: { http: [url] } },
  });

/** A folder (with a space in its path) for chains, and everything that tests do with them. */
export const createDevnetFixture = () => {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), "wayfare devnet "));
  chmodSync(folder, 0o777);
  const processes: ChildProcess[] = [];
  const names = new Set<string>();
  const folderOf = (name = "chain") => join(folder, name);

  const launch = (options: StartOptions) => {
    const {
      chainId = 5_042_002,
      snapshotAfter = 1_000_000,
      prefund = accounts.map(({ address }) => address),
    } = options;
    names.add(options.name ?? "chain");
    const prefundFile = join(folder, `${options.name ?? "chain"}-prefund.json`);
    writeFileSync(prefundFile, JSON.stringify(prefund));
    const [command = process.execPath, ...words] = [
      ...(options.prefix ?? []),
      process.execPath,
      ...(options.broken ? [BROKEN_PROGRAM, options.broken] : [DEVNET_PROGRAM]),
      ...["--folder", folderOf(options.name), "--chain-id", String(chainId)],
      ...["--prefund-file", prefundFile, "--snapshot-after", String(snapshotAfter)],
    ];
    const child = spawn(command, words, { cwd: "/", detached: true, stdio: ["ignore", "pipe", "pipe"] });
    processes.push(child);
    const errors: string[] = [];
    createInterface({ input: child.stderr }).on("line", (line) => errors.push(line));
    const lines: string[] = [];
    createInterface({ input: child.stdout }).on("line", (line) => lines.push(line));
    // A node that outlives its sequencer keeps the pipes open: "exit" is the sequencer's end, "close" the end of both.
    const endOf = (event: "exit" | "close") =>
      new Promise<number | string | null>((resolve) => child.once(event, (code, signal) => resolve(code ?? signal)));
    return { child, errors, lines, ended: endOf("exit"), closed: endOf("close"), chainId };
  };

  /** Starts a chain that must not start: its last words. */
  const refuse = async (options: StartOptions = {}): Promise<string> => {
    const { closed, errors, lines } = launch(options);
    const code = await closed;
    if (code !== 1) throw new Error(`It ended with ${code}: ${lines.join(" ")}`);
    return errors.at(-1) ?? "";
  };

  const start = async (options: StartOptions = {}) => {
    const { child, errors, lines, ended, chainId } = launch(options);
    let isOver = false;
    void ended.then(() => {
      isOver = true;
    });
    const line = await until(() => lines[0] ?? (isOver ? "ended" : undefined));
    if (line === "ended") throw new Error(`The chain did not start: ${errors.join(" ")}`);
    const started = Started.parse(JSON.parse(line));
    const transport = http(started.url, { retryCount: 0 });
    const chain = chainOf(chainId, started.url);
    const client = createPublicClient({ chain, transport, pollingInterval: 20, cacheTime: 0 });
    const killGroup = () => {
      if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) {
        process.kill(-child.pid, "SIGKILL");
      }
      return ended;
    };
    return {
      ...started,
      errors,
      ended,
      client,
      ask: (method: string, ...params: unknown[]) => ask(started.url, method, ...params),
      wallet: (index: number) => createWalletClient({ account: account(index), chain, transport }),
      /** Everything of it at once. */
      kill: killGroup,
      killSequencer: () => {
        child.kill("SIGKILL");
        return ended;
      },
      /** Its node alone: the sequencer must end too, by itself. */
      killNode: () => {
        endOrphanNodes(folderOf(options.name));
        return ended;
      },
      stop: () => {
        child.kill("SIGTERM");
        return ended;
      },
    };
  };

  return {
    folder,
    folderOf,
    start,
    refuse,
    async cleanUp(): Promise<void> {
      for (const child of processes) {
        if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) continue;
        const gone = new Promise((resolve) => child.once("exit", resolve));
        process.kill(-child.pid, "SIGKILL");
        await gone;
      }
      for (const name of names) {
        endOrphanNodes(folderOf(name));
        await until(() => findNodes(folderOf(name)).length === 0);
      }
      rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
    },
  };
};

export type DevnetFixture = ReturnType<typeof createDevnetFixture>;
export type Devnet = Awaited<ReturnType<DevnetFixture["start"]>>;

/** A signed transfer of native value, made without asking the chain. */
export const signTransfer = (
  from: number,
  nonce: number,
  change: { value?: bigint; gas?: bigint; chainId?: number; maxFeePerGas?: bigint; tip?: bigint; to?: Hex } = {},
): Promise<Hex> =>
  account(from).signTransaction({
    type: "eip1559",
    chainId: change.chainId ?? 5_042_002,
    nonce,
    to: change.to ?? "0x00000000000000000000000000000000000000b0",
    value: change.value ?? 1n,
    gas: change.gas ?? 21_000n,
    maxFeePerGas: change.maxFeePerGas ?? 3_000_000_000n,
    maxPriorityFeePerGas: change.tip ?? 1_000_000_000n,
  });
