import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { type Escrow, HexText, openEscrow } from "../../../test/support/escrow.ts";
import { sendMcp } from "../../../test/support/mcp.ts";
import { searchDatabase } from "../../../test/support/search-database.ts";
import { type CallOptions, startTestService, type TestService } from "../../../test/support/service.ts";
import { newFundedTenant, requireResult, stranger } from "../../../test/support/treasury.ts";
import type { Hex } from "../../domain/tokens.ts";

/** `guest_claim_link` on a started product, over dispatch and MCP; the contract is read by viem. */
let service: TestService;
let escrow: Escrow;
let logged = "";
beforeAll(async () => {
  const logTo = { write: (line: string) => (logged += line) };
  service = await startTestService({ LOG_LEVEL: "debug" }, { logTo });
  escrow = openEscrow(service);
  await service.isFunded(service.tenantId);
});
afterAll(async () => {
  await escrow?.close();
  await service?.[Symbol.asyncDispose]();
});

const Given = z.object({
  tripId: HexText,
  guestLink: z.string(),
  claimCode: z.string().optional(),
  codeNonce: HexText,
  emailNote: z.string().optional(),
});
const prefund = async (args: object = {}, as: CallOptions = {}) =>
  Given.parse(requireResult(await service.call("prefund_trip", { budgetUsdc: "2", ...args }, as)));
const prefundWithCode = async () => {
  const { claimCode, ...trip } = await prefund({ require2fa: true });
  if (claimCode === undefined) throw new Error("there is no code");
  return { ...trip, claimCode };
};
const claim = (args: object, as: CallOptions = {}) => service.call("guest_claim_link", args, as);
const readGuest = async (tripId: Hex) => (await escrow.tripOnChain(tripId)).guest.toLowerCase();
const NOBODY = "0x0000000000000000000000000000000000000000";
const otherThan = (code: string): string => String((Number(code) + 1) % 1_000_000).padStart(6, "0");
const failing = (code: string, more: object = {}) => ({ status: 500, body: { ok: false, code, ...more } });
const wrongCodes = async (tripId: Hex) => (await escrow.trip(tripId)).wrong_codes;

describe("a claim with link and code", () => {
  it("binds the guest's wallet on the chain, once", async () => {
    const { tripId, guestLink, claimCode, codeNonce } = await prefundWithCode();
    expect(await readGuest(tripId)).toBe(NOBODY);
    const guestWallet = stranger();
    const args = { guestLink, claimCode, codeNonce, guestWallet, escrowAddress: await escrow.escrowAddress() };
    const answer = await claim(args);
    const result = requireResult(answer);
    expect(result).toEqual({
      tripId,
      guestWallet,
      waitingRunIds: [],
      claimedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      escrowAddress: args.escrowAddress,
      txHash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      chainId: 5_042_002,
      status: "confirmed",
      source: "embedded-devnet",
      sourceLevel: "embedded",
      sandbox: true,
      asOf: expect.any(String),
    });
    expect(answer.body.priceMicroUsdc).toBe("5000");
    expect((await escrow.client.getTransactionReceipt({ hash: HexText.parse(result.txHash) })).status).toBe("success");
    expect(await readGuest(tripId)).toBe(guestWallet);

    const again = await claim(args);
    expect(requireResult(again)).toEqual(result);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    const paid = await service.sql("select 1 from usage_record where tool = 'guest_claim_link'");
    expect(paid).toHaveLength(1);

    expect(await claim({ ...args, guestWallet: stranger() })).toMatchObject(failing("already_claimed"));
    expect(await readGuest(tripId)).toBe(guestWallet);
    expect(await wrongCodes(tripId)).toBe(0);
  });

  it("works over MCP, and without a code if none is required", async () => {
    const { tripId, guestLink } = await prefund();
    const guestWallet = stranger();
    const { body } = await sendMcp(service, "tools/call", {
      name: "guest_claim_link",
      arguments: { guestLink, guestWallet: `0x${guestWallet.slice(2).toUpperCase()}` },
    });
    expect(body.result).toMatchObject({ structuredContent: { tripId, guestWallet, status: "confirmed" } });
    expect(await readGuest(tripId)).toBe(guestWallet);
  });

  it("leads to a paid booking", async () => {
    const { tripId, guestLink, claimCode } = await prefundWithCode();
    expect((await claim({ guestLink, claimCode, guestWallet: stranger() })).status).toBe(200);
    const bookingId = await escrow.reserve(tripId, "1.5");
    const vendorAddress = stranger();
    const hash = `0x${"1a".repeat(32)}`;
    const amounts = { vendorAmountUsdc: "1.234567", feeAmountUsdc: "0.05" };
    const steps: [string, object][] = [
      ["commit_booking", { bookingId, vendorAddress, itineraryHash: hash, ...amounts }],
      ["confirm_flight", { bookingId, ticketOrderHash: hash }],
      ["settle_booking", { bookingId }],
    ];
    for (const [tool, args] of steps) expect(await service.call(tool, args)).toMatchObject({ status: 200 });
    expect(await escrow.readBalance(vendorAddress)).toBe(1_234_567n);
    expect(await escrow.tripOnChain(tripId)).toMatchObject({ free: 500_000n, held: 0n });
  });

  it("sent 16 times at once is one transaction", async () => {
    const { tripId, guestLink, claimCode } = await prefundWithCode();
    const guestWallet = stranger();
    const answers = await Promise.all(Array.from({ length: 16 }, () => claim({ guestLink, claimCode, guestWallet })));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(answers.map((answer) => requireResult(answer).txHash)).size).toBe(1);
    const steps = await service.sql("select 1 from escrow_step where trip_id = $1 and step = 'claim'", [tripId]);
    expect(steps).toHaveLength(1);
  });
});

