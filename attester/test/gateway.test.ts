import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { until } from "../../devnet/test/support/until.ts";
import type { BurnIntent } from "../../server/src/ports/chain/unified-balance.ts";
import { type AttesterWorld, FEES, openAttesterWorld, UNIT } from "./support/attester-world.ts";

const Attested = z.object({
  transferId: z.string(),
  attestation: z.string(),
  signature: z.string(),
  fees: z.looseObject({ total: z.string() }),
});
const Balances = z.object({ balances: z.array(z.object({ domain: z.number(), balance: z.string() })) });
const FEE = 10_000n;

let world: AttesterWorld;
let attester: Awaited<ReturnType<AttesterWorld["startAttester"]>>;
beforeAll(async () => {
  world = await openAttesterWorld();
  attester = await world.startAttester();
});
afterAll(() => world?.close());

const get = async (path: string) => (await fetch(`${attester.url}${path}`)).json();
const post = (path: string, body: unknown) =>
  fetch(`${attester.url}${path}`, {
    method: "POST",
    body: JSON.stringify(body),
    headers: { "content-type": "application/json" },
  });
const toJson = ({ maxBlockHeight, maxFee, spec }: BurnIntent) => ({
  maxBlockHeight: String(maxBlockHeight),
  maxFee: String(maxFee),
  spec: { version: 1, ...spec, value: String(spec.value) },
});
const transfer = ({ intent, signature }: { intent: BurnIntent; signature: string }) =>
  post("/v1/transfer", [{ burnIntent: toJson(intent), signature }]);
const readBalance = async (domain: number) => {
  const answer = await post("/v1/balances", { token: "USDC", sources: [{ depositor: world.payer.address, domain }] });
  return Balances.parse(await answer.json()).balances[0]?.balance;
};
const readStatus = async (id: string) => z.object({ status: z.string() }).parse(await get(`/v1/transfer/${id}`)).status;

test("names its domains with their contracts, and no main network", async () => {
  const { base, hub } = world;
  const { domains } = z
    .object({ domains: z.array(z.looseObject({ domain: z.number() })) })
    .parse(await get("/v1/info"));
  expect(domains.map(({ domain }) => domain)).toEqual([hub.domain, base.domain]);
  expect(domains[1]).toMatchObject({
    chain: "Base",
    network: "Sepolia",
    walletContract: { address: base.contracts.gatewayWallet, supportedTokens: ["USDC"] },
    processedHeight: expect.stringMatching(/^\d+$/),
  });
});

test("a deposit on one chain is spent on another: reserved, minted there, then burned here with its fee", async () => {
  const { base, hub, deposit, signIntent, mint, readDeposit, readSupply } = world;
  await deposit(base, 50n * UNIT);
  expect(await readBalance(base.domain)).toBe("50");
  const supply = (await readSupply(base)) + (await readSupply(hub));
  const signed = await signIntent(base, hub, 20n * UNIT);
  const answer = await transfer(signed);
  expect(answer.status).toBe(201);
  const { transferId, attestation, signature, fees } = Attested.parse(await answer.json());
  // 0.01 and 0.005 %.
  expect(fees.total).toBe("0.011");
  expect(await readBalance(base.domain)).toBe("29.989");
  expect(await readDeposit(base)).toBe(50n * UNIT);
  expect(await readStatus(transferId)).toBe("pending");
  // Told twice it is the same transfer, and reserves nothing more.
  expect(Attested.parse(await (await transfer(signed)).json()).transferId).toBe(transferId);
  expect(await readBalance(base.domain)).toBe("29.989");
  await mint(hub, attestation, signature);
  await until(async () => (await readStatus(transferId)) === "finalized" || undefined);
  expect(await readDeposit(base)).toBe(30n * UNIT - FEE - 1_000n);
  expect(await world.readBalance(base, FEES)).toBe(FEE + 1_000n);
  expect((await readSupply(base)) + (await readSupply(hub))).toBe(supply);
  expect(await readBalance(base.domain)).toBe("29.989");
});

test("a kill between mint and burn burns once", async () => {
  const { base, hub, signIntent, mint, readDeposit } = world;
  const before = await readDeposit(base);
  const { transferId, attestation, signature } = Attested.parse(
    await (await transfer(await signIntent(base, hub, 2n * UNIT))).json(),
  );
  await attester.kill();
  await mint(hub, attestation, signature);
  for (let turn = 0; turn < 3; turn += 1) {
    attester = await world.startAttester();
    await attester.kill();
  }
  attester = await world.startAttester();
  await until(async () => (await readStatus(transferId)) === "finalized" || undefined);
  expect(await readDeposit(base)).toBe(before - 2n * UNIT - FEE - 100n);
});

test("sixteen at once spend no more than there is", async () => {
  const { base, hub, signIntent, readDeposit } = world;
  const available = await readDeposit(base);
  const signed = await Promise.all(Array.from({ length: 16 }, () => signIntent(base, hub, 5n * UNIT)));
  const statuses = (await Promise.all(signed.map(transfer))).map(({ status }) => status);
  const most = Number(available / (5n * UNIT + FEE + 250n));
  expect(statuses.filter((status) => status === 201)).toHaveLength(most);
  expect(statuses.filter((status) => status === 400)).toHaveLength(16 - most);
});

test("refuses what its depositor did not sign, what is not there, and fees that are too low", async () => {
  const { base, hub, signIntent } = world;
  const refuse = async (signed: { intent: BurnIntent; signature: string }) => {
    const answer = await transfer(signed);
    expect(answer.status).toBe(400);
    return z.object({ success: z.literal(false), message: z.string() }).parse(await answer.json()).message;
  };
  const good = await signIntent(base, hub, UNIT / 10n);
  const other = (change: Partial<BurnIntent["spec"]>) => ({
    ...good,
    intent: { ...good.intent, spec: { ...good.intent.spec, ...change } },
  });
  expect(await refuse(other({ value: UNIT }))).toContain("signature");
  expect(await refuse(other({ sourceContract: good.intent.spec.destinationToken }))).toContain("sourceContract");
  expect(await refuse(other({ destinationDomain: 77 }))).toContain("domain 77");
  expect(await refuse(other({ value: 0n }))).toContain("positive");
  expect(await refuse(await signIntent(base, hub, 1_000n * UNIT))).toContain("insufficient balance");
  expect(await refuse(await signIntent(base, hub, UNIT / 10n, 1n))).toContain("maxFee");
  expect(await refuse({ ...good, signature: "0x12" })).toContain("signature");
  expect((await post("/v1/transfer", { nonsense: true })).status).toBe(400);
});

test("has nothing on a chain whose Gateway is not deployed yet", async () => {
  await attester.stop();
  const gatewayWallet = `0x${"7".repeat(40)}`;
  attester = await world.startAttester({ chains: world.chains.map((chain) => ({ ...chain, gatewayWallet })) });
  expect(await readBalance(world.base.domain)).toBe("0");
});
