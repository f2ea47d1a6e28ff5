import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cancelArgs, commitArgs, type Escrow, freshHash, journey, openEscrow } from "../../../test/support/escrow.ts";
import type { Answer, TestService } from "../../../test/support/service.ts";
import { openSharedService } from "../../../test/support/shared-service.ts";
import { requireResult, stranger } from "../../../test/support/treasury.ts";
import type { Hex } from "../../domain/tokens.ts";

/** Repeated and concurrent steps: one effect, one answer, one charge. */
let service: TestService;
let escrow: Escrow;
let own: Hex;
let tripId: Hex;
beforeAll(async () => {
  service = await openSharedService();
  escrow = openEscrow(service);
  await service.isFunded(service.tenantId);
  own = await escrow.findTreasury(service.tenantId);
  tripId = await escrow.prefund("10000");
});
afterAll(async () => {
  await escrow.close();
  await service[Symbol.asyncDispose]();
});

describe("repeated with the same meaning", () => {
  it("a reservation happens once", async () => {
    const count = await escrow.countSteps();
    const ask = { tripId: tripId.toUpperCase().replace("0X", "0x"), upperBoundUsdc: "10", bookingId: freshHash() };
    const first = await service.call("reserve_booking", ask);
    const again = await service.call("reserve_booking", { ...ask, tripId, upperBoundUsdc: "10.000" });
    expect(requireResult(again)).toEqual(requireResult(first));
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(await escrow.countSteps()).toBe(count + 1);
    const others = [
      { ...ask, upperBoundUsdc: "11" },
      { ...ask, tripId: await escrow.prefund("20") },
    ];
    for (const changed of others) {
      expect((await service.call("reserve_booking", changed)).body).toMatchObject({
        code: "wrong_state",
        state: "reserved",
      });
    }
  });

  it.each(journey)("$tool happens once", async ({ tool, after, buildArgs }) => {
    const bookingId = await escrow.bookingAfter(tripId, after);
    const first = await service.call(tool, buildArgs(bookingId));
    const count = await escrow.countSteps();
    const again = await service.call(tool, buildArgs(bookingId));
    expect(requireResult(again)).toEqual(requireResult(first));
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(await escrow.countSteps()).toBe(count);
    const meters = [first, again].map(({ headers }) => headers.get("x-service-meter-id"));
    expect(meters[1]).toBe(meters[0]);
  });

  it("a cancellation happens once, whatever the reason", async () => {
    const bookingId = await escrow.bookingAfter(tripId, "cancel_booking");
    const again = await service.call("cancel_booking", { ...cancelArgs(bookingId, tripId), reason: "timeout" });
    expect(requireResult(again)).toMatchObject({ state: "cancelled", reason: "buyer_cancel", refundedUsdc: "10.00" });
    expect(again.headers.get("idempotent-replayed")).toBe("true");
  });

  it("with another meaning it is refused, naming the state", async () => {
    const bookingId = await escrow.bookingAfter(tripId, "confirm_flight");
    for (const change of [
      { vendorAmountUsdc: "8" },
      { feeAmountUsdc: "0" },
      { vendorAddress: stranger() },
      { itineraryHash: freshHash() },
    ]) {
      const answer = await service.call("commit_booking", { ...commitArgs(bookingId), ...change });
      expect(answer.body).toMatchObject({ code: "wrong_state", state: "confirmed", retryable: false });
      expect(answer.body.detail).toBe(
        "The booking is confirmed. It does not allow this step. Next is settle_booking, or cancel_booking.",
      );
    }
    const priced = {
      bookingId,
      costMicroUsdc: "9000000",
      markupMicroUsdc: "500000",
      vendorAddress: commitArgs(bookingId).vendorAddress,
      itineraryHash: commitArgs(bookingId).itineraryHash,
    };
    expect((await service.call("confirm_booking", priced)).body.code).toBe("wrong_state");
    // Refused before the vendor is checked.
    const unpaid = { ...priced, vendorAddress: await escrow.escrowAddress() };
    expect((await service.call("confirm_booking", unpaid)).body.code).toBe("wrong_state");
    const ticket = { bookingId, ticketOrderHash: freshHash() };
    expect((await service.call("confirm_flight", ticket)).body.code).toBe("wrong_state");
  });
});

