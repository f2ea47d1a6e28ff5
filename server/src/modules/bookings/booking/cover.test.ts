import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { TestService } from "../../../../test/support/service.ts";
import { openSharedService } from "../../../../test/support/shared-service.ts";
import { requireResult, UNIT } from "../../../../test/support/treasury.ts";
import { requireCover } from "./cover.ts";

const RESERVED = 100n * UNIT;

let service: TestService;
let cover: { tripId: string; bookingId: string };
beforeAll(async () => {
  service = await openSharedService();
  const { tripId, guestLink, codeNonce } = requireResult(await service.call("prefund_trip", { budgetUsdc: "200" }));
  const guestWallet = `0x${randomBytes(20).toString("hex")}`;
  requireResult(await service.call("guest_claim_link", { guestLink, codeNonce, guestWallet }));
  const reserved = requireResult(await service.call("reserve_booking", { tripId, upperBoundUsdc: "100" }));
  cover = { tripId: String(tripId), bookingId: String(reserved.bookingId) };
});
afterAll(() => service[Symbol.asyncDispose]());

const find = ({ tenantId = service.tenantId, amount = RESERVED } = {}) =>
  service.operator(({ spending }) =>
    spending.transaction((aggregates) =>
      requireCover(aggregates, { tenantId, environment: "sandbox", amount }, cover).catch(({ code }) => code),
    ),
  );
const set = (assignment: string) =>
  service.sql(`update escrow_booking set ${assignment} where tenant_id = $1 and booking_id = $2`, [
    service.tenantId,
    cover.bookingId,
  ]);

test("a reservation pays for what it covers, and only for its own tenant", async () => {
  expect(await find()).toBe(cover.bookingId);
  expect(await find({ amount: RESERVED + 1n })).toBe("reservation_not_available");
  expect(await find({ tenantId: "ten_other" })).toBe("reservation_not_available");
});

test.each([
  ["with a step under way", `pending = '{"step":"cancel","transactionId":"t","details":{}}'`, "pending = null"],
  ["that pays for something else", "state = 'committed'", "state = 'reserved'"],
])("a reservation %s pays for nothing", async (_name, changed, back) => {
  await set(changed);
  const found = await find();
  await set(back);
  expect(found).toBe("reservation_not_available");
  expect(await find()).toBe(cover.bookingId);
});
