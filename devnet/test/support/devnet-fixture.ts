import { spawn } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { createPublicClient, createWalletClient, defineChain, type Hex, http, keccak256, toHex } from "viem";
import { type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts";
import { z } from "zod";
import { programAt } from "../../../server/test/support/programs.ts";
import { endFurtherNodes, endOrphanNodes, findNodes } from "../../src/orphans.ts";
import { until } from "./until.ts";

const DEVNET_PROGRAM = programAt("devnet/src/main.ts");
const FIRST_NAME = "chain";
const BROKEN_PROGRAM = programAt("devnet/test/support/devnet-broken.ts");

const Started = z.object({
  ready: z.literal(true),
  port: z.number(),
  url: z.string(),
  genesisHash: z.string(),
  restored: z.object({ block: z.number(), hash: z.string() }),
});

/** Always the same accounts: nothing of value is theirs. */
const accounts: readonly PrivateKeyAccount[] = Array.from({ length: 8 }, (_, index) =>
  privateKeyToAccount(keccak256(toHex(`wayfare devnet test ${index}`))),
);
export const account = (index: number): PrivateKeyAccount => {
  const found = accounts[index];
  if (found === undefined) throw new Error(`There is no test account ${index}.`);
  return found;
};

interface StartOptions {
  chainId?: number;
  snapshotAfter?: number;
  renewAfter?: number;
  prefund?: readonly string[];
  /** A folder of its own beside the others'. */
  name?: string;
  /** Another log in place of the real one, or more patience. */
  broken?: "forgetful" | "full" | "mortal" | "patient";
  /** Words before the program's, for another user or network. */
  prefix?: readonly string[];
  /** Further words of the program. */
  words?: readonly string[];
}

const Reply = z.object({
  id: z.unknown().optional(),
  result: z.unknown().optional(),
  error: z.object({ code: z.number(), message: z.string(), data: z.unknown().optional() }).optional(),
});
type RpcReply = z.infer<typeof Reply>;

/** One request to a chain, on a connection of its own: a kept one may belong to a process that was killed meanwhile. */
export const ask = (url: string, method: string, ...params: unknown[]): Promise<RpcReply> =>
  new Promise((resolve, reject) => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const asked = request(
      url,
      { agent: false, method: "POST", headers: { "content-type": "application/json" } },
      (answer) => {
        text(answer)
          .then((all) => resolve(Reply.parse(JSON.parse(all))))
          .catch(reject);
      },
    );
    asked.on("error", reject);
    asked.end(body);
  });

const buildChain = (id: number, url: string) =>
  defineChain({
    id,
    name: "devnet",
    nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
    rpcUrls: { default: { http: [url] } },
  });

/** Starts the program on a folder under `folder`. */
const launch = (folder: string, options: StartOptions) => {
  const { chainId = 5_042_002, snapshotAfter = 1_000_000, prefund = accounts.map(({ address }) => address) } = options;
  const chainFolder = join(folder, options.name ?? FIRST_NAME);
  const prefundFile = `${chainFolder}-prefund.json`;
  writeFileSync(prefundFile, JSON.stringify(prefund));
  const [command = process.execPath, ...words] = [
    ...(options.prefix ?? []),
    process.execPath,
    ...(options.broken ? [BROKEN_PROGRAM, options.broken] : [DEVNET_PROGRAM]),
    ...["--folder", chainFolder, "--chain-id", String(chainId)],
    ...["--prefund-file", prefundFile, "--snapshot-after", String(snapshotAfter)],
    ...(options.renewAfter === undefined ? [] : ["--renew-after", String(options.renewAfter)]),
    ...(options.words ?? []),
  ];
  const child = spawn(command, words, { cwd: "/", detached: true, stdio: ["ignore", "pipe", "pipe"] });
  const errors: string[] = [];
  createInterface({ input: child.stderr }).on("line", (line) => errors.push(line));
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => lines.push(line));
  // A node that outlives its sequencer keeps the pipes open: "exit" is the sequencer's end, "close" the end of both.
  const awaitEnd = (event: "exit" | "close") =>
    new Promise<number | string | null>((resolve) => child.once(event, (code, signal) => resolve(code ?? signal)));
  return { child, chainFolder, errors, lines, ended: awaitEnd("exit"), closed: awaitEnd("close"), chainId };
};

type Launched = ReturnType<typeof launch>;

/** The ways in which a running chain can end. */
const buildEnds = ({ child, chainFolder, ended }: Launched) => ({
  /** Everything of it at once. */
  kill: () => {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) {
      process.kill(-child.pid, "SIGKILL");
    }
    return ended;
  },
  killSequencer: () => {
    child.kill("SIGKILL");
    return ended;
  },
  /** Its node alone: the sequencer must end too, by itself. */
  killNode: () => {
    endOrphanNodes(chainFolder);
    return ended;
  },
  stop: () => {
    child.kill("SIGTERM");
    return ended;
  },
});

/** A folder (with a space in its path) for chains, and everything that tests do with them. */
export const createDevnetFixture = () => {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), "wayfare devnet "));
  chmodSync(folder, 0o777);
  const launched: Launched[] = [];
  const chainFolderPath = (name = FIRST_NAME) => join(folder, name);

  const track = (options: StartOptions): Launched => {
    const one = launch(folder, options);
    launched.push(one);
    return one;
  };

  /** Starts a chain that must not start: its last words. */
  const refuse = async (options: StartOptions = {}): Promise<string> => {
    const { closed, errors, lines } = track(options);
    const code = await closed;
    if (code !== 1) throw new Error(`It ended with ${code}: ${lines.join(" ")}`);
    return errors.at(-1) ?? "";
  };

  const start = async (options: StartOptions = {}) => {
    const one = track(options);
    const { errors, lines, ended, chainId } = one;
    let isOver = false;
    void ended.then(() => {
      isOver = true;
    });
    const line = await until(() => lines[0] ?? (isOver ? "ended" : undefined));
    if (line === "ended") throw new Error(`The chain did not start: ${errors.join(" ")}`);
    const started = Started.parse(JSON.parse(line));
    const transport = http(started.url, { retryCount: 0 });
    const chain = buildChain(chainId, started.url);
    const client = createPublicClient({ chain, transport, pollingInterval: 20, cacheTime: 0 });
    return {
      ...started,
      errors,
      ended,
      client,
      ask: (method: string, ...params: unknown[]) => ask(started.url, method, ...params),
      wallet: (index: number) => createWalletClient({ account: account(index), chain, transport }),
      ...buildEnds(one),
    };
  };

  return {
    folder,
    chainFolderPath,
    start,
    refuse,
    async cleanUp(): Promise<void> {
      for (const { child } of launched) {
        if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) continue;
        const gone = new Promise((resolve) => child.once("exit", resolve));
        process.kill(-child.pid, "SIGKILL");
        await gone;
      }
      for (const chainFolder of new Set(launched.map((one) => one.chainFolder))) {
        endOrphanNodes(chainFolder);
        endFurtherNodes(chainFolder);
        await until(() => findNodes(chainFolder).length === 0);
      }
      rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
    },
  };
};

export type DevnetFixture = ReturnType<typeof createDevnetFixture>;
export type Devnet = Awaited<ReturnType<DevnetFixture["start"]>>;

/** The resident memory of a process, in bytes. */
export const readNodeMemory = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) * 1_024;

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
