import { appendFileSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { AnvilNode } from "../src/anvil.ts";
import { parseBlock } from "../src/node-answers.ts";
import { recover } from "../src/recover.ts";
import { createDevnetFixture, type Devnet, type DevnetFixture, signTransfer } from "./support/devnet-fixture.ts";
import { until } from "./support/until.ts";

// Chains are started several times over.
vi.setConfig({ testTimeout: 240_000 });

let fixture: DevnetFixture;
beforeEach(() => {
  fixture = createDevnetFixture();
});
afterEach(() => fixture.cleanUp());

const files = (pattern: RegExp) => readdirSync(fixture.chainFolderPath()).filter((name) => pattern.test(name));
const chainPath = (name: string) => join(fixture.chainFolderPath(), name);
const onlyLog = () => chainPath(files(/^log-/).at(-1) ?? "");
const SNAPSHOT = /^snapshot-\d+\.gz$/;

let nonce = 0;
beforeEach(() => {
  nonce = 0;
});
const mine = async (chain: Devnet, blocks: number) => {
  for (let count = 0; count < blocks; count += 1) {
    expect((await chain.ask("eth_sendRawTransaction", await signTransfer(0, nonce))).error).toBeUndefined();
    nonce += 1;
  }
  const { number, hash } = await chain.client.getBlock();
  return { block: Number(number), hash };
};

test("a line that was cut off was never acknowledged and is left out; the chain goes on after it", async () => {
  const chain = await fixture.start();
  const before = await mine(chain, 3);
  const third = readFileSync(onlyLog(), "utf8").split("\n")[3] ?? "";
  await mine(chain, 1);
  await chain.kill();
  for (const torn of ["", third.slice(0, 60), "\0".repeat(100), `${"\0".repeat(50)}\n`]) {
    const lines = readFileSync(onlyLog(), "utf8").split("\n").slice(0, 4);
    writeFileSync(onlyLog(), `${lines.join("\n")}\n${torn}`);
    nonce = 3;
    const again = await fixture.start();
    expect(again.restored).toEqual(before);
    await mine(again, 1);
    await again.kill();
    const more = await fixture.start();
    expect(more.restored.block).toBe(4);
    await more.kill();
  }
});

test("damage within the log is refused with a line that names the place; nothing is thrown away", async () => {
  const chain = await fixture.start();
  await mine(chain, 3);
  await chain.kill();
  const whole = readFileSync(onlyLog(), "utf8");
  const lines = whole.split("\n");
  const damaged = [...lines.slice(0, 2), lines[2]?.replace('"block":2', '"block":7'), ...lines.slice(3)].join("\n");
  writeFileSync(onlyLog(), damaged);
  expect(await fixture.refuse()).toMatch(/log-0+\.jsonl is damaged at line 3\): put back a copy, or move it away\.$/);
  writeFileSync(onlyLog(), [...lines.slice(0, 2), ...lines.slice(3)].join("\n"));
  expect(await fixture.refuse()).toMatch(/block 3 of the log does not follow block 1/);
  writeFileSync(onlyLog(), whole);
  expect((await fixture.start()).restored.block).toBe(3);
});

test("a start from a snapshot gives the same chain with all its receipts; old files go, the last two snapshots stay", async () => {
  // More than a round makes, so that a chain which rests in between does not write one by itself.
  const snapshotAfter = 20;
  const chain = await fixture.start({ snapshotAfter });
  const { result: first } = await chain.ask("eth_sendRawTransaction", await signTransfer(1, 0));
  const tips = [];
  for (let round = 0; round < 4; round += 1) {
    await mine(chain, 6);
    await chain.stop();
    Object.assign(chain, await fixture.start({ snapshotAfter }));
    tips.push(chain.restored.block);
  }
  expect(tips).toEqual([7, 13, 19, 25]);
  const receipt = await chain.ask("eth_getTransactionReceipt", first);
  expect(receipt.result).toMatchObject({ blockNumber: "0x1" });
  expect(files(SNAPSHOT)).toEqual(["snapshot-000000000019.gz", "snapshot-000000000025.gz"]);
  expect(files(/^log-/)).toEqual(["log-000000000019.jsonl", "log-000000000025.jsonl"]);
  const before = await mine(chain, 2);
  await chain.kill();
  expect((await fixture.start()).restored).toEqual(before);
});

