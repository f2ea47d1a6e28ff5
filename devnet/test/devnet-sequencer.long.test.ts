import { type Hex, keccak256 } from "viem";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import {
  account,
  createDevnetFixture,
  type Devnet,
  type DevnetFixture,
  signTransfer,
} from "./support/devnet-fixture.ts";
import { createRandom } from "./support/random.ts";

// Chains are started several times over.
vi.setConfig({ testTimeout: 240_000 });

let fixture: DevnetFixture;
let chain: Devnet;
/** A transaction out of order is not refused however late the missing ones are. */
const startPatient = () => fixture.start({ broken: "patient" });
beforeEach(async () => {
  fixture = createDevnetFixture();
  chain = await startPatient();
});
afterEach(() => fixture.cleanUp());

const send = (raw: Hex) => chain.ask("eth_sendRawTransaction", raw);
const tip = async ({ client }: Devnet) => {
  const { number, hash, stateRoot } = await client.getBlock();
  return { number, hash, stateRoot };
};

/** Whatever was refused on the way, a replay of the log must give the very same chain. */
const expectSameAfterKill = async () => {
  const before = await tip(chain);
  await chain.kill();
  chain = await fixture.start();
  expect(await tip(chain)).toEqual(before);
};

test("32 transactions of one account, sent at once and out of order, are all in the chain when they are acknowledged", async () => {
  const raws = await Promise.all(Array.from({ length: 32 }, (_, nonce) => signTransfer(0, nonce)));
  const sent = createRandom("out of order").shuffle(raws);
  const answers = await Promise.all(
    sent.map(async (raw) => {
      const { result } = await send(raw);
      return { result, receipt: (await chain.ask("eth_getTransactionReceipt", result)).result };
    }),
  );
  expect(answers.map(({ result }) => result)).toEqual(sent.map((raw) => keccak256(raw)));
  expect(answers.map(({ receipt }) => receipt)).toEqual(answers.map(() => expect.objectContaining({ status: "0x1" })));
  expect(await chain.client.getTransactionCount({ address: account(0).address })).toBe(32);
  await expectSameAfterKill();
});

test("what the node refuses gets the node's error and harms neither its neighbours nor the replay", async () => {
  const poor = 10n ** 24n - 10n ** 18n;
  const group = {
    good: await signTransfer(0, 0),
    otherChain: await signTransfer(1, 0, { chainId: 1 }),
    cheap: await signTransfer(1, 0, { maxFeePerGas: 1n, tip: 1n }),
    broke: await signTransfer(1, 0, { value: 10n ** 30n }),
    littleGas: await signTransfer(1, 0, { gas: 20_000n }),
    muchGas: await signTransfer(1, 0, { gas: 40_000_000n }),
    allItHas: await signTransfer(2, 0, { value: poor }),
    onceMore: await signTransfer(2, 1, { value: poor }),
    afterwards: await signTransfer(2, 2),
    garbage: "0x02f86b",
    alsoGood: await signTransfer(3, 0),
  } as const;
  const sent = Object.entries(group).map(([name, raw]) => ({ name, answer: send(raw) }));
  // A patient chain may not know the one without a predecessor until it is killed.
  const waiting = sent.find(({ name }) => name === "afterwards")?.answer.catch(() => undefined);
  const answered = sent.filter(({ name }) => name !== "afterwards");
  const errors = Object.fromEntries(
    await Promise.all(answered.map(async ({ name, answer }) => [name, (await answer).error?.message] as const)),
  );
  expect(errors).toMatchObject({
    good: undefined,
    otherChain: "invalid chain id for signer",
    cheap: "max fee per gas less than block base fee",
    broke: "Insufficient funds for gas * price + value",
    littleGas: "intrinsic gas too low",
    muchGas: expect.stringMatching(/^intrinsic gas too high/),
    garbage: "Failed to decode transaction",
    allItHas: undefined,
    onceMore: expect.stringMatching(/Insufficient funds|^transaction dropped/),
    alsoGood: undefined,
  });
  const counts = [0, 1, 2, 3].map((index) => chain.client.getTransactionCount({ address: account(index).address }));
  expect(await Promise.all(counts)).toEqual([1, 0, 1, 1]);
  expect((await send(await signTransfer(0, 0, { value: 5n }))).error?.message).toBe("nonce too low");
  await expectSameAfterKill();
  expect((await waiting)?.result).toBeUndefined();
  expect((await send(group.afterwards)).error?.message).toMatch(/^nonce too high/);
});

