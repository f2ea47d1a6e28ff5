import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { type Escrow, openEscrow } from "../../../test/support/escrow.ts";
import { type MailServer, startMailServer } from "../../../test/support/mail-server.ts";
import { sendMcp } from "../../../test/support/mcp.ts";
import { searchDatabase } from "../../../test/support/search-database.ts";
import { type Answer, startTestService, type TestService } from "../../../test/support/service.ts";
import { newFundedTenant, requireResult, UNIT } from "../../../test/support/treasury.ts";
import { runProgram } from "../../commands/command-line.ts";
import { tenantProgram } from "../../commands/tenant.ts";
import { ConfigError, readConfig } from "../../config/config.ts";
import { readWebOrigin } from "../../domain/web-origins.ts";
import { SHOWN_ONCE_TEXT } from "../../kernel/contracts/shown-once.ts";
import { readGuestLink } from "../invitations/guest-link.ts";

/** `prefund_trip` on a started product with a mail server, over dispatch and MCP; viem reads the chain. */
const OTHER_ORIGIN = "https://trips.example.com";
let service: TestService;
let escrow: Escrow;
let mail: MailServer;
let logged = "";
beforeAll(async () => {
  mail = await startMailServer();
  const logTo = { write: (line: string) => (logged += line) };
  const environment = {
    LINK_ORIGINS: OTHER_ORIGIN,
    SMTP_URL: `${mail.url}?tls=optional`,
    MAIL_FROM: "Wayfare <trips@example.com>",
    LOG_LEVEL: "debug",
  };
  service = await startTestService(environment, { logTo });
  escrow = openEscrow(service);
  await service.isFunded(service.tenantId);
});
afterAll(async () => {
  await escrow?.close();
  await service?.[Symbol.asyncDispose]();
  await mail?.[Symbol.asyncDispose]();
});

const Prefunded = z.strictObject({
  tripId: z.templateLiteral(["0x", z.string().regex(/^[0-9a-f]{64}$/)]),
  escrowAddress: z.string(),
  budgetUsdc: z.string(),
  expiresAt: z.iso.datetime(),
  codeNonce: z.string().regex(/^0x[0-9a-f]{64}$/),
  guestLink: z.string(),
  claimCode: z.string().optional(),
  emailSent: z.boolean(),
  emailNote: z.string().optional(),
  txHash: z.templateLiteral(["0x", z.string().regex(/^[0-9a-f]{64}$/)]),
  chainId: z.literal(5_042_002),
  status: z.literal("confirmed"),
  source: z.literal("embedded-devnet"),
  sourceLevel: z.literal("embedded"),
  sandbox: z.literal(true),
  asOf: z.string(),
  walletAvailableUsdc: z.string(),
});
const prefunded = (answer: Answer) => Prefunded.parse(requireResult(answer));
const prefund = async (args: object) => prefunded(await service.call("prefund_trip", args));
const daysUntil = (time: string): number => Math.round((Date.parse(time) - Date.now()) / 86_400_000);
const trips = () => service.sql("select trip_id from trip");

