import { keccak256 } from "viem";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { findNodes } from "../src/orphans.ts";
import { createDevnetFixture, type Devnet, type DevnetFixture, signTransfer } from "./support/devnet-fixture.ts";
import { findLosses, newWitness, storm } from "./support/devnet-storm.ts";
import { createRandom } from "./support/random.ts";
import { until } from "./support/until.ts";

// Chains are started several times over.
vi.setConfig({ testTimeout: 240_000 });

let fixture: DevnetFixture;
beforeEach(() => {
  fixture = createDevnetFixture();
});
afterEach(() => fixture.cleanUp());

const kills = {
  everything: (chain: Devnet) => chain.kill(),
  sequencer: (chain: Devnet) => chain.killSequencer(),
  node: (chain: Devnet) => chain.killNode(),
} as const;

test("storms of kill -9: nothing acknowledged is lost, no block that anybody saw changes", async () => {
  const random = createRandom("storm 1");
  const witness = newWitness();
  const order = [
    "everything",
    "sequencer",
    "node",
    ...random.shuffle(["everything", "sequencer", "node"] as const),
  ] as const;
  for (const victim of order) {
    // With snapshots every few blocks, so that some kills meet one being written.
    const chain = await fixture.start({ snapshotAfter: 40 });
    expect(await findLosses(chain, witness)).toEqual([]);
    await storm(chain, witness, random, () => kills[victim](chain));
  }
  const chain = await fixture.start({ snapshotAfter: 40 });
  expect(await findLosses(chain, witness)).toEqual([]);
  expect(witness.acknowledged.length).toBeGreaterThan(120);
  expect(witness.blocks.size).toBeGreaterThan(5);
  expect(chain.restored.block).toBeGreaterThan(20);
});

test("the check notices a chain that acknowledges before it logs", async () => {
  const random = createRandom("storm 2");
  const witness = newWitness();
  const chain = await fixture.start({ broken: "forgetful" });
  await storm(chain, witness, random, () => kills.everything(chain));
  const losses = await findLosses(await fixture.start(), witness);
  expect(losses.filter((line) => line.startsWith("transaction")).length).toBe(new Set(witness.acknowledged).size);
  expect(losses.filter((line) => line.startsWith("block")).length).toBeGreaterThan(0);
});

test("killed between the log and the mining, the chain mines the logged block when it starts again", async () => {
  const mortal = await fixture.start({ broken: "mortal" });
  const raw = await signTransfer(0, 0);
  await expect(mortal.ask("eth_sendRawTransaction", raw)).rejects.toThrow();
  expect(await mortal.ended).toBe("SIGKILL");
  const chain = await fixture.start();
  expect(chain.restored.block).toBe(1);
  const receipt = await chain.ask("eth_getTransactionReceipt", keccak256(raw));
  expect(receipt.result).toMatchObject({ status: "0x1", blockHash: chain.restored.hash });
  await chain.kill();
  expect((await fixture.start()).restored).toEqual(chain.restored);
});

test("what finds no room in the log is refused and not mined; the chain goes on", async () => {
  const chain = await fixture.start({ broken: "full" });
  const raws = await Promise.all([0, 1].map((nonce) => signTransfer(0, nonce)));
  const answers = [];
  for (const raw of [raws[0], raws[1], raws[1]]) answers.push(await chain.ask("eth_sendRawTransaction", raw));
  expect(answers.map(({ error }) => error?.message)).toEqual([
    undefined,
    "The chain's log cannot be written (ENOSPC: no space left on device).",
    undefined,
  ]);
  const { number, hash } = await chain.client.getBlock();
  await chain.kill();
  expect((await fixture.start()).restored).toEqual({ block: Number(number), hash });
});

test("a node without its sequencer is ended at the next start; a sequencer without its node ends itself", async () => {
  const first = await fixture.start();
  const [orphan] = findNodes(fixture.chainFolderPath());
  expect(await first.killSequencer()).toBe("SIGKILL");
  expect(findNodes(fixture.chainFolderPath())).toEqual([orphan]);
  const second = await fixture.start();
  const successors = findNodes(fixture.chainFolderPath());
  expect(successors.length).toBe(1);
  expect(successors).not.toContain(orphan);
  expect(await second.killNode()).toBe(1);
  const lastWords = "development chain: error: the node ended (SIGKILL)";
  await until(() => (second.errors.at(-1) === lastWords ? true : undefined));
});
