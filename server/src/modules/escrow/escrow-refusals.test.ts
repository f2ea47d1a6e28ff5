import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type BookingTool,
  cancelArgs,
  commitArgs,
  type Escrow,
  freshHash,
  journey,
  openEscrow,
  ticketArgs,
} from "../../../test/support/escrow.ts";
import type { Answer, TestService } from "../../../test/support/service.ts";
import { openSharedService } from "../../../test/support/shared-service.ts";
import { newFundedTenant, requireResult, stranger } from "../../../test/support/treasury.ts";
import type { Hex } from "../../domain/tokens.ts";

/** Refusals of steps of trips and bookings, before anything is stored. */
let service: TestService;
let escrow: Escrow;
let tripId: Hex;
let own: Hex;
let other: Awaited<ReturnType<typeof newFundedTenant>>;
beforeAll(async () => {
  service = await openSharedService();
  escrow = openEscrow(service);
  await service.isFunded(service.tenantId);
  own = await escrow.findTreasury(service.tenantId);
  other = await newFundedTenant(service, "Other");
  tripId = await escrow.prefund("10000");
});
afterAll(async () => {
  await escrow.close();
  await service[Symbol.asyncDispose]();
});

const answerCode = ({ body }: Answer) => body.code;

describe("out of order", () => {
  const refused: readonly [BookingTool, readonly string[]][] = [
    ["reserve_booking", ["confirm_flight", "settle_booking"]],
    ["commit_booking", ["settle_booking"]],
    ["settle_booking", ["cancel_booking"]],
    ["cancel_booking", ["commit_booking", "confirm_flight", "settle_booking"]],
  ];

  it.each(refused)("after %s: %j are refused and move nothing", async (last, tools) => {
    const bookingId = await escrow.bookingAfter(tripId, last);
    const [count, trip, balance] = [
      await escrow.countSteps(),
      await escrow.trip(tripId),
      await escrow.readBalance(own),
    ];
    for (const tool of tools) {
      const args =
        tool === "cancel_booking"
          ? cancelArgs(bookingId, tripId)
          : journey.find((step) => step.tool === tool)?.buildArgs(bookingId);
      const answer = await service.call(tool, args);
      expect(answer.status).toBe(500);
      expect(answer.body).toMatchObject({ code: "wrong_state", retryable: false });
    }
    const again = await service.call("reserve_booking", { tripId, bookingId, upperBoundUsdc: "10" });
    if (last === "cancel_booking") expect(again.body).toMatchObject({ code: "wrong_state", state: "cancelled" });
    expect(await escrow.countSteps()).toBe(count);
    expect(await escrow.trip(tripId)).toEqual(trip);
    expect(await escrow.readBalance(own)).toBe(balance);
  });
});

