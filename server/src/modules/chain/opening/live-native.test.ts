import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { z } from "zod";
import {
  createLiveDeployment,
  type LiveChain,
  type LiveDeployment,
  type LiveService,
  startLiveChain,
} from "../../../../test/support/live-service.ts";
import { imitateNativeUsdc } from "../../../../test/support/native-coin.ts";
import { requireResult } from "../../../../test/support/treasury.ts";

/** The product in production mode on a chain whose gas is paid in USDC, where native payments emit no token event. */
vi.setConfig({ testTimeout: 240_000 });
const MICRO = 10n ** 12n;
/** Settling usage would change the balance, so it is set to run after this test. */
const LIVE = { EMBEDDED_SANDBOX: "off", SETTLE_USAGE_SECONDS: "86400", CHAIN_EURC: "", CHAIN_SPLITTER: "" };
let chain: LiveChain;
let coin: Awaited<ReturnType<typeof imitateNativeUsdc>>;
let deployment: LiveDeployment;
let service: LiveService;
beforeAll(async () => {
  chain = await startLiveChain();
  coin = await imitateNativeUsdc(chain);
  deployment = await createLiveDeployment(chain, { url: "http://127.0.0.1:9", token: "none" });
  service = await deployment.start({ ...LIVE, CHAIN_USDC: coin.token });
});
afterAll(async () => {
  await service?.stop();
  await deployment?.[Symbol.asyncDispose]();
  await chain?.close();
});

const Address = z.templateLiteral(["0x", z.string()]);
const Books = z.object({
  address: Address,
  balances: z.object({ USDC: z.string() }),
  available: z.object({ USDC: z.string() }),
});

it("plain payments are booked to the last unit, dust adds up, and money keeps moving", async () => {
  const as = await service.operator(async (identity) => {
    const { tenant } = await identity.createTenant({ name: "Native", actor: "test" });
    const scopes = ["treasury:read"];
    const { apiKey: key } = await identity.mintKey({
      tenantId: tenant.id,
      name: "live",
      environment: "production",
      scopes,
      actor: "test",
    });
    return { key, tenantId: tenant.id };
  });
  const books = async () => Books.parse(requireResult(await service.call("check_treasury", {}, as)));
  const { address } = await books();
  const arrives = (amount: string) =>
    expect.poll(async () => (await books()).available.USDC, { timeout: 120_000, interval: 500 }).toBe(amount);

  await coin.send(address, 25_000_000n * MICRO);
  await arrives("25.00");
  // Amounts below one unit are booked only once they add up to one, over several blocks and within one transaction.
  await coin.send(address, (MICRO * 6n) / 10n);
  await coin.send(address, 1_000_000n * MICRO + (MICRO * 5n) / 10n);
  await arrives("26.000001");
  await coin.sendTwice(address, (MICRO * 8n) / 10n, (MICRO * 3n) / 10n);
  await arrives("26.000002");
  expect((await books()).balances.USDC).toBe("26.000002");
  const [network] = await deployment.sql("select stopped_because from chain_network where network = 'production'");
  expect(network).toEqual({ stopped_because: null });
});

it("without EURC, a splitter, an escrow and a mail server: the start names the tools that are not served", () => {
  const told = service.app.facts.filter(({ label }) => label === "not served").map(({ text }) => text);
  expect(told).toEqual(
    expect.arrayContaining([
      "send_tokens: chain_not_available for EURC until CHAIN_EURC is set",
      "settle_split: chain_not_available until CHAIN_SPLITTER is set",
      expect.stringMatching(/^prefund_trip, .*reserve_booking.*: chain_not_available until CHAIN_ESCROW is set$/),
      expect.stringMatching(/give_feedback.*: chain_not_available until CHAIN_AGENT_IDENTITY/),
      "mails: none is sent until SMTP_URL is set",
    ]),
  );
});

it("a sandbox key learns that there is no sandbox if the operator switched it off", async () => {
  const { apiKey, tenant } = await service.operator((identity) =>
    identity.createTenant({ name: "Trying out", actor: "test" }),
  );
  const answer = await service.call("check_treasury", {}, { key: apiKey, tenantId: tenant.id });
  expect([answer.status, answer.body.code]).toEqual([503, "sandbox_unavailable"]);
});

const payee = `0x${"7".repeat(40)}`;
it.each([
  ["send_tokens", "EURC", { to: payee, amount: "1", token: "EURC" }],
  ["settle_split", "a splitter", { gross: "100", supplier: payee }],
  ["prefund_trip", "an escrow", { budgetUsdc: "1" }],
])("%s reports that there is not %s; a call that needs it is refused", async (tool, _missing, args) => {
  const as = await service.operator(async (identity) => {
    const { tenant } = await identity.createTenant({ name: "Dollars only", actor: "test" });
    const scopes = ["treasury:read", "treasury:spend", "escrow:spend", "account:read"];
    const { apiKey: key } = await identity.mintKey({
      tenantId: tenant.id,
      name: "live",
      environment: "production",
      scopes,
      actor: "test",
    });
    return { key, tenantId: tenant.id };
  });
  const answer = await service.call(tool, args, as);
  expect([answer.status, answer.body.code, answer.body.retryable]).toEqual([500, "chain_not_available", false]);
  if (tool === "send_tokens") {
    // A preview reports it, too.
    const preview = requireResult(await service.call("preview_call", { tool, args }, as));
    expect(preview).toMatchObject({ accepted: false, problem: { code: "chain_not_available", retryable: false } });
  }
  // An empty wallet is only missing money.
  const dollars = await service.call("send_tokens", { to: payee, amount: "1" }, as);
  expect(dollars.body.code).toBe("insufficient_balance");
});

it("another host with its own folder and the same keys serves the same tenants: caps, repeats and money are shared", async () => {
  const as = await service.operator(async (identity) => {
    const { tenant } = await identity.createTenant({ name: "Two hosts", actor: "test" });
    const scopes = ["treasury:read"];
    const { apiKey: key } = await identity.mintKey({
      tenantId: tenant.id,
      name: "live",
      environment: "production",
      scopes,
      actor: "test",
    });
    return { key, tenantId: tenant.id };
  });
  const folder = mkdtempSync(join(tmpdir(), "wayfare-other-host-"));
  const other = await deployment.start({ ...LIVE, CHAIN_USDC: coin.token, DATA_DIR: folder });
  try {
    const repeat = { "idempotency-key": "both" };
    const answers = [
      await service.call("check_treasury", {}, as, repeat),
      await other.call("check_treasury", {}, as, repeat),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    const [first, again] = answers.map((answer) => Books.parse(requireResult(answer)).address);
    expect(again).toBe(first);
    const [meter, meterAgain] = answers.map(({ headers }) => headers.get("x-service-meter-id"));
    expect(meterAgain).toBe(meter);
    await service.operator((identity) => identity.setTenant(as.tenantId, { monthlyCapMicroUsdc: 0n }, "test"));
    await expect.poll(async () => (await other.call("check_treasury", {}, as)).status).toBe(402);
  } finally {
    await other.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});