describe("a trip's budget", () => {
  it("goes from the treasury into the escrow, to the micro-unit", async () => {
    const own = await escrow.findTreasury(service.tenantId);
    const address = await escrow.escrowAddress();
    const before = [await escrow.readBalance(own), await escrow.readBalance(address)] as const;
    const answer = await service.call("prefund_trip", { budgetUsdc: "123.456789", expiresInDays: 7 });
    const trip = prefunded(answer);
    expect(trip).toMatchObject({ escrowAddress: address, budgetUsdc: "123.456789", emailSent: false });
    expect(trip).not.toHaveProperty("claimCode");
    expect(trip).not.toHaveProperty("emailNote");
    expect(daysUntil(trip.expiresAt)).toBe(7);
    expect((await escrow.client.getTransactionReceipt({ hash: trip.txHash })).status).toBe("success");
    expect(await escrow.readBalance(own)).toBe(before[0] - 123_456_789n);
    expect(await escrow.readBalance(address)).toBe(before[1] + 123_456_789n);
    const onChain = await escrow.tripOnChain(trip.tripId);
    expect(onChain).toMatchObject({ free: 123_456_789n, held: 0n, isClosed: false });
    expect(onChain.funder.toLowerCase()).toBe(own);
    expect(onChain.expiresAt).toBe(BigInt(Date.parse(trip.expiresAt) / 1000));
    expect(await escrow.trip(trip.tripId)).toMatchObject({ state: "funded", free_micro: 123_456_789n });
    const { balances, available } = await escrow.holdings();
    expect(available).toEqual(balances);
    expect(answer.body.priceMicroUsdc).toBe("5000");
    expect(readGuestLink(trip.guestLink)?.tripId).toBe(trip.tripId);
    expect(trip.guestLink.startsWith(`${service.appUrl}/claim/`)).toBe(true);
  });

  it("is put there over MCP too, for 30 days and with a code on request", async () => {
    const args = { budgetUsdc: "5", require2fa: true };
    const { body } = await sendMcp(service, "tools/call", { name: "prefund_trip", arguments: args });
    const Result = z.object({ result: z.object({ structuredContent: Prefunded }) });
    const { structuredContent: trip } = Result.parse(body).result;
    expect(trip.claimCode).toMatch(/^\d{6}$/);
    expect(daysUntil(trip.expiresAt)).toBe(30);
    expect((await escrow.tripOnChain(trip.tripId)).free).toBe(5n * UNIT);
  });

  it("must be there", async () => {
    const { as } = await newFundedTenant(service, "Poor");
    const before = await trips();
    const answer = await service.call("prefund_trip", { budgetUsdc: "100000.000001" }, as);
    expect(answer).toMatchObject({ status: 500, body: { code: "insufficient_balance" } });
    expect(await trips()).toEqual(before);
  });

  it("is paid once per Idempotency-Key under concurrent calls", async () => {
    const { tenantId, as } = await newFundedTenant(service, "Repeating");
    const headers = { "idempotency-key": randomUUID() };
    const args = { budgetUsdc: "77", require2fa: true };
    const call = () => service.call("prefund_trip", args, { ...as, headers });
    const answers = await Promise.all(Array.from({ length: 16 }, call));
    const shown = answers.filter(({ text }) => !text.includes(SHOWN_ONCE_TEXT) && text.includes("guestLink"));
    expect(shown).toHaveLength(1);
    for (const answer of answers) expect([200, 409]).toContain(answer.status);
    const replay = await call();
    expect(replay.headers.get("idempotent-replayed")).toBe("true");
    const { guestLink, claimCode, ...rest } = prefunded(replay);
    expect([guestLink, claimCode]).toEqual([SHOWN_ONCE_TEXT, SHOWN_ONCE_TEXT]);
    expect(shown.map(prefunded)).toEqual([expect.objectContaining(rest)]);
    const funded = await service.sql("select budget_micro from trip where tenant_id = $1", [tenantId]);
    expect(funded.map(({ budget_micro: micro }) => String(micro))).toEqual(["77000000"]);
    expect(await escrow.readBalance(await escrow.findTreasury(tenantId))).toBe((100_000n - 77n) * UNIT);
  });
});