test("an idle chain writes its snapshot by itself", async () => {
  const chain = await fixture.start({ snapshotAfter: 4 });
  const { block } = await mine(chain, 2);
  const name = `snapshot-${String(block).padStart(12, "0")}.gz`;
  await until(() => (files(SNAPSHOT).includes(name) ? true : undefined));
  const before = await mine(chain, 1);
  await chain.kill();
  expect((await fixture.start()).restored).toEqual(before);
});

const twoSnapshots = async () => {
  let chain = await fixture.start({ snapshotAfter: 10 });
  await mine(chain, 4);
  await chain.stop();
  chain = await fixture.start({ snapshotAfter: 10 });
  await mine(chain, 4);
  await chain.stop();
  chain = await fixture.start();
  const before = await mine(chain, 2);
  await chain.kill();
  const [older = "", newer = ""] = files(SNAPSHOT);
  return { before, older, newer };
};

test("a snapshot that cannot be read is put aside, and the one before it with its longer log gives the same chain", async () => {
  const { before, older, newer } = await twoSnapshots();
  const whole = readFileSync(chainPath(newer));
  truncateSync(chainPath(newer), whole.length - 20);
  const chain = await fixture.start();
  expect(chain.restored).toEqual(before);
  expect(chain.errors.join()).toMatch(/cannot be restored from block 8/);
  expect(files(/^snapshot/)).toEqual([older, `${newer}.damaged`]);
  await chain.kill();
  truncateSync(chainPath(older), 100);
  expect(await fixture.refuse()).toMatch(/cannot be restored \(.*\): put back a copy, or move it away\.$/);
  expect(files(SNAPSHOT)).toEqual([older]);
});

test("the only snapshot may be damaged too: the chain's beginning is still there", async () => {
  const chain = await fixture.start({ snapshotAfter: 10 });
  await mine(chain, 4);
  await chain.stop();
  const [only = ""] = files(SNAPSHOT);
  const flipped = readFileSync(chainPath(only));
  flipped[flipped.length >> 1] = (flipped[flipped.length >> 1] ?? 0) ^ 0xff;
  writeFileSync(chainPath(only), flipped);
  const again = await fixture.start();
  expect(again.restored.block).toBe(4);
  expect(files(SNAPSHOT)).toEqual([]);
  await mine(again, 1);
});

test("files that went missing are noticed, not begun anew", async () => {
  const { newer } = await twoSnapshots();
  const log = chainPath(newer.replace("snapshot-", "log-").replace(".gz", ".jsonl"));
  const content = readFileSync(log);
  rmSync(log);
  expect(await fixture.refuse()).toMatch(/log-000000000008\.jsonl is missing: put back a copy/);
  writeFileSync(log, content);
  const meta = readFileSync(chainPath("meta.json"));
  rmSync(chainPath("meta.json"));
  expect(await fixture.refuse()).toMatch(/holds a chain but not its meta\.json/);
  writeFileSync(chainPath("meta.json"), meta.toString().replace("anvil/v1.7.1", "anvil/v1.2.3"));
  expect(await fixture.refuse()).toMatch(/was made by anvil\/v1\.2\.3 .* this is anvil\/v1\.7\.1/);
  writeFileSync(chainPath("meta.json"), meta);
  appendFileSync(chainPath("snapshot-000000000099.gz.draft"), "half a snapshot");
  expect((await fixture.start()).restored.block).toBe(10);
  expect(files(/draft$/)).toEqual([]);
});

test("a node that is killed while the chain is restored says nothing about the files, however late its end is seen", async () => {
  const chain = await fixture.start();
  await mine(chain, 2);
  const { result } = await chain.ask("eth_getBlockByNumber", "0x0", false);
  await chain.kill();
  const broken = () => Promise.reject(new Error("The node closed the connection."));
  const said: string[] = [];
  const killed = async (): Promise<AnvilNode> => ({
    address: { host: "127.0.0.1", port: 0 },
    lane: { calls: broken, call: broken, close: () => undefined },
    version: "",
    genesisBlock: parseBlock({ result }),
    ended: delay(1_000, "SIGKILL"),
    kill: () => undefined,
  });
  await expect(recover(fixture.chainFolderPath(), killed, (line) => said.push(line))).rejects.toThrow(
    /closed the connection/,
  );
  expect(said).toEqual([]);
});