test("a gap is waited for, but not for ever, and what waited can be sent again", async () => {
  const early = await signTransfer(0, 1);
  const waiting = send(early);
  expect((await send(await signTransfer(1, 0))).error).toBeUndefined();
  expect((await send(await signTransfer(0, 0))).error).toBeUndefined();
  expect((await waiting).result).toBe(keccak256(early));

  await chain.kill();
  chain = await fixture.start();
  const tooEarly = await signTransfer(0, 5);
  expect((await send(tooEarly)).error).toEqual({
    code: -32_000,
    message: "nonce too high: transactions of this sender before nonce 5 are missing",
  });
  await chain.kill();
  chain = await startPatient();
  const rest = await Promise.all([2, 3, 4].map((nonce) => signTransfer(0, nonce)));
  const answers = await Promise.all([tooEarly, ...rest].map(send));
  expect(answers.map(({ error }) => error)).toEqual([undefined, undefined, undefined, undefined]);
  await expectSameAfterKill();
});

test("the same transaction sent twice is one transaction, at once, later and after a restart", async () => {
  const raw = await signTransfer(0, 0);
  const hash = keccak256(raw);
  const upperCase = `0x${raw.slice(2).toUpperCase()}` as const;
  const answers = await Promise.all([send(raw), send(upperCase), send(raw)]);
  expect(answers.map(({ result }) => result)).toEqual([hash, hash, hash]);
  expect((await send(raw)).result).toBe(hash);
  await expectSameAfterKill();
  expect((await send(raw)).result).toBe(hash);
  expect(await chain.client.getBlockNumber()).toBe(1n);
});

test("of two transactions with one nonce exactly one is mined, and the other's sender is told", async () => {
  const pairs = await Promise.all(
    [0, 1, 2, 3].map((index) =>
      Promise.all([
        signTransfer(index, 0, { value: 1n }),
        signTransfer(index, 0, { value: 2n, maxFeePerGas: 9_000_000_000n, tip: 3_000_000_000n }),
      ]),
    ),
  );
  const answers = await Promise.all(pairs.map((pair) => Promise.all(pair.map(send))));
  for (const pair of answers) {
    const mined = pair.filter(({ result }) => result !== undefined);
    expect(mined.length).toBe(1);
    const receipt = await chain.ask("eth_getTransactionReceipt", mined[0]?.result);
    expect(receipt.result).toMatchObject({ status: "0x1" });
  }
  await expectSameAfterKill();
});

test("a block never fills up: gas limits decide how many transactions go in, and the fee does not rise", async () => {
  const accountsAtWork = [0, 1, 2, 3, 4, 5, 6, 7];
  const raws = await Promise.all(
    accountsAtWork.flatMap((index) => [0, 1].map((nonce) => signTransfer(index, nonce, { gas: 7_000_000n }))),
  );
  const large = await signTransfer(0, 2, { gas: 29_000_000n });
  const answers = await Promise.all([...raws, large].map(send));
  expect(answers.filter(({ error }) => error)).toEqual([]);
  const last = await chain.client.getBlock();
  let fee = 0n;
  for (let number = last.number; number > 0n; number -= 1n) {
    const block = await chain.client.getBlock({ blockNumber: number, includeTransactions: true });
    const gas = block.transactions.reduce((sum, transaction) => sum + transaction.gas, 0n);
    expect(gas <= 15_000_000n || block.transactions.length === 1).toBe(true);
    expect(block.baseFeePerGas).toBeGreaterThanOrEqual(fee);
    fee = block.baseFeePerGas ?? 0n;
  }
  await expectSameAfterKill();
});