describe("invalid arguments", () => {
  const nowhere = "0x00000000000000000000000000000000000a11ce";
  const bad: [string, object][] = [
    ["budgetUsdc", { budgetUsdc: "0" }],
    ["budgetUsdc", { budgetUsdc: "-1" }],
    ["budgetUsdc", { budgetUsdc: "1.1234567" }],
    ["budgetUsdc", { budgetUsdc: 5 }],
    ["budgetUsdc", {}],
    ["expiresInDays", { budgetUsdc: "1", expiresInDays: 0 }],
    ["expiresInDays", { budgetUsdc: "1", expiresInDays: 366 }],
    ["expiresInDays", { budgetUsdc: "1", expiresInDays: 1.5 }],
    ["metadataHash", { budgetUsdc: "1", metadataHash: "0x12" }],
    ["escrowAddress", { budgetUsdc: "1", escrowAddress: nowhere }],
    ["escrowAddress", { budgetUsdc: "1", escrowAddress: "escrow" }],
    ["linkOrigin", { budgetUsdc: "1", linkOrigin: "https://evil.example" }],
    ["linkOrigin", { budgetUsdc: "1", linkOrigin: `${OTHER_ORIGIN}.evil.example` }],
    ["linkOrigin", { budgetUsdc: "1", linkOrigin: `${OTHER_ORIGIN}/path` }],
    ["linkOrigin", { budgetUsdc: "1", linkOrigin: `https://user:pass@${new URL(OTHER_ORIGIN).host}` }],
    ["linkOrigin", { budgetUsdc: "1", linkOrigin: "javascript:alert(1)" }],
    ["linkOrigin", { budgetUsdc: "1", linkOrigin: "" }],
    ["guestEmail", { budgetUsdc: "1", guestEmail: "nobody" }],
    ["guestEmail", { budgetUsdc: "1", guestEmail: "a@example.com\r\nBcc: b@example.com" }],
    ["guestName", { budgetUsdc: "1", guestName: "a\r\nb" }],
    ["buyerName", { budgetUsdc: "1", buyerName: "a\u0007" }],
    ["guestName", { budgetUsdc: "1", guestName: "n".repeat(201) }],
    ["tripSummary", { budgetUsdc: "1", tripSummary: "t".repeat(2_001) }],
    ["tripSummary", { budgetUsdc: "1", tripSummary: "a\u001b[31m" }],
    ["metadataCID", { budgetUsdc: "1", metadataCID: "c".repeat(201) }],
    ["agentTokenId", { budgetUsdc: "1", agentTokenId: "0x11" }],
    ["agentTokenId", { budgetUsdc: "1", agentTokenId: "9".repeat(79) }],
    ["require2FA", { budgetUsdc: "1", require2FA: true }],
  ];

  it.each(bad)("%s: %j", async (path, args) => {
    const before = await trips();
    const answer = await service.call("prefund_trip", args);
    expect(answer).toMatchObject({ status: 400, body: { code: "invalid_input", issues: [{ path }] } });
    if (path === "escrowAddress") expect(answer.text).toContain("the operator to allow it");
    expect(await trips()).toEqual(before);
  });

  it.each(["999999999", "9".repeat(78)])("no agent has the id %s", async (agentTokenId) => {
    const before = await trips();
    const answer = await service.call("prefund_trip", { budgetUsdc: "1", agentTokenId });
    expect(answer).toMatchObject({ status: 500, body: { code: "agent_not_found", retryable: false } });
    expect(await trips()).toEqual(before);
  });

  it("are distinguished from valid ones", async () => {
    const trip = await prefund({
      budgetUsdc: "1",
      expiresInDays: 365,
      metadataCID: "bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi",
      metadataHash: `0x${"AB".repeat(32)}`,
      agentTokenId: "1",
      escrowAddress: (await escrow.escrowAddress()).toUpperCase().replace("0X", "0x"),
      linkOrigin: `${OTHER_ORIGIN}/`,
      guestName: "Ána <b>",
      buyerName: "n".repeat(200),
      tripSummary: "Lisbon\n\tthree nights",
    });
    expect(trip.guestLink.startsWith(`${OTHER_ORIGIN}/claim/${trip.tripId}#`)).toBe(true);
    const [row] = await service.sql("select details from trip where trip_id = $1", [trip.tripId]);
    expect(row?.details).toMatchObject({ metadataHash: `0x${"ab".repeat(32)}`, guestName: "Ána <b>" });
  });
});