describe("ids that are not the caller's", () => {
  it("do not exist: another tenant's", async () => {
    const bookingId = await escrow.bookingAfter(tripId, "confirm_flight");
    const asks: readonly [string, object, string][] = [
      ["reserve_booking", { tripId, upperBoundUsdc: "1" }, "trip_not_found"],
      ["log_agent_action", { tripId }, "trip_not_found"],
      ["commit_booking", commitArgs(bookingId), "booking_not_found"],
      ["confirm_flight", ticketArgs(bookingId), "booking_not_found"],
      ["settle_booking", { bookingId }, "booking_not_found"],
      ["cancel_booking", cancelArgs(bookingId, tripId), "booking_not_found"],
    ];
    for (const [tool, args, code] of asks) expect(answerCode(await service.call(tool, args, other.as))).toBe(code);
    expect((await escrow.booking(bookingId)).state).toBe("confirmed");
  });

  it("a booking's id is unique only within its tenant", async () => {
    const bookingId = freshHash();
    const theirs = await escrow.prefund("5", {}, other.as);
    requireResult(await service.call("reserve_booking", { tripId: theirs, bookingId, upperBoundUsdc: "5" }, other.as));
    requireResult(await service.call("reserve_booking", { tripId, bookingId, upperBoundUsdc: "7" }));
    requireResult(await service.call("cancel_booking", cancelArgs(bookingId, tripId)));
    expect(await escrow.bookingOnChain(tripId, bookingId)).toMatchObject({ state: "cancelled", reserved: 7_000_000n });
    expect(await escrow.bookingOnChain(theirs, bookingId)).toMatchObject({ state: "reserved", reserved: 5_000_000n });
  });

  it.each([freshHash(), "0x12", "trip_1", ""])("neither do unknown ones: %s", async (id) => {
    expect(answerCode(await service.call("reserve_booking", { tripId: id, upperBoundUsdc: "1" }))).toBe(
      "trip_not_found",
    );
    expect(answerCode(await service.call("log_agent_action", { tripId: id }))).toBe("trip_not_found");
    expect(answerCode(await service.call("settle_booking", { bookingId: id }))).toBe("booking_not_found");
    const bookingId = await escrow.bookingAfter(tripId, "reserve_booking");
    const cancel = { ...cancelArgs(bookingId, tripId), tripId: id };
    expect(answerCode(await service.call("cancel_booking", cancel))).toBe("booking_not_found");
  });

  it("a booking is not cancelled under another trip of the same tenant", async () => {
    const bookingId = await escrow.bookingAfter(tripId, "reserve_booking");
    const cancel = { ...cancelArgs(bookingId, tripId), tripId: await escrow.prefund("5") };
    expect(answerCode(await service.call("cancel_booking", cancel))).toBe("booking_not_found");
  });
});

describe("invalid arguments", () => {
  const bad: readonly [string, string, (bookingId: Hex) => object][] = [
    ...["0", "-1", "1e3", "1.1234567", "9223372036854.775808", "", "1,5"].map(
      (amount): [string, string, () => object] => [
        "reserve_booking",
        "upperBoundUsdc",
        () => ({ tripId, upperBoundUsdc: amount }),
      ],
    ),
    ["reserve_booking", "bookingId", () => ({ tripId, upperBoundUsdc: "1", bookingId: "0x12" })],
    ["reserve_booking", "escrowAddress", () => ({ tripId, upperBoundUsdc: "1", escrowAddress: stranger() })],
    ["commit_booking", "vendorAmountUsdc", (id) => ({ ...commitArgs(id), vendorAmountUsdc: "0" })],
    ["commit_booking", "feeAmountUsdc", (id) => ({ ...commitArgs(id), feeAmountUsdc: "-0.1" })],
    ["commit_booking", "vendorAddress", (id) => ({ ...commitArgs(id), vendorAddress: `0x${"0".repeat(40)}` })],
    ["commit_booking", "vendorAddress", (id) => ({ ...commitArgs(id), vendorAddress: own })],
    ["commit_booking", "vendorAddress", (id) => ({ ...commitArgs(id), vendorAddress: escrow.usdc })],
    ["commit_booking", "itineraryHash", (id) => ({ ...commitArgs(id), itineraryHash: "0x17" })],
    ["confirm_flight", "ticketOrderHash", (id) => ({ bookingId: id, ticketOrderHash: "TK-1" })],
    ["cancel_booking", "reason", (id) => ({ ...cancelArgs(id, tripId), reason: "because" })],
    ["log_agent_action", "feeMicroUsdc", () => ({ tripId, feeMicroUsdc: "0.5" })],
    ["log_agent_action", "actionType", () => ({ tripId, actionType: "dance" })],
    ...["0", "1.5", "-1"].map((costMicroUsdc): [string, string, (id: Hex) => object] => [
      "confirm_booking",
      "costMicroUsdc",
      (bookingId) => ({ ...pricedArgs(bookingId), costMicroUsdc }),
    ]),
    ["confirm_booking", "markupMicroUsdc", (id) => ({ ...pricedArgs(id), markupBps: 1, markupMicroUsdc: "1" })],
    ["confirm_booking", "markupBps", (id) => ({ ...pricedArgs(id), markupBps: 10_001 })],
  ];
  const pricedArgs = (bookingId: Hex) => {
    const { vendorAddress, itineraryHash } = commitArgs(bookingId);
    return { bookingId, costMicroUsdc: "9000000", vendorAddress, itineraryHash };
  };

  it("are named, and nothing is stored", async () => {
    const bookingId = await escrow.bookingAfter(tripId, "reserve_booking");
    const count = await escrow.countSteps();
    for (const [tool, path, buildArgs] of bad) {
      const answer = await service.call(tool, buildArgs(bookingId));
      expect(answer.body, `${tool} ${JSON.stringify(buildArgs(bookingId))}`).toMatchObject({
        code: "invalid_input",
        issues: [expect.objectContaining({ path })],
      });
      expect(answer.status).toBe(400);
    }
    const address = await escrow.escrowAddress();
    const shouted = address.toUpperCase().replace("0X", "0x");
    const vendor = await service.call("commit_booking", { ...commitArgs(bookingId), vendorAddress: address });
    expect(vendor.body).toMatchObject({ code: "invalid_input", issues: [{ path: "vendorAddress" }] });
    expect(await escrow.countSteps()).toBe(count);
    // Control: the escrow of this network may be named.
    requireResult(await service.call("commit_booking", { ...commitArgs(bookingId), escrowAddress: shouted }));
  });
});

