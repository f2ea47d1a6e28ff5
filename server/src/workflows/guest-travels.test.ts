import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import type { TestService } from "../../test/support/service.ts";
import { openSharedService } from "../../test/support/shared-service.ts";
import { requireResult } from "../../test/support/treasury.ts";

const inDays = (days: number): string => Temporal.Now.plainDateISO("UTC").add({ days }).toString();
const GUEST = { givenName: "Grete", familyName: "Hermann", bornOn: "1991-03-02", title: "ms", gender: "f" };
const CONTACT = { email: "grete.hermann@example.com", phoneNumber: "+4915112345678" };

let service: TestService;
beforeAll(async () => {
  service = await openSharedService();
});
afterAll(() => service?.[Symbol.asyncDispose]());

const call = async (tool: string, args: object) => requireResult(await service.call(tool, args));
const post = (path: string, body: object) =>
  service.send(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });

async function prefund(more: object) {
  const trip = await call("prefund_trip", { budgetUsdc: "900", ...more });
  const tripId = String(trip.tripId);
  return { ...trip, tripId, claimCode: trip.claimCode, linkSecret: new URL(String(trip.guestLink)).hash.slice(1) };
}
const claim = ({ guestLink, codeNonce, claimCode }: Record<string, unknown>) =>
  call("guest_claim_link", { guestLink, codeNonce, claimCode, guestWallet: `0x${randomBytes(20).toString("hex")}` });
const give = (tripId: string, body: object) => post(`/api/claims/${tripId}/traveler`, body);

const flight = (tripId: string, more: object = {}) =>
  call("run_workflow", {
    workflowId: "service.book_flight",
    input: { tripId, origin: "LHR", destination: "CDG", departureDate: inDays(60), acceptOverlap: true, ...more },
  });
const stay = (tripId: string, more: object = {}) =>
  call("run_workflow", {
    workflowId: "service.book_stay",
    input: {
      tripId,
      location: "London",
      checkInDate: inDays(60),
      checkOutDate: inDays(62),
      refundableOnly: true,
      acceptOverlap: true,
      email: CONTACT.email,
      ...more,
    },
  });
const resume = ({ sessionId }: Record<string, unknown>, resolution: object) =>
  call("resume_run", { sessionId, resolution });
const read = ({ runId }: Record<string, unknown>) => call("read_run", { runId });
const ended = async (run: Record<string, unknown>) => {
  await expect.poll(async () => (await read(run)).status, { timeout: 30_000 }).toBe("completed");
  return Object((await read(run)).result);
};
const Order = z.object({ travelers: z.array(z.object({ userId: z.string().optional(), givenName: z.string() })) });
const readTravelers = async ({ orderId }: { orderId: string }) =>
  Order.parse(await call("read_order", { orderId })).travelers;

async function customer(userId: string, email: string): Promise<string> {
  await call("save_traveler", { userId, ...GUEST, ...CONTACT, givenName: "Emmy", email });
  return String((await call("ensure_flight_customer", { clerkUserId: userId })).customerUserId);
}

describe("a trip that was prefunded for nobody by name", () => {
  it("says at once that its own buyer can claim it, with the treasury wallet", async () => {
    const { tripId, ...own } = await prefund({});
    const run = await flight(tripId);
    expect(run).toMatchObject({ status: "paused", nextStepId: "guest_claim" });
    expect(run.pauseReason).toMatch(/If it is your own, claim it now: guest_claim_link .*check_treasury/);
    const { address: guestWallet } = await call("check_treasury", {});
    const { guestLink, codeNonce } = Object(own);
    await call("guest_claim_link", { guestLink, codeNonce, guestWallet });
    await expect.poll(async () => (await read(run)).nextStepId, { timeout: 30_000 }).not.toBe("guest_claim");
    const forGuest = await flight((await prefund({ guestName: "Grete" })).tripId);
    expect(forGuest.pauseReason).toMatch(/^The guest has not claimed the trip yet/);
  });
});

