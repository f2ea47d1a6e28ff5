import { mkdtempSync, realpathSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { endOrphanNodes, findNodes, furtherFolder } from "../../../devnet/src/orphans.ts";
import { account, ask, signTransfer } from "../../../devnet/test/support/devnet-fixture.ts";
import { createFixture, until } from "../../test/support/embedded-fixture.ts";
import { partPrograms } from "../../test/support/programs.ts";
import { createTestDatabase } from "../../test/support/test-database.ts";
import { ensurePrivateFolder } from "../platform/files/private-files.ts";
import { createDevnetPart, devnetAccess, furtherChainUrl, writeDevnetPrefund } from "./devnet-part.ts";
import type { Part } from "./part.ts";
import { createPartKeeper, type PartKeeper } from "./part-keeper.ts";
import { readParts, writeParts } from "./parts-file.ts";
import { isAlive, sendSignal } from "./process-identity.ts";

// Chains and services are started several times.
vi.setConfig({ testTimeout: 240_000 });

let dataDir: string;
let messages: string[];
let keepers: PartKeeper[];
beforeEach(() => {
  dataDir = join(mkdtempSync(join(realpathSync(tmpdir()), "wayfare devnet part ")), "data dir");
  for (const folder of [dataDir, join(dataDir, "logs")]) ensurePrivateFolder(folder);
  for (const name of ["devnet", "devnet-live"]) writeDevnetPrefund(dataDir, [account(0).address], name);
  messages = [];
  keepers = [];
});
afterEach(async () => {
  // An earlier keeper's knowledge is in the file, where the last one found it.
  await keepers.at(-1)?.closeAll();
  for (const name of ["devnet", "devnet-live"]) endOrphanNodes(join(dataDir, name));
  rmSync(join(dataDir, ".."), { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
});

const say = (_: object, message: string) => void messages.push(message);
const log = { info: say, warn: say, error: say };
const makePart = (
  options: { chainId?: number; name?: string; furtherChains?: readonly { name: string; chainId: number }[] } = {},
) => createDevnetPart({ dataDir, log, progress: () => undefined, program: partPrograms().devnetProgram, ...options });
const makeKeeper = (parts: readonly Part[] = [makePart()]): PartKeeper => {
  const keeper = createPartKeeper(dataDir, parts, log, new AbortController().signal);
  keepers.push(keeper);
  return keeper;
};
const start = (keeper: PartKeeper, names = ["devnet"], mayMovePort = true) =>
  keeper.keep(names, { required: names, mayMovePort });
const entry = (name = "devnet") => {
  const found = readParts(dataDir).find((part) => part.name === name);
  if (found === undefined) throw new Error(`no ${name} in parts.json`);
  return found;
};
const readTip = async () =>
  (await ask(devnetAccess(dataDir)?.rpcUrl ?? "", "eth_getBlockByNumber", "latest", false)).result;

test("is listed, adopted by the next owner, restarted on its port when any process dies, and stopped with its node", async () => {
  await start(makeKeeper());
  const first = entry();
  const access = devnetAccess(dataDir);
  expect(access).toEqual({ rpcUrl: first.url, chainId: 5_042_002 });
  expect(first).toMatchObject({ ready: true, url: `http://127.0.0.1:${first.port}` });
  expect(statSync(join(dataDir, "devnet")).mode & 0o777).toBe(0o700);
  const { result: hash } = await ask(first.url, "eth_sendRawTransaction", await signTransfer(0, 0));
  const before = await readTip();

  const heir = makeKeeper();
  await start(heir);
  expect(entry()).toEqual(first);
  expect(messages.at(-1)).toBe("adopted the running development chain");

  /** A killed process's port may stay taken for a moment; the keeper tries again. */
  const restarted = ({ pid }: { pid: number }) =>
    until(async () => {
      await heir.keep(["devnet"], { required: [], mayMovePort: false });
      return entry().ready && entry().pid !== pid ? entry() : undefined;
    });
  expect(endOrphanNodes(join(dataDir, "devnet"))).toBe(1);
  await until(() => (isAlive(first) ? undefined : true));
  const second = await restarted(first);
  expect(second).toMatchObject({ port: first.port, ready: true });
  expect(second.pid).not.toBe(first.pid);
  expect(await readTip()).toEqual(before);

  sendSignal(second, "SIGKILL");
  await until(() => (isAlive(second) ? undefined : true));
  expect((await restarted(second)).port).toBe(first.port);
  expect(findNodes(join(dataDir, "devnet")).length).toBe(1);
  expect((await ask(first.url, "eth_getTransactionReceipt", hash)).result).toMatchObject({ status: "0x1" });

  const last = entry();
  await heir.closeAll();
  expect(isAlive(last)).toBe(false);
  expect(findNodes(join(dataDir, "devnet"))).toEqual([]);
  expect(readParts(dataDir)).toEqual([]);
  await start(makeKeeper(), ["devnet"], false);
  expect(devnetAccess(dataDir)).toEqual(access);
  expect(await readTip()).toEqual(before);
});

test("a chain whose sequencer was killed leaves no node behind when it is stopped", async () => {
  const keeper = makeKeeper();
  await start(keeper);
  const sequencer = entry();
  sendSignal(sequencer, "SIGKILL");
  await until(() => (isAlive(sequencer) ? undefined : true));
  expect(findNodes(join(dataDir, "devnet")).length).toBe(1);
  await keeper.closeAll();
  expect(findNodes(join(dataDir, "devnet"))).toEqual([]);
});

test("an unrecorded running chain is replaced on its port, with everything that it acknowledged", async () => {
  await start(makeKeeper());
  const stranger = entry();
  await ask(stranger.url, "eth_sendRawTransaction", await signTransfer(0, 0));
  const before = await readTip();
  // As if its owner was killed after starting a part and before recording it.
  writeParts(dataDir, null, []);
  await start(makeKeeper(), ["devnet"], false);
  expect(entry()).toMatchObject({ port: stranger.port, ready: true });
  expect(isAlive(stranger)).toBe(false);
  expect(findNodes(join(dataDir, "devnet")).length).toBe(1);
  expect(await readTip()).toEqual(before);
});

test("a second chain runs beside the first, with its own id, folder and log", async () => {
  const live = { chainId: 31_999, name: "devnet-live" };
  await start(makeKeeper([makePart(), makePart(live)]), ["devnet", "devnet-live"]);
  const [one, other] = [devnetAccess(dataDir), devnetAccess(dataDir, "devnet-live")];
  expect(entry("devnet-live")).toMatchObject({ url: other?.rpcUrl, ready: true });
  expect((await ask(one?.rpcUrl ?? "", "eth_chainId")).result).toBe("0x4cef52");
  expect((await ask(other?.rpcUrl ?? "", "eth_chainId")).result).toBe("0x7cff");
});

test("further chains are of the same part; a process that does not know them is replaced", async () => {
  const furtherChains = [{ name: "Base_Sepolia", chainId: 84_532 }];
  await start(makeKeeper());
  const before = entry();
  const heir = makeKeeper([makePart({ furtherChains })]);
  await start(heir);
  const after = entry();
  expect(after).toMatchObject({ port: before.port, ready: true });
  expect(isAlive(before)).toBe(false);
  const url = furtherChainUrl(after.url, "Base_Sepolia");
  const raw = await signTransfer(0, 0, { chainId: 84_532 });
  expect(await ask(url, "eth_sendRawTransaction", raw)).toHaveProperty("result");
  const nodes = () => findNodes(furtherFolder(join(dataDir, "devnet"), "Base_Sepolia"));
  expect(nodes()).toHaveLength(1);
  await start(makeKeeper([makePart({ furtherChains })]));
  expect(entry()).toEqual(after);
  sendSignal(after, "SIGKILL");
  await until(() => (isAlive(after) ? undefined : true));
  await keepers.at(-1)?.closeAll();
  expect(nodes()).toEqual([]);
});

test("a failure is one line for the operator", async () => {
  const first = makeKeeper();
  await start(first);
  const { port } = entry();
  await first.closeAll();
  await expect(start(makeKeeper([makePart({ chainId: 7 })]))).rejects.toThrow(
    /^The development chain does not start \(development chain: error: The chain in .* has id 5042002, not 7/,
  );
  const stranger = createServer().listen(port, "127.0.0.1");
  await until(() => stranger.listening || undefined);
  await expect(start(makeKeeper(), ["devnet"], false)).rejects.toThrow(
    `Port ${port} of the development chain is taken by another program: stop it.`,
  );
  await start(makeKeeper());
  expect(entry().port).not.toBe(port);
  await new Promise((resolve) => stranger.close(resolve));
});

test("services that need it share it; one that does not has none, and keeps it for the others", async () => {
  const fixture = createFixture();
  const database = await createTestDatabase();
  try {
    const without = fixture.start({ databaseUrl: database.url });
    expect((await without.started).chain).toBeUndefined();
    expect(fixture.readPartsFile().parts).toEqual([]);
    const options = { databaseUrl: database.url, devnetPrefund: [account(0).address] };
    const [one, two] = [fixture.start(options), fixture.start(options)];
    const [chain, other] = [(await one.started).chain, (await two.started).chain];
    expect(chain).toEqual({ rpcUrl: (await fixture.part("devnet")).url, chainId: 5_042_002 });
    expect(other).toEqual(chain);
    const { result } = await ask(chain?.rpcUrl ?? "", "eth_getBalance", account(0).address);
    expect(BigInt(String(result))).toBe(10n ** 24n);
    await fixture.kill(one);
    expect(await fixture.stop(without)).toBe(0);
    expect((await ask(chain?.rpcUrl ?? "", "eth_chainId")).result).toBe("0x4cef52");
    const part = await fixture.part("devnet");
    expect(await fixture.stop(two)).toBe(0);
    expect(isAlive(part)).toBe(false);
    expect(findNodes(join(fixture.dataDir, "devnet"))).toEqual([]);
  } finally {
    await fixture.cleanUp();
    await database.drop();
  }
});