describe("the guest", () => {
  it("gets a mail with the link and never the code, and neither the database nor the log has them", async () => {
    const guestEmail = `guest-${randomUUID()}@example.com`;
    const trip = await prefund({ budgetUsdc: "3", require2fa: true, guestEmail, tripSummary: "Lisbon" });
    expect(trip).toMatchObject({ emailSent: true });
    expect(trip).not.toHaveProperty("emailNote");
    const mails = mail.received.filter(({ to }) => to.includes(guestEmail));
    expect(mails).toHaveLength(1);
    expect(mails[0]?.parsed.text).toContain(trip.guestLink);
    // The call's trace id, as stored with the trip.
    const [{ trace_id: traceId } = {}] = await service.sql("select trace_id from trip where trip_id = $1", [
      trip.tripId,
    ]);
    expect(mails[0]?.raw).toMatch(new RegExp(`^X-Trace-Id: ${String(traceId)}\r$`, "im"));
    expect(traceId).toMatch(/^[0-9a-f]{32}$/);
    const { claimCode = "" } = trip;
    expect(claimCode).toMatch(/^\d{6}$/);
    expect(mails[0]?.parsed.text).not.toContain(claimCode);
    expect(mails[0]?.parsed.html).not.toContain(claimCode);
    // A waiting caller can get the outcome before the submitter has logged it.
    await expect.poll(() => logged).toContain(trip.txHash);
    const secret = readGuestLink(trip.guestLink)?.linkSecret ?? "";
    expect(secret).toHaveLength(43);
    for (const hidden of [secret, guestEmail]) expect(await searchDatabase(service, hidden)).toEqual([]);
    // Six digits can occur in any hash or time, but not as a separate value.
    const alone = new RegExp(`(?<![0-9a-fA-F.])${claimCode}(?![0-9a-fA-F.])`);
    expect(`"claimCode":"${claimCode}"`).toMatch(alone);
    expect((await searchDatabase(service, claimCode)).filter((row) => alone.test(row))).toEqual([]);
    expect(logged).not.toMatch(alone);
    for (const hidden of [secret, guestEmail]) expect(logged).not.toContain(hidden);
    // Controls: the search finds stored values.
    expect(await searchDatabase(service, trip.codeNonce)).not.toEqual([]);
  });
});