describe("sixteen concurrent calls", () => {
  it("reserve one booking under one id", async () => {
    const small = await escrow.prefund("100");
    await expectOneEffect("reserve_booking", { tripId: small, bookingId: freshHash(), upperBoundUsdc: "10" });
    expect(await escrow.tripOnChain(small)).toMatchObject({ free: 90_000_000n, held: 10_000_000n });
  });

  it("reserve no more than the budget", async () => {
    const small = await escrow.prefund("100");
    const answers = await sixteen(() => service.call("reserve_booking", { tripId: small, upperBoundUsdc: "9" }));
    const codes = answers.map(({ status, body }) => (status === 200 ? "ok" : body.code)).toSorted();
    expect(codes).toEqual([...Array(5).fill("insufficient_budget"), ...Array(11).fill("ok")]);
    expect(await escrow.tripOnChain(small)).toMatchObject({ free: 1_000_000n, held: 99_000_000n });
    expect(await escrow.trip(small)).toMatchObject({ free_micro: 1_000_000n, promised_micro: 0n });
  });

  it.each(journey)("$tool: one transaction, one answer", async ({ tool, after, buildArgs }) => {
    const bookingId = await escrow.bookingAfter(tripId, after);
    await expectOneEffect(tool, buildArgs(bookingId));
  });

  it("cancel once", async () => {
    const bookingId = await escrow.bookingAfter(tripId, "commit_booking");
    const balance = await escrow.readBalance(own);
    await expectOneEffect("cancel_booking", cancelArgs(bookingId, tripId));
    expect(await escrow.readBalance(own)).toBe(balance + 10_000_000n);
  });

  it("settle or cancel, never both", async () => {
    const bookingId = await escrow.bookingAfter(tripId, "confirm_flight");
    const answers = await sixteen((index) =>
      index % 2 === 0
        ? service.call("settle_booking", { bookingId })
        : service.call("cancel_booking", cancelArgs(bookingId, tripId)),
    );
    const states = new Set(answers.filter(({ status }) => status === 200).map((answer) => requireResult(answer).state));
    expect(states.size).toBe(1);
    const { state } = await escrow.bookingOnChain(tripId, bookingId);
    expect([...states]).toEqual([state]);
    for (const { status, body } of answers) {
      if (status !== 200) expect(["wrong_state", "booking_in_progress"]).toContain(body.code);
    }
    expect((await escrow.booking(bookingId)).state).toBe(state);
  });

  async function expectOneEffect(tool: string, args: object) {
    const count = await escrow.countSteps();
    const records = await service.sql("select tool from usage_record where tool = $1 and tenant_id = $2", [
      tool,
      service.tenantId,
    ]);
    const answers = await sixteen(() => service.call(tool, args));
    const [first] = answers;
    for (const answer of answers) expect(requireResult(answer)).toEqual(requireResult(first ?? answer));
    expect(await escrow.countSteps()).toBe(count + 1);
    // An answer given before the first is charged names no record.
    const meters = new Set(answers.flatMap(({ headers }) => headers.get("x-service-meter-id") ?? []));
    expect(meters.size).toBe(1);
    const paid = await service.sql("select tool from usage_record where tool = $1 and tenant_id = $2", [
      tool,
      service.tenantId,
    ]);
    expect(paid).toHaveLength(records.length + 1);
  }

  const sixteen = (work: (index: number) => Promise<Answer>) =>
    Promise.all(Array.from({ length: 16 }, (_, index) => work(index)));
});

describe("an Idempotency-Key", () => {
  it("finds the reservation that it made, without a booking's id", async () => {
    const headers = { "idempotency-key": freshHash() };
    const count = await escrow.countSteps();
    const ask = { tripId, upperBoundUsdc: "10" };
    const first = await service.call("reserve_booking", ask, { headers });
    const again = await service.call("reserve_booking", ask, { headers });
    expect(requireResult(again)).toEqual(requireResult(first));
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    const changed = await service.call("reserve_booking", { ...ask, upperBoundUsdc: "11" }, { headers });
    expect(changed.body).toMatchObject({ code: "idempotency_mismatch" });
    expect(await escrow.countSteps()).toBe(count + 1);
  });
});