describe("a claim fails with its own code", () => {
  it("for a wrong link, whatever is wrong with it", async () => {
    const { tripId, guestLink, claimCode } = await prefundWithCode();
    const other = await prefundWithCode();
    const [page = "", secret = ""] = guestLink.split("#");
    const [, otherSecret = ""] = other.guestLink.split("#");
    const links = [
      page,
      `${page}#`,
      `${page}#${otherSecret}`,
      `${page}#${secret.slice(0, -1)}`,
      `${page}#${secret}x`,
      `${page}?x=1#${secret}`,
      "https://example.com/",
      "not a link",
      "",
      secret,
      `javascript:alert(1)//claim/${tripId}#${secret}`,
    ];
    const long = { guestLink: `${page}#${"x".repeat(100_000)}`, claimCode, guestWallet: stranger() };
    expect(await claim(long)).toMatchObject({ status: 400, body: { code: "invalid_input" } });
    for (const link of links) {
      expect(await claim({ guestLink: link, claimCode, guestWallet: stranger() })).toMatchObject(
        failing("claim_link_invalid"),
      );
    }
    expect(await readGuest(tripId)).toBe(NOBODY);
    expect(await wrongCodes(tripId)).toBe(0);
  });

  it("for another trip's code, and for the fifth wrong one until the buyer unlocks it", async () => {
    const { tripId, guestLink, claimCode } = await prefundWithCode();
    const guestWallet = stranger();
    let other = (await prefundWithCode()).claimCode;
    if (other === claimCode) other = otherThan(other);
    for (const attemptsLeft of [4, 3, 2, 1, 0]) {
      const answer = await claim({ guestLink, claimCode: other, guestWallet });
      expect(answer).toMatchObject(failing("claim_code_wrong", { attemptsLeft, retryable: false }));
    }
    expect(await claim({ guestLink, claimCode, guestWallet })).toMatchObject(failing("claim_locked"));
    expect(await readGuest(tripId)).toBe(NOBODY);
    const byTool = requireResult(await service.call("unlock_claim", { tripId }));
    expect(byTool).toMatchObject({ claim: { isLocked: false, codesLeft: 5 }, guestLink });
    const headers = { authorization: `Bearer ${service.apiKey}` };
    const unlocked = await service.send(`/api/trips/${tripId}/unlock`, { method: "POST", headers });
    expect(unlocked.status).toBe(200);
    expect((await claim({ guestLink, claimCode, guestWallet })).status).toBe(200);
    expect(await readGuest(tripId)).toBe(guestWallet);
    expect(await service.call("unlock_claim", { tripId })).toMatchObject(failing("claim_closed"));
  });

  it("for 16 wrong codes at once: five are counted", async () => {
    const { tripId, guestLink, claimCode } = await prefundWithCode();
    const args = { guestLink, claimCode: otherThan(claimCode), guestWallet: stranger() };
    const answers = await Promise.all(Array.from({ length: 16 }, () => claim(args)));
    const codes = answers.map(({ body }) => String(body.code)).toSorted();
    expect(codes).toEqual([...Array(5).fill("claim_code_wrong"), ...Array(11).fill("claim_locked")]);
    expect(await wrongCodes(tripId)).toBe(5);
  });

  it("for a missing code, which costs no attempt, and for a malformed one", async () => {
    const { tripId, guestLink, claimCode } = await prefundWithCode();
    const guestWallet = stranger();
    expect(await claim({ guestLink, guestWallet })).toMatchObject(failing("claim_code_required"));
    for (const code of ["", "12345", "1234567", "12345a", "١٢٣٤٥٦", ` ${claimCode}`]) {
      const answer = await claim({ guestLink, guestWallet, claimCode: code });
      expect(answer).toMatchObject({ status: 400, body: { code: "invalid_input", issues: [{ path: "claimCode" }] } });
    }
    expect(await wrongCodes(tripId)).toBe(0);
  });

  it("for another trip's code nonce", async () => {
    const { tripId, guestLink, claimCode } = await prefundWithCode();
    const { codeNonce } = await prefund();
    const answer = await claim({ guestLink, claimCode, codeNonce, guestWallet: stranger() });
    expect(answer).toMatchObject(failing("claim_code_wrong", { attemptsLeft: 4 }));
    expect(await readGuest(tripId)).toBe(NOBODY);
  });

  it("for another chain, another contract, and an invalid wallet", async () => {
    const { tripId, guestLink } = await prefund();
    const guestWallet = stranger();
    expect(await claim({ guestLink, guestWallet, chainId: 1 })).toMatchObject(
      failing("wrong_chain", { chainId: 5_042_002 }),
    );
    const refused: [string, object][] = [
      ["escrowAddress", { escrowAddress: stranger() }],
      ["escrowAddress", { escrowAddress: "escrow" }],
      ["guestWallet", { guestWallet: NOBODY }],
      ["guestWallet", { guestWallet: "ana.eth" }],
      ["guestWallet", { guestWallet: await escrow.escrowAddress() }],
      ["guestWallet", { guestWallet: escrow.tokens.USDC }],
      ["chainId", { chainId: 1.5 }],
      ["codeNonce", { codeNonce: "0x12" }],
      ["claimcode", { claimcode: "123456" }],
    ];
    for (const [path, change] of refused) {
      const answer = await claim({ guestLink, guestWallet, ...change });
      expect(answer).toMatchObject({ status: 400, body: { code: "invalid_input", issues: [{ path }] } });
    }
    expect(await readGuest(tripId)).toBe(NOBODY);
  });

  it("for another tenant's trip, which is not found", async () => {
    const { tripId, guestLink } = await prefund();
    const { as } = await newFundedTenant(service, "Another");
    const guestWallet = stranger();
    expect(await claim({ guestLink, guestWallet }, as)).toMatchObject(failing("trip_not_found"));
    const unknown = guestLink.replace(tripId, `0x${"7".repeat(64)}`);
    expect(await claim({ guestLink: unknown, guestWallet })).toMatchObject(failing("trip_not_found"));
    expect(await readGuest(tripId)).toBe(NOBODY);
  });

  it("for an expired trip", async () => {
    const { tripId, guestLink } = await prefund();
    await service.sql("update trip set expires_at = now() - interval '1 second' where trip_id = $1", [tripId]);
    expect(await claim({ guestLink, guestWallet: stranger() })).toMatchObject(failing("trip_expired"));
    expect(await readGuest(tripId)).toBe(NOBODY);
  });

  it("for a closed trip, unless it was claimed before", async () => {
    const { tripId, guestLink } = await prefund();
    const claimed = await prefund();
    const guestWallet = stranger();
    const first = requireResult(await claim({ guestLink: claimed.guestLink, guestWallet }));
    const headers = { authorization: `Bearer ${service.apiKey}` };
    for (const id of [tripId, claimed.tripId]) {
      expect((await service.send(`/api/trips/${id}/close`, { method: "POST", headers })).status).toBe(200);
    }
    expect(await claim({ guestLink, guestWallet })).toMatchObject(failing("trip_closed"));
    expect(await readGuest(tripId)).toBe(NOBODY);
    expect(requireResult(await claim({ guestLink: claimed.guestLink, guestWallet }))).toEqual(first);
  });
});

