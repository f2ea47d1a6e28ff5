import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import {
  createLiveDeployment,
  type LiveChain,
  type LiveDeployment,
  type LiveService,
  startLiveChain,
} from "../../../test/support/live-service.ts";
import { requireResult, stranger, UNIT } from "../../../test/support/treasury.ts";
import type { Hex } from "../../domain/tokens.ts";

/** The public faucet on real test networks, as a simulator of its wire gives and fails. */
const KEY = "TEST_API_KEY:one:two";
/** The home chain has the id of Arc's test network. */
const blockchain = "ARC-TESTNET";

const Asked = z.strictObject({
  address: z.templateLiteral(["0x", z.string()]),
  blockchain: z.string(),
  native: z.boolean(),
  usdc: z.boolean(),
  eurc: z.boolean(),
});
type Fate = "give" | "give_and_lose" | "lose" | "hang" | { status: number; retryAfter?: string };

let fate: Fate = "give";
const asked: { authorization: string | undefined; body: z.output<typeof Asked> }[] = [];
let chain: LiveChain;
let simulator: Server;
let deployment: LiveDeployment;
let service: LiveService;
let as: { key: string; tenantId: string };

async function startSimulator(): Promise<string> {
  simulator = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", async () => {
      const { authorization } = request.headers;
      const body = Asked.parse(JSON.parse(Buffer.concat(chunks).toString("utf8")));
      if (request.url !== "/v1/faucet/drips" || request.method !== "POST") return response.writeHead(404).end();
      asked.push({ authorization, body });
      if (authorization !== `Bearer ${KEY}`) return response.writeHead(401).end();
      if (typeof fate === "object") {
        const retry = fate.retryAfter === undefined ? {} : { "retry-after": fate.retryAfter };
        return response.writeHead(fate.status, retry).end('{"code":5,"message":"Not today"}');
      }
      if (fate === "hang") return;
      if (fate === "lose") return request.socket.destroy();
      await chain.deposit(body.address, 20n * UNIT, body.eurc ? "EURC" : "USDC");
      if (fate === "give_and_lose") return request.socket.destroy();
      return response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => simulator.listen(0, "127.0.0.1", () => resolve()));
  const address = z.custom<AddressInfo>((value) => typeof value === "object").parse(simulator.address());
  return `http://127.0.0.1:${address.port}`;
}

let settings: Record<string, string>;
beforeAll(async () => {
  chain = await startLiveChain(5_042_002);
  deployment = await createLiveDeployment(chain, { url: "http://127.0.0.1:9", token: "none" });
  settings = { EMBEDDED_SANDBOX: "off", FAUCET_API_URL: await startSimulator(), FAUCET_API_KEY: KEY };
  service = await deployment.start(settings);
  as = await service.operator(async (identity) => {
    const { tenant } = await identity.createTenant({ name: "Live", actor: "test" });
    const scopes = ["treasury:read", "treasury:write"];
    const { apiKey: key } = await identity.mintKey({
      tenantId: tenant.id,
      environment: "production",
      scopes,
      actor: "test",
    });
    return { key, tenantId: tenant.id };
  });
});
afterAll(async () => {
  await service?.stop();
  await deployment?.[Symbol.asyncDispose]();
  simulator?.closeAllConnections();
  simulator?.close();
  await chain?.close();
});
afterEach(() => {
  fate = "give";
  asked.length = 0;
});

const drip = (address: Hex, more: object = {}) => service.call("faucet_drip", { address, blockchain, ...more }, as);
const previewed = async (address: Hex, more: object = {}) =>
  requireResult(
    await service.call("preview_call", { tool: "faucet_drip", args: { address, blockchain, ...more } }, as),
  );
const readRow = async (address: Hex) =>
  (await deployment.sql("select state, transaction_hash as hash from faucet_request where address = $1", [address]))[0];

it("gives in the shape of its wire, once within the waiting time, and shows the transfer", async () => {
  const address = stranger();
  expect(await previewed(address)).toMatchObject({ accepted: true });
  const given = requireResult(await drip(address, { token: "EURC" }));
  expect(given).toMatchObject({
    to: address,
    token: "EURC",
    blockchain,
    status: "confirmed",
    txHash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    chainId: 5_042_002,
    sandbox: false,
    sourceLevel: "live",
  });
  expect(asked).toEqual([
    { authorization: `Bearer ${KEY}`, body: { address, blockchain, native: false, usdc: false, eurc: true } },
  ]);
  const again = await drip(address, { token: "EURC" });
  expect(again.body).toMatchObject({ code: "faucet_cooldown", retryable: true });
  expect(Number(again.body.waitSeconds)).toBeGreaterThan(7_000);
  expect(await previewed(address, { token: "EURC" })).toMatchObject({ problem: { code: "faucet_cooldown" } });
  // The other token is another gift.
  expect(requireResult(await drip(address))).toMatchObject({ token: "USDC", status: "confirmed" });
  expect(asked).toHaveLength(2);
  expect(await chain.readBalance(address)).toBe(20n * UNIT);
});

