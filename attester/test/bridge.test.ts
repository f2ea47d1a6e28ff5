import { slice } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { decodeMessage, encodeMessage } from "../../server/src/adapters/cctp/message.ts";
import { type AttesterWorld, FEES, openAttesterWorld, UNIT } from "./support/attester-world.ts";

const Seen = z.object({
  messages: z.tuple([
    z.object({
      message: z.string().transform((text): `0x${string}` => `0x${text.slice(2)}`),
      attestation: z.string(),
      eventNonce: z.string(),
      status: z.string(),
      cctpVersion: z.literal(2),
      delayReason: z.string().nullable(),
      decodedMessage: z.looseObject({ nonce: z.string() }),
    }),
  ]),
});

let world: AttesterWorld;
let attester: Awaited<ReturnType<AttesterWorld["startAttester"]>>;
beforeAll(async () => {
  world = await openAttesterWorld();
  attester = await world.startAttester();
});
afterAll(() => world?.close());

const get = (path: string) => fetch(`${attester.url}${path}`);
const look = (domain: number, hash: string) => get(`/v2/messages/${domain}?transactionHash=${hash}`);
const find = async (domain: number, hash: string) => {
  const answer = await look(domain, hash);
  expect(answer.status).toBe(200);
  return Seen.parse(await answer.json()).messages[0];
};
const post = (path: string, body?: unknown) =>
  fetch(`${attester.url}${path}`, {
    method: "POST",
    ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
  });
const arm = (fault: string, more: object = {}) =>
  post("/_sandbox/scenarios", { match: { path: "/v2" }, fault, ...more });

test("a burn is attested by all keys and minted once; the money of both chains together stays the same", async () => {
  const { base, hub, burn, receive, readBalance, readSupply } = world;
  const before = [await readBalance(hub), (await readSupply(base)) + (await readSupply(hub))];
  const { transactionHash, message: sent } = await burn(base, hub, 25n * UNIT);
  const { message, attestation, eventNonce, ...rest } = await find(base.domain, transactionHash);
  expect(rest).toMatchObject({ status: "complete", delayReason: null });
  expect(rest.decodedMessage).toMatchObject({
    sourceDomain: "6",
    destinationDomain: "26",
    finalityThresholdExecuted: "2000",
    decodedMessageBody: { amount: "25000000", feeExecuted: "0", expirationBlock: "0", hookData: null },
  });
  const decoded = decodeMessage(message);
  expect(decoded.nonce).toBe(eventNonce);
  expect(encodeMessage({ ...decoded, nonce: slice(sent, 12, 44), finalityThresholdExecuted: 0 })).toBe(sent);
  expect(await find(base.domain, transactionHash)).toMatchObject({ message, attestation });
  await receive(hub, message, attestation);
  expect([await readBalance(hub), (await readSupply(base)) + (await readSupply(hub))]).toEqual([
    (before[0] ?? 0n) + 25n * UNIT,
    before[1],
  ]);
  await expect(receive(hub, message, attestation)).rejects.toThrow("Nonce already used");
  expect(await (await get(`/v2/messages/6?nonce=${eventNonce}`)).json()).toHaveProperty(
    "messages.0.status",
    "complete",
  );
});

test("what is not seen is a 404, and what nobody could attest stays pending", async () => {
  expect((await look(6, `0x${"1".repeat(64)}`)).status).toBe(404);
  expect((await get("/v2/messages/6")).status).toBe(400);
  expect((await get("/v2/messages/77?transactionHash=0x12")).status).toBe(400);
  const { transactionHash } = await world.burn(world.base, world.hub, UNIT);
  // Another domain has no such transaction.
  expect((await look(26, transactionHash)).status).toBe(404);
});

test("a fast message costs its fee and expires; with too little for the fee it is a standard one", async () => {
  const { base, hub, burn, receive, readBalance } = world;
  expect(await (await get("/v2/burn/USDC/fees/6/26")).json()).toEqual([
    { finalityThreshold: 1000, minimumFee: 1 },
    { finalityThreshold: 2000, minimumFee: 0 },
  ]);
  const { transactionHash } = await burn(base, hub, 10n * UNIT, 5_000n, 1_000);
  const fast = await find(base.domain, transactionHash);
  expect(decodeMessage(fast.message)).toMatchObject({
    finalityThresholdExecuted: 1_000,
    burn: { feeExecuted: 1_000n },
  });
  expect(decodeMessage(fast.message).burn.expirationBlock).toBeGreaterThan(0n);
  const before = await readBalance(hub, FEES);
  // Attested anew it is final, costs nothing, and is still minted only once.
  expect((await post(`/v2/reattest/${fast.eventNonce}`)).status).toBe(200);
  const anew = await find(base.domain, transactionHash);
  expect(decodeMessage(anew.message)).toMatchObject({
    nonce: fast.eventNonce,
    finalityThresholdExecuted: 2_000,
    burn: { feeExecuted: 0n, expirationBlock: 0n },
  });
  expect((await post(`/v2/reattest/${fast.eventNonce}`)).status).toBe(400);
  expect((await post(`/v2/reattest/0x${"2".repeat(64)}`)).status).toBe(404);
  await receive(hub, fast.message, fast.attestation);
  expect(await readBalance(hub, FEES)).toBe(before + 1_000n);
  await expect(receive(hub, anew.message, anew.attestation)).rejects.toThrow("Nonce already used");
  const cheap = await burn(base, hub, 10n * UNIT, 999n, 1_000);
  const standard = await find(base.domain, cheap.transactionHash);
  expect(decodeMessage(standard.message)).toMatchObject({
    finalityThresholdExecuted: 2_000,
    burn: { feeExecuted: 0n },
  });
});