describe("limits", () => {
  it("a reservation fits into the free budget", async () => {
    const small = await escrow.prefund("100");
    requireResult(await service.call("reserve_booking", { tripId: small, upperBoundUsdc: "60" }));
    const answer = await service.call("reserve_booking", { tripId: small, upperBoundUsdc: "40.000001" });
    expect(answer.body).toMatchObject({
      code: "insufficient_budget",
      retryable: false,
      needsUsdc: "40.000001",
      freeUsdc: "40.00",
      missingUsdc: "0.000001",
    });
    requireResult(await service.call("reserve_booking", { tripId: small, upperBoundUsdc: "40" }));
  });

  it("a commit fits into its reservation, fees included", async () => {
    const bookingId = await escrow.bookingAfter(tripId, "reserve_booking");
    const over = { ...commitArgs(bookingId), vendorAmountUsdc: "9.500001" };
    expect((await service.call("commit_booking", over)).body).toMatchObject({
      code: "exceeds_reservation",
      needsUsdc: "10.000001",
      reservedUsdc: "10.00",
      missingUsdc: "0.000001",
    });
    requireResult(await service.call("commit_booking", { ...over, vendorAmountUsdc: "9.5" }));
  });

  it("an expired trip takes nothing new, and committed bookings continue", async () => {
    const brief = await escrow.prefund("50");
    const reserved = await escrow.bookingAfter(brief, "reserve_booking");
    const committed = await escrow.bookingAfter(brief, "commit_booking");
    await service.sql("update trip set expires_at = now() - interval '1 second' where trip_id = $1", [brief]);
    expect(answerCode(await service.call("reserve_booking", { tripId: brief, upperBoundUsdc: "1" }))).toBe(
      "trip_expired",
    );
    expect(answerCode(await service.call("log_agent_action", { tripId: brief }))).toBe("trip_expired");
    expect(answerCode(await service.call("commit_booking", commitArgs(reserved)))).toBe("trip_expired");
    requireResult(await service.call("confirm_flight", ticketArgs(committed)));
    requireResult(await service.call("settle_booking", { bookingId: committed }));
    requireResult(await service.call("cancel_booking", cancelArgs(reserved, brief)));
  });

  it("a key without the scope does nothing", async () => {
    const bookingId = await escrow.bookingAfter(tripId, "reserve_booking");
    const scopes = ["escrow:read", "escrow:write"];
    const { apiKey: key } = await service.operator((identity) =>
      identity.mintKey({ tenantId: service.tenantId, environment: "sandbox", scopes, actor: "test" }),
    );
    const answer = await service.call("cancel_booking", cancelArgs(bookingId, tripId), { key });
    expect(answer.body).toMatchObject({ code: "missing_scope", scope: "escrow:spend" });
  });
});