it("gives once to 8 calls at once", async () => {
  const address = stranger();
  const answers = await Promise.all(Array.from({ length: 8 }, () => drip(address)));
  const codes = answers.map(({ body }) => (body.ok === true ? "given" : body.code));
  expect(codes.filter((code) => code === "given")).toHaveLength(1);
  for (const code of codes) expect(["given", "transfer_in_progress", "faucet_cooldown"]).toContain(code);
  expect(asked).toHaveLength(1);
});

it("gives on a test network that the service does not have, without the transfer", async () => {
  const address = stranger();
  const given = requireResult(await drip(address, { blockchain: "ETH-SEPOLIA" }));
  expect(given).toMatchObject({ status: "requested", txHash: null, chainId: 11_155_111, blockchain: "ETH-SEPOLIA" });
  expect((await drip(address, { blockchain: "ETH-SEPOLIA" })).body.code).toBe("faucet_cooldown");
});

describe("a refusal", () => {
  it.each([
    [{ status: 429, retryAfter: "90" }, "faucet_cooldown", true],
    [{ status: 401 }, "faucet_refused", false],
    [{ status: 403 }, "faucet_refused", false],
    [{ status: 400 }, "faucet_refused", false],
    [{ status: 422 }, "faucet_refused", false],
  ] as const)("%j is %s, and nothing was given", async (answer, code, retryable) => {
    const address = stranger();
    fate = answer;
    const { body, text } = await drip(address);
    expect(body).toMatchObject({ code, retryable });
    expect(text).not.toContain("Not today");
    if (answer.status === 401 || answer.status === 403) expect(text).toContain("does not accept the operator's key");
    if (answer.status === 429) {
      expect(body.waitSeconds).toBe(90);
      expect((await drip(address)).body.code).toBe("faucet_cooldown");
      expect(asked).toHaveLength(1);
      return;
    }
    fate = "give";
    expect(requireResult(await drip(address))).toMatchObject({ status: "confirmed" });
  });
});

describe("a lost answer", () => {
  it("is found on the chain where the faucet gave", async () => {
    const address = stranger();
    fate = "give_and_lose";
    expect(requireResult(await drip(address))).toMatchObject({ status: "confirmed" });
    expect(await readRow(address)).toMatchObject({ state: "given", hash: expect.stringMatching(/^0x/) });
    expect((await drip(address)).body.code).toBe("faucet_cooldown");
    expect(asked).toHaveLength(1);
  });

  it.each([{ status: 500 }, { status: 503 }, "lose"] as const)("%j is unknown and never sent twice", async (answer) => {
    const address = stranger();
    fate = answer;
    expect((await drip(address)).body).toMatchObject({ code: "faucet_outcome_unknown", retryable: true });
    expect(await readRow(address)).toEqual({ state: "unknown", hash: null });
    fate = "give";
    const again = await drip(address);
    expect(again.body).toMatchObject({ code: "faucet_outcome_unknown" });
    expect(Number(again.body.waitSeconds)).toBeGreaterThan(7_000);
    expect(await previewed(address)).toMatchObject({ problem: { code: "faucet_outcome_unknown" } });
    expect(asked).toHaveLength(1);
    // It comes late, and a later call learns of it.
    await chain.deposit(address, 20n * UNIT);
    await expect.poll(async () => (await drip(address)).body.ok, { timeout: 60_000 }).toBe(true);
    expect(await readRow(address)).toMatchObject({ state: "given" });
    expect((await drip(address)).body.code).toBe("faucet_cooldown");
    // After the waiting time it is asked anew.
    await deployment.sql("update faucet_request set again_at = now() where address = $1", [address]);
    expect(requireResult(await drip(address))).toMatchObject({ status: "confirmed" });
    expect(asked).toHaveLength(2);
  });

  it("of a process that was killed is looked for, and nothing is sent again", async () => {
    const address = stranger();
    fate = "hang";
    const call = drip(address).catch(() => undefined);
    await expect.poll(() => asked.length, { timeout: 60_000 }).toBe(1);
    expect(await readRow(address)).toMatchObject({ state: "asked" });
    // Another process meets the row that the first has left.
    fate = "give";
    expect((await drip(address)).body).toMatchObject({ code: "transfer_in_progress", retryable: true });
    await deployment.sql("update faucet_request set asked_at = asked_at - interval '2 minutes' where address = $1", [
      address,
    ]);
    expect((await drip(address)).body).toMatchObject({ code: "faucet_outcome_unknown" });
    await chain.deposit(address, 20n * UNIT);
    await expect.poll(async () => (await drip(address)).body.ok, { timeout: 60_000 }).toBe(true);
    expect(asked).toHaveLength(1);
    simulator.closeAllConnections();
    await call;
    expect(await readRow(address)).toMatchObject({ state: "given" });
  });
});

it("a faucet that is not there was not asked, and without one there is none", async () => {
  await service.stop();
  service = await deployment.start({ ...settings, FAUCET_API_URL: "http://127.0.0.1:9" });
  const address = stranger();
  expect((await drip(address)).body).toMatchObject({ code: "faucet_unavailable", retryable: true });
  await service.stop();
  expect(await deployment.refuse({ ...settings, FAUCET_API_KEY: "" })).toContain("needs both FAUCET_API_URL and");
  service = await deployment.start({ EMBEDDED_SANDBOX: "off" });
  expect((await drip(address)).body).toMatchObject({ code: "chain_not_available", blockchain });
});
