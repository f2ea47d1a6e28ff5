import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { ApprovalDesk, day, type TestPerson } from "../../../test/support/approval-desk.ts";
import type { TestService } from "../../../test/support/service.ts";
import { openSharedService } from "../../../test/support/shared-service.ts";
import { requireResult, stranger } from "../../../test/support/treasury.ts";

/** A rejection applies to the same purchase however it is requested; an approval applies to one of several identical calls. */

let service: TestService;
let desk: ApprovalDesk;
let approver: TestPerson;
beforeAll(async () => {
  service = await openSharedService();
  await service.isFunded(service.tenantId);
  desk = new ApprovalDesk(service);
  approver = await desk.newPerson("Grace", "approver");
  await desk.enforce({});
});
afterAll(() => service?.[Symbol.asyncDispose]());

const Offer = z.object({
  id: z.string(),
  fareName: z.string().nullish(),
  totalAmount: z.string(),
  slices: z.array(z.object({ segments: z.array(z.object({ flightNumber: z.string() })) })),
});
const search = async (days: number) =>
  z
    .array(Offer)
    .min(2)
    .parse(
      requireResult(
        await service.call("search_flights", { origin: "LHR", destination: "JFK", departureDate: day(days) }),
      ).offers,
    );
const serializeFlights = ({ fareName, slices }: z.output<typeof Offer>) =>
  JSON.stringify([fareName, slices.flatMap(({ segments }) => segments.map(({ flightNumber }) => flightNumber))]);
const book = async (args: object) => (await service.call("book_flight", args)).body;
const reject = async ({ approvalId }: Record<string, unknown>, reason: string) =>
  expect((await desk.decide(approvalId, { decision: "reject", reason }, approver.key)).status).toBe(200);

it("applies to the same flights and fare found again, for the same travelers, at no lower price", async () => {
  const [first, other] = await search(110);
  if (first === undefined || other === undefined) throw new Error("there are no offers");
  const refused = await book({ offerId: first.id });
  expect(refused.code).toBe("approval_required");
  const { approvalId } = refused;
  await reject(refused, "Take the train.");
  const again = (await search(110)).find((offer) => serializeFlights(offer) === serializeFlights(first));
  const { customerUserId } = z.object({ customerUserId: z.string() }).parse(
    requireResult(
      await service.call("ensure_flight_customer", {
        givenName: "Tess",
        familyName: "Traveler",
        email: "tess@example.com",
      }),
    ),
  );
  const said = { code: "approval_rejected", approvalId, reason: "Take the train." };
  for (const args of [
    { offerId: first.id },
    { offerId: again?.id },
    { offerId: again?.id, additionalCustomerUserIds: [customerUserId] },
    { offerId: again?.id, services: [{ id: "ser_1", quantity: 1 }] },
  ]) {
    const body = await book(args);
    expect(body, JSON.stringify(args)).toMatchObject(said);
    expect(body.detail).toMatch(/Take the train.*another flight or a lower price/);
  }
  const preview = await service.call("preview_call", { tool: "book_flight", args: { offerId: again?.id } });
  expect(requireResult(preview)).toMatchObject({ problem: { code: "approval_rejected" } });
  // Controls: another flight, a lower price, and the end of the rejection.
  expect((await book({ offerId: other.id })).code).toBe("approval_required");
  await service.sql("update approval set amount_micro = amount_micro + 1 where tenant_id = $1 and id = $2", [
    service.tenantId,
    approvalId,
  ]);
  const cheaper = await book({ offerId: again?.id });
  expect(cheaper).toMatchObject({ code: "approval_required" });
  expect(cheaper.approvalId).not.toBe(approvalId);
});

it("applies to the same payee and amount, whoever is named as the user", async () => {
  const args = { to: stranger(), amount: "5", token: "USDC" };
  const send = async (more: object, userId?: string) =>
    (await service.call("send_tokens", { ...args, ...more }, userId === undefined ? {} : { userId })).body;
  const refused = await send({});
  await reject(refused, "Not this vendor.");
  const said = { code: "approval_rejected", approvalId: refused.approvalId, reason: "Not this vendor." };
  expect(await send({})).toMatchObject(said);
  expect(await send({}, approver.id)).toMatchObject(said);
  expect((await send({ amount: "6" })).code).toBe("approval_required");
  expect((await send({ to: stranger() })).code).toBe("approval_required");
});

it("each of several identical concurrent calls with one approval gets the booking or learns that it is in progress", async () => {
  const offerId = await desk.anOffer(112);
  const { approvalId } = await book({ offerId });
  await desk.decide(approvalId, { decision: "approve" }, approver.key);
  const answers = await Promise.all(Array.from({ length: 8 }, () => service.call("book_flight", { offerId })));
  const codes = new Set(answers.map(({ body }) => (body.ok === true ? "booked" : String(body.code))));
  expect(codes.isSubsetOf(new Set(["booked", "in_progress", "booking_in_progress"])), [...codes].join()).toBe(true);
  expect(codes).toContain("booked");
  expect(requireResult(await service.call("book_flight", { offerId }))).toHaveProperty("orderId");
  const asked = await service.sql("select id from approval where tenant_id = $1 and id > $2", [
    service.tenantId,
    approvalId,
  ]);
  expect(asked).toEqual([]);
});