describe("the guest's secret", () => {
  it("is neither in the database nor in the log, however the claim ended", async () => {
    const { tripId, guestLink, claimCode, emailNote } = await prefundWithCode();
    expect(emailNote).toBeUndefined();
    const [, secret = ""] = guestLink.split("#");
    const guestWallet = stranger();
    const keyed = () => ({ headers: { "idempotency-key": randomUUID() } });
    await claim({ guestLink, claimCode: otherThan(claimCode), guestWallet }, keyed());
    await claim({ guestLink: `${guestLink}x`, claimCode, guestWallet }, keyed());
    await claim({ guestLink, claimCode, guestWallet, chainId: 7 }, keyed());
    await claim({ guestLink, claimCode, guestWallet: "nobody" }, keyed());
    const answer = await claim({ guestLink, claimCode, guestWallet }, keyed());
    expect(answer.status).toBe(200);
    await sendMcp(service, "tools/call", {
      name: "guest_claim_link",
      arguments: { guestLink, claimCode, guestWallet },
    });
    // A waiting caller can get the outcome before the submitter has logged it.
    await expect.poll(() => logged).toContain(String(requireResult(answer).txHash));
    expect(await searchDatabase(service, secret)).toEqual([]);
    const alone = new RegExp(`(?<![0-9a-fA-F.])${claimCode}(?![0-9a-fA-F.])`);
    expect((await searchDatabase(service, claimCode)).filter((row) => alone.test(row))).toEqual([]);
    expect(logged).not.toContain(secret);
    expect(logged).not.toMatch(alone);
    // Controls: the stored values are found.
    expect(await searchDatabase(service, guestWallet)).not.toEqual([]);
    expect(await readGuest(tripId)).toBe(guestWallet);
  });

  it("must be sent by hand without a mail server, and the answer says so", async () => {
    const answer = await service.call("prefund_trip", { budgetUsdc: "1", guestEmail: "ana@example.com" });
    expect(requireResult(answer)).toMatchObject({
      emailSent: false,
      emailNote: expect.stringContaining("no mail server"),
    });
  });
});