describe("the origins of guest links", () => {
  const own = "https://own.example";
  /** `npm run tenant -- link-origins …`, within this process. */
  async function linkOrigins(...args: string[]) {
    let text = "";
    const write = (part: string) => {
      text += part;
    };
    const line = ["link-origins", ...args, "--json"];
    const code = await runProgram(tenantProgram, line, { out: write, error: write }, service.operator);
    return { code, text };
  }

  it("are allowed to one tenant by command, from its next call on, and audited", async () => {
    const { tenantId, as } = await newFundedTenant(service, "Allowed");
    const args = { budgetUsdc: "1", linkOrigin: own };
    const refused = async (caller: object, id: string) => {
      const before = await trips();
      const { status, body } = await service.call("prefund_trip", args, caller);
      const message = expect.stringContaining(`npm run tenant -- link-origins ${id} --add`);
      expect({ status, body }).toMatchObject({ status: 400, body: { issues: [{ path: "linkOrigin", message }] } });
      expect(await trips()).toEqual(before);
    };
    await refused(as, tenantId);
    expect(await linkOrigins(tenantId, "--add", "HTTPS://Own.Example/")).toMatchObject({ code: 0 });
    const trip = prefunded(await service.call("prefund_trip", args, as));
    expect(trip.guestLink.startsWith(`${own}/claim/${trip.tripId}#`)).toBe(true);
    await refused({}, service.tenantId);

    const listed = JSON.parse((await linkOrigins(tenantId, "--list")).text);
    expect(listed).toEqual({ tenantId, linkOrigins: [own] });
    expect(await linkOrigins(tenantId, "--remove", own)).toMatchObject({ code: 0 });
    await refused(as, tenantId);
    const again = await linkOrigins(tenantId, "--remove", own);
    expect(again).toEqual({ code: 2, text: expect.stringContaining("is not among this tenant's link origins") });
    const lines = await service.sql(
      "select actor, details from audit_log where tenant_id = $1 and action = 'tenant.link_origins' order by id",
      [tenantId],
    );
    expect(lines).toEqual([
      { actor: "command", details: { before: [], after: [own] } },
      { actor: "command", details: { before: [own], after: [] } },
    ]);
  });

  it.each([
    "http://own.example",
    "https://own.example/claim",
    "https://user:pass@own.example",
    "https://*.own.example",
    "own.example",
    "javascript:alert(1)",
  ])("are not %s by command", async (origin) => {
    const outcome = await linkOrigins(service.tenantId, "--add", origin);
    expect(outcome).toEqual({ code: 2, text: expect.stringContaining("--add must be one https origin") });
  });

  it("are the application host's, and those that the operator lists", () => {
    expect(readConfig({ LINK_ORIGINS: " https://A.example , http://b.example:8080/ ," }).linkOrigins).toEqual([
      "https://a.example",
      "http://b.example:8080",
    ]);
    expect(readConfig({}).linkOrigins).toEqual([]);
    for (const LINK_ORIGINS of [
      "a.example",
      "https://a.example/claims",
      "ftp://a.example",
      "https://*.example.com/x",
    ]) {
      expect(() => readConfig({ LINK_ORIGINS })).toThrow(ConfigError);
    }
  });

  it.each([
    ["https://app.example.com", "https://app.example.com"],
    ["HTTPS://App.Example.com/", "https://app.example.com"],
    ["https://app.example.com:443", "https://app.example.com"],
    ["http://127.0.0.1:3000", "http://127.0.0.1:3000"],
    ["https://app.example.com:80", "https://app.example.com:80"],
    ["https://app.example.com/a", undefined],
    ["https://app.example.com?a", undefined],
    ["https://app.example.com#a", undefined],
    ["https://a@app.example.com", undefined],
    [" https://app.example.com", undefined],
    ["https://app.example.com\n", undefined],
    ["data:text/html,x", undefined],
    ["//app.example.com", undefined],
    [`https://${"a".repeat(400)}`, undefined],
  ])("reads %j as %j", (text, origin) => expect(readWebOrigin(text)).toBe(origin));
});

describe("a guest link", () => {
  const tripId = `0x${"ab".repeat(32)}`;
  const secret = "s".repeat(43);
  it.each([
    `https://app.example/claim/${tripId}#${secret}`,
    `http://127.0.0.1:3000/claim/0x${"AB".repeat(32)}#${secret}`,
  ])("is read: %s", (text) => expect(readGuestLink(text)).toEqual({ tripId, linkSecret: secret }));

  it.each([
    "",
    "claim",
    `https://app.example/claim/${tripId}`,
    `https://app.example/claim/${tripId}#`,
    `https://app.example/claim/${tripId}#${secret}x`,
    `https://app.example/claim/${tripId}#${secret.slice(1)}`,
    `https://app.example/claim/${tripId}#${secret.slice(1)}%73`,
    `https://app.example/claim/${tripId}?x=1#${secret}`,
    `https://app.example/claim/${tripId}/#${secret}`,
    `https://app.example/claim/x/../../${tripId}#${secret}`,
    `https://app.example/claim/${tripId.slice(0, -1)}#${secret}`,
    `https://app.example/claims/${tripId}#${secret}`,
    `javascript:/claim/${tripId}#${secret}`,
    `file:///claim/${tripId}#${secret}`,
    `/claim/${tripId}#${secret}`,
    `https://app.example/claim/${tripId}#${secret}${" ".repeat(1_000_000)}`,
  ])("is not read: %.80s", (text) => expect(readGuestLink(text)).toBeUndefined());
});