describe("a trip that was prefunded for a guest", () => {
  it("waits for the guest's details from the page, and the guest flies", async () => {
    const trip = await prefund({ guestName: "Grete", guestEmail: CONTACT.email, require2fa: true });
    const { tripId, linkSecret, claimCode } = trip;
    const details = { ...GUEST, phoneNumber: CONTACT.phoneNumber };
    const early = await give(tripId, { linkSecret, claimCode, ...details });
    expect([early.status, early.body.reason]).toEqual([409, "not_claimed"]);
    await claim(trip);
    const guestUserId = `guest_${tripId.slice(2)}`;

    const run = await flight(tripId);
    const missing = ["givenName", "familyName", "bornOn", "title", "gender", "email", "phoneNumber"];
    expect(run).toMatchObject({
      status: "paused",
      nextStepId: "traveler_profile",
      decidedBy: "caller",
      shown: { travelers: [{ userId: guestUserId, missing }] },
    });

    const withoutCode = await give(tripId, { linkSecret, ...details });
    expect([withoutCode.status, withoutCode.body.reason]).toEqual([409, "claim_code_required"]);
    const wrong = await give(tripId, {
      linkSecret,
      ...details,
      claimCode: claimCode === "111111" ? "222222" : "111111",
    });
    expect([wrong.status, wrong.body.reason, wrong.body.attemptsLeft]).toEqual([409, "claim_code_wrong", 4]);
    const given = await give(tripId, { linkSecret, claimCode, ...details });
    expect([given.status, given.body]).toEqual([200, { tripId, travelerMissing: [] }]);

    const result = await ended(run);
    expect(result.travelers).toEqual([{ userId: guestUserId, givenName: "Grete", familyName: "Hermann" }]);
    expect(await readTravelers(result)).toMatchObject([{ userId: guestUserId, givenName: "Grete" }]);

    // A later holder of the link cannot put anybody else on a flight.
    expect((await give(tripId, { linkSecret, claimCode, ...details })).status).toBe(200);
    const other = await give(tripId, { linkSecret, claimCode, ...details, givenName: "Mallory" });
    expect([other.status, other.body.reason]).toEqual([409, "traveler_given"]);
  });

  it("waits for a profile that an agent saves, and asks again while it is incomplete", async () => {
    const trip = await prefund({ guestName: "Grete" });
    await claim(trip);
    const run = await flight(trip.tripId);
    const asked = Object(run.shown).travelers[0];
    await call("save_traveler", { userId: asked.userId, ...GUEST });
    const again = await resume(run, { status: "given" });
    expect(again).toMatchObject({ status: "paused", nextStepId: "traveler_profile:2" });
    expect(again.shown).toMatchObject({ travelers: [{ missing: ["email", "phoneNumber"] }] });
    // Another trip's guest may have the same address: their data stays separate.
    await call("save_traveler", { userId: asked.userId, ...CONTACT });
    const last = await resume(again, { status: "given" });
    const { travelers } = await ended(last);
    expect(travelers).toMatchObject([{ userId: asked.userId, givenName: "Grete" }]);
  });

  it("flies others if the input names all of them, and fails if nobody completes a profile", async () => {
    const customerUserIds = [await customer("user_emmy", "emmy@example.com")];
    const trip = await prefund({ guestName: "Grete" });
    await claim(trip);
    const refused = await service.call("run_workflow", {
      workflowId: "service.book_flight",
      input: {
        tripId: trip.tripId,
        origin: "LHR",
        destination: "CDG",
        departureDate: inDays(60),
        passengers: 2,
        customerUserIds,
      },
    });
    expect([refused.status, refused.body.issues]).toEqual([
      400,
      [{ path: "input.customerUserIds", message: expect.stringContaining("as many as passengers") }],
    ]);
    const { travelers } = await ended(await flight(trip.tripId, { customerUserIds }));
    expect(travelers).toEqual([{ userId: "user_emmy", givenName: "Emmy", familyName: "Hermann" }]);

    const run = await flight(trip.tripId);
    expect(await resume(run, { status: "cancelled" })).toMatchObject({
      status: "failed",
      failure: { code: "traveler_incomplete" },
    });
  });

  it("flies the guest first of several, with those whom a pause names", async () => {
    const other = await customer("user_amalie", "amalie@example.com");
    const trip = await prefund({ guestName: "Grete" });
    await claim(trip);
    const asked = await flight(trip.tripId, { passengers: 2 });
    expect(asked).toMatchObject({
      nextStepId: "travelers",
      pauseReason: expect.stringContaining("the guest if the trip was prefunded"),
    });
    const nobody = await resume(asked, { status: "given", customerUserIds: [] });
    expect(nobody).toMatchObject({ nextStepId: "traveler_profile" });
    await give(trip.tripId, { linkSecret: trip.linkSecret, ...GUEST, ...CONTACT });
    await expect.poll(async () => (await read(nobody)).nextStepId).toBe("travelers:2");
    const { travelers } = await ended(await resume(await read(nobody), { status: "given", customerUserIds: [other] }));
    expect(travelers).toMatchObject([{ givenName: "Grete" }, { userId: "user_amalie" }]);
  });

  it("stays paused when a traveler named for it does not exist, and takes travelers by their user ids", async () => {
    await customer("user_olga", "olga@example.com");
    const trip = await prefund({ guestName: "Grete" });
    await claim(trip);
    await give(trip.tripId, { linkSecret: trip.linkSecret, ...GUEST, ...CONTACT });
    const asked = await flight(trip.tripId, { passengers: 2 });
    const resolve = (customerUserIds: readonly string[]) => ({ status: "given", customerUserIds });
    for (const [named, path] of [
      [["user_olga", "icu_nobody"], "resolution.customerUserIds.1"],
      [["user_olga", "user_olga", "user_olga"], "resolution.customerUserIds"],
    ] as const) {
      const args = { sessionId: asked.sessionId, resolution: resolve(named) };
      const { code, issues } = (await service.call("resume_run", args)).body;
      expect({ code, issues }).toMatchObject({ code: "invalid_input", issues: [{ path }] });
      const { problem } = await call("preview_call", { tool: "resume_run", args });
      expect(problem).toMatchObject({ code, issues });
    }
    expect(await read(asked)).toMatchObject({ status: "paused", nextStepId: "travelers" });
    const { travelers } = await ended(await resume(asked, resolve(["user_olga"])));
    expect(travelers).toMatchObject([{ givenName: "Grete" }, { userId: "user_olga" }]);
  });

  it("lodges the guest, whose booking an erasure finds", async () => {
    const trip = await prefund({ guestName: "Grete", guestEmail: CONTACT.email });
    await claim(trip);
    const run = await stay(trip.tripId);
    const userId = `guest_${trip.tripId.slice(2)}`;
    expect(run).toMatchObject({
      status: "paused",
      nextStepId: "traveler_profile",
      shown: { travelers: [{ userId, missing: ["givenName", "familyName", "phoneNumber"] }] },
    });
    await give(trip.tripId, { linkSecret: trip.linkSecret, ...GUEST, phoneNumber: CONTACT.phoneNumber });
    const result = await ended(run);
    expect(result.travelers).toEqual([{ userId, givenName: "Grete", familyName: "Hermann" }]);
    expect(await readTravelers(result)).toMatchObject([{ userId, givenName: "Grete" }]);

    const headers = { authorization: `Bearer ${service.apiKey}` };
    const erased = await service.send(`/api/travelers/${userId}?confirmFutureBookings=true`, {
      method: "DELETE",
      headers,
    });
    expect(erased.status, erased.text).toBe(200);
    const { runId } = run;
    const rows = [
      ...(await service.sql("select result::text from workflow_run where id = $1", [runId])),
      ...(await service.sql("select shown::text, resolution::text from workflow_pause where run_id = $1", [runId])),
      ...(await service.sql("select outcome::text from workflow_step where run_id = $1", [runId])),
      ...(await service.sql("select travelers::text, result::text from booking where result ->> 'orderId' = $1", [
        result.orderId,
      ])),
    ];
    expect(rows.filter((row) => /guest_[0-9a-f]{64}|Grete|grete/.test(JSON.stringify(row)))).toEqual([]);
    expect(Object(await read(run)).result.travelers).toMatchObject([{ givenName: "(erased)" }]);
  });

  it("lodges others if the input names them", async () => {
    const customerUserIds = [await customer("user_ingrid", "ingrid@example.com")];
    const trip = await prefund({ guestName: "Grete" });
    await claim(trip);
    const { travelers } = await ended(await stay(trip.tripId, { customerUserIds }));
    expect(travelers).toEqual([{ userId: "user_ingrid", givenName: "Emmy", familyName: "Hermann" }]);
  });
});

