import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import type { TestService } from "../../../../test/support/service.ts";
import { openSharedService } from "../../../../test/support/shared-service.ts";
import { requireResult, stranger } from "../../../../test/support/treasury.ts";
import { parseDecimal } from "../../../domain/money.ts";

let service: TestService;
beforeAll(async () => {
  service = await openSharedService();
  await service.isFunded(service.tenantId);
});
afterAll(() => service?.[Symbol.asyncDispose]());

const Statement = z.object({
  movements: z.array(
    z.object({
      id: z.string(),
      at: z.string(),
      direction: z.enum(["in", "out"]),
      token: z.string(),
      amount: z.string(),
    }),
  ),
  balances: z.array(z.object({ token: z.string(), amount: z.string() })).nullable(),
  nextCursor: z.string().nullable(),
});

async function read(query = "") {
  const headers = { authorization: `Bearer ${service.apiKey}` };
  const answer = await service.send(`/api/movements${query}`, { headers });
  expect(answer.status, answer.text).toBe(200);
  return Statement.parse(answer.body);
}

const micro = (amount: string): bigint => parseDecimal(amount) ?? 0n;

test("the balance after the newest movement, less every movement, is the empty wallet that a tenant begins with", async () => {
  for (const amount of ["2.5", "0.000001"]) {
    requireResult(await service.call("send_tokens", { to: stranger(), amount, token: "USDC" }));
  }
  requireResult(await service.call("prefund_trip", { budgetUsdc: "25" }));
  const departureDate = Temporal.Now.plainDateISO("UTC").add({ days: 50 }).toString();
  const asked = { origin: "LHR", destination: "JFK", departureDate };
  const { offers } = requireResult(await service.call("search_flights", asked));
  const [offer] = z.array(z.object({ id: z.string() })).parse(offers);
  requireResult(await service.call("book_flight", { offerId: offer?.id }));
  const { movements, balances, nextCursor } = await read("?limit=200");
  expect(nextCursor).toBeNull();
  expect(movements.length).toBeGreaterThan(4);
  const treasury = z
    .object({ available: z.record(z.string(), z.string()), held: z.record(z.string(), z.string()) })
    .parse(requireResult(await service.call("check_treasury", {})));
  for (const { token, amount } of balances ?? []) {
    const { [token]: available = "0" } = treasury.available;
    const { [token]: held = "0" } = treasury.held;
    expect(micro(amount), token).toBe(micro(available) + micro(held));
    const moved = movements
      .filter((movement) => movement.token === token)
      .reduce((sum, movement) => sum + (movement.direction === "in" ? 1n : -1n) * micro(movement.amount), 0n);
    expect(micro(amount) - moved, token).toBe(0n);
  }
  expect(balances?.map(({ token }) => token)).toContain("USDC");
});

test("pages that begin further back, or show a part of the movements, have no balance", async () => {
  const first = await read("?limit=2");
  expect(first.balances).not.toBeNull();
  expect((await read(`?limit=2&cursor=${first.nextCursor}`)).balances).toBeNull();
  const today = Temporal.Now.plainDateISO("UTC").toString();
  expect((await read(`?to=${today}`)).balances).toBeNull();
  expect((await read(`?from=${today}`)).balances).toEqual(first.balances);
  expect((await read("?orderId=ord_none")).balances).toBeNull();
});