test("test networks and main networks share domains but no keys: a message for one mints nothing on the other", async () => {
  const { base, mainnet, hub, burn, receive } = world;
  const home = await burn(hub, base, UNIT);
  const { message, attestation } = await find(hub.domain, home.transactionHash);
  await expect(receive(mainnet, message, attestation)).rejects.toThrow("Invalid signature: not attester");
  await receive(base, message, attestation);
  // From a main network the first chain is reached all the same.
  const away = await burn(mainnet, hub, UNIT);
  const arrived = await find(mainnet.domain, away.transactionHash);
  await receive(hub, arrived.message, arrived.attestation);
});

test("a burn is not signed before it is final, and an answer survives a kill", async () => {
  const { base, hub, burn } = world;
  await attester.kill();
  attester = await world.startAttester({ standardMilliseconds: 600_000, fastMilliseconds: 600_000 });
  const { transactionHash } = await burn(base, hub, UNIT, 100n, 1_000);
  const pending = await find(base.domain, transactionHash);
  expect(pending).toMatchObject({ status: "pending_confirmations", message: "0x", attestation: "PENDING" });
  const poor = await burn(base, hub, UNIT, 0n, 1_000);
  expect(await find(base.domain, poor.transactionHash)).toMatchObject({ delayReason: "insufficient_fee" });
  await attester.kill();
  attester = await world.startAttester();
  const final = await find(base.domain, transactionHash);
  expect(final).toMatchObject({ status: "complete", eventNonce: pending.eventNonce });
  await attester.kill();
  attester = await world.startAttester();
  expect(await find(base.domain, transactionHash)).toEqual(final);
});

test("faults are met once each, survive a kill, and cannot be armed where they are off", async () => {
  const { base, hub, burn } = world;
  const { transactionHash } = await burn(base, hub, UNIT);
  const honest = await find(base.domain, transactionHash);
  await arm("away");
  await attester.kill();
  attester = await world.startAttester();
  expect((await look(6, transactionHash)).status).toBe(503);
  await arm("rate_limited");
  const locked = await look(6, transactionHash);
  expect([locked.status, locked.headers.get("retry-after")]).toEqual([429, "300"]);
  await arm("reset");
  await expect(look(6, transactionHash)).rejects.toThrow();
  await arm("late", { delayMs: 60_000 });
  expect((await look(6, transactionHash)).status).toBe(404);
  await arm("contradicting", { times: 2 });
  expect(await find(6, transactionHash)).toMatchObject({ status: "pending_confirmations" });
  expect((await post(`/v2/reattest/${honest.eventNonce}`)).status).toBe(400);
  await arm("altered");
  const altered = await find(6, transactionHash);
  expect(altered.message).not.toBe(honest.message);
  await expect(world.receive(hub, altered.message, altered.attestation)).rejects.toThrow("Invalid signature");
  await arm("slow", { delayMs: 50 });
  expect(await find(6, transactionHash)).toEqual(honest);
  await arm("away");
  await fetch(`${attester.url}/_sandbox/scenarios`, { method: "DELETE" });
  expect(await find(6, transactionHash)).toEqual(honest);
  await attester.stop();
  attester = await world.startAttester({}, []);
  expect((await arm("away")).status).toBe(404);
  expect(await find(6, transactionHash)).toEqual(honest);
});

test("pages of other origins and other names may not ask", async () => {
  const from = await fetch(`${attester.url}/v2/publicKeys`, { headers: { origin: "http://elsewhere.example" } });
  expect(from.status).toBe(403);
  const body = "{}";
  expect((await fetch(`${attester.url}/v1/balances`, { method: "POST", body })).status).toBe(415);
  expect((await get("/v2/publicKeys")).status).toBe(404);
});

test("a chain that cannot be asked keeps no burn of the other chain of its domain, and is an outage for its own", async () => {
  const { base, hub, mainnet, burn, chains, startAttester } = world;
  await attester.stop();
  const unreachable = { rpcUrl: "http://127.0.0.1:9" };
  attester = await startAttester({
    chains: chains.map((one) => (one.network === "mainnet" ? { ...one, ...unreachable } : one)),
  });
  const { transactionHash } = await burn(base, hub, UNIT);
  expect(await find(base.domain, transactionHash)).toMatchObject({ status: "complete" });
  const { transactionHash: elsewhere } = await burn(mainnet, hub, UNIT);
  // It gives no answer, which the service takes for none.
  await expect(look(mainnet.domain, elsewhere)).rejects.toThrow("fetch failed");
  await attester.stop();
  attester = await startAttester();
  expect(await find(mainnet.domain, elsewhere)).toMatchObject({ status: "complete" });
});