describe("a trip without a guest's name and address", () => {
  it("flies the run's own user, and has no guest to ask", async () => {
    const trip = await prefund({});
    const { tripId, linkSecret } = trip;
    await claim(trip);
    const refused = await give(tripId, { linkSecret, ...GUEST, ...CONTACT });
    expect([refused.status, refused.body.reason]).toEqual([409, "no_guest_traveler"]);
    expect((await post(`/api/claims/${tripId}/view`, { linkSecret })).body.travelerMissing).toBeNull();
    const { travelers } = await ended(await flight(tripId));
    expect(travelers).toMatchObject([{ userId: "user_demo", givenName: "Tess" }]);
  });
});

describe("a guest's details", () => {
  it("are refused for wrong codes, each of which is counted, until the claim is locked", async () => {
    const trip = await prefund({ guestName: "Grete", require2fa: true });
    const { tripId, linkSecret, claimCode } = trip;
    await claim(trip);
    const say = async (code: unknown) => {
      const { status, body } = await give(tripId, { linkSecret, ...GUEST, ...CONTACT, claimCode: code });
      return [status, body.reason, body.attemptsLeft];
    };
    const wrong = claimCode === "111111" ? "222222" : "111111";
    for (const left of [4, 3, 2, 1, 0]) expect(await say(wrong)).toEqual([409, "claim_code_wrong", left]);
    expect(await say(claimCode)).toEqual([409, "claim_locked", undefined]);
    expect((await post(`/api/claims/${tripId}/view`, { linkSecret })).body.travelerMissing).toContain("givenName");
  });

  it("are refused if they are wrong, or without the link", async () => {
    const trip = await prefund({ guestName: "Grete" });
    const { tripId, linkSecret } = trip;
    await claim(trip);
    const whole = { linkSecret, ...GUEST, ...CONTACT };
    const answers = await Promise.all([
      give(tripId, { ...whole, bornOn: inDays(1) }),
      give(tripId, { ...whole, givenName: "" }),
      give(tripId, { ...whole, gender: "x" }),
      give(tripId, { linkSecret, ...GUEST, phoneNumber: CONTACT.phoneNumber }),
      give(tripId, { ...whole, linkSecret: "wrong" }),
      give(`0x${"1".repeat(64)}`, whole),
    ]);
    expect(answers.map(({ status, body }) => [status, Object(body.issues)[0]?.path])).toEqual([
      ...[
        [400, "bornOn"],
        [400, "givenName"],
        [400, "gender"],
        [400, "email"],
      ],
      ...[
        [404, undefined],
        [404, undefined],
      ],
    ]);
    expect(answers.map(({ text }) => text).join()).not.toContain("Hermann");
    const profile = await service.send(`/api/travelers/guest_${tripId.slice(2)}`, {
      headers: { authorization: `Bearer ${service.apiKey}` },
    });
    expect(profile.status).toBe(404);
  });
});
