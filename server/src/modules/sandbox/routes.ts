import { z } from "zod";
import { ADMINISTERS_SANDBOX } from "../../domain/scopes.ts";
import { defineRoute } from "../../kernel/contracts/route.ts";
import type { Principal } from "../../ports/identity.ts";
import type { SimulatorGuest, Simulators } from "../../ports/simulators.ts";
import type { Vault } from "../../ports/vault.ts";
import { deriveSimulated } from "../channels/index.ts";
import { closeAirport } from "./close-airport.ts";
import { compareBooks, differenceKinds } from "./compare-books.ts";
import type { Stores } from "./context.ts";
import { findFault, findSpot, listSpots, SPOTS, spotNames } from "./faults.ts";

interface SandboxPorts {
  simulators: Simulators | undefined;
  stores: Pick<Stores, "bookings" | "orders" | "sandboxLog">;
  vault: Vault;
}

const TAG = "sandbox";
const MOST_ARMED = 50;
const MOST_TIMES = 100;
const LONGEST_DELAY_SECONDS = 3_600;
const FARTHEST_SECONDS = 31 * 86_400;
const LATEST = 100;

const errors = {
  sandbox_only:
    "Only the sandbox has simulators, and this key or page belongs to production. Use a sandbox key, or switch to the sandbox.",
  sandbox_unavailable: "This deployment runs without the sandbox.",
  unavailable: "A simulator does not answer. Read the state of the sandbox, then try again.",
} as const;

interface Called {
  principal: Principal;
  fail(code: "sandbox_only" | "sandbox_unavailable"): Error;
}

/** Nothing here is there for production. */
function open({ principal, fail }: Called, { simulators }: SandboxPorts): Simulators {
  if (principal.environment !== "sandbox") throw fail("sandbox_only");
  if (simulators === undefined) throw fail("sandbox_unavailable");
  return simulators;
}

function findGuest(principal: Principal, { vault }: SandboxPorts): SimulatorGuest {
  const { tenantId } = principal;
  return { tenantId, playgroundId: deriveSimulated(vault, principal).playground.id };
}

const write = (
  { stores }: SandboxPorts,
  { tenantId, personId, serviceAccountId }: Principal,
  action: { action: string; subjectId?: string; details: Readonly<Record<string, unknown>> },
) => stores.sandboxLog.write({ tenantId, actor: personId ?? serviceAccountId, ...action });

const SimulatorField = z.enum(["supplier", "attester", "carriers"]);
const Clock = z.object({
  asOf: z.string().describe("The supplier's time"),
  offsetSeconds: z.number().describe("How far it is ahead of the machine's"),
});
const exampleClock = { asOf: "2030-01-01T09:00:00Z", offsetSeconds: 0 };

const Armed = z.object({
  at: z.enum(spotNames).nullable().describe("null: it was armed at the simulator itself"),
  simulator: SimulatorField,
  fault: z.string(),
  times: z.number().describe("How many requests still meet it"),
  delaySeconds: z.number(),
});
const ArmedAnswer = z.object({ faults: z.array(Armed) });
const exampleFault = {
  at: "book_flight" as const,
  simulator: "supplier" as const,
  fault: "reset_after_effect",
  times: 1,
  delaySeconds: 0,
};

async function listArmed(simulators: Simulators, guest: SimulatorGuest) {
  const faults = await simulators.listFaults(guest);
  return faults.map(({ simulator, path, fault, times, delayMilliseconds }) => ({
    at: findSpot(simulator, path) ?? null,
    simulator,
    fault,
    times,
    delaySeconds: delayMilliseconds / 1_000,
  }));
}

const readSandbox = defineRoute({
  id: "read_sandbox",
  method: "GET",
  path: "/api/sandbox",
  tag: TAG,
  summary: "Read the sandbox",
  description:
    "The tenant's armed faults, everything that can be armed, and the supplier's clock, which all tenants of the deployment share.",
  scope: ADMINISTERS_SANDBOX,
  answers: {
    200: {
      description: "Its state.",
      schema: ArmedAnswer.extend({
        clock: Clock,
        canArm: z.array(
          z.object({
            at: z.enum(spotNames),
            simulator: SimulatorField,
            says: z.string(),
            faults: z.array(
              z.object({
                fault: z.string(),
                says: z.string(),
                isForAll: z.boolean().describe("true: other tenants can notice it, too"),
              }),
            ),
          }),
        ),
      }),
    },
  },
  errors,
  async run(call, ports: SandboxPorts) {
    const simulators = open(call, ports);
    const [faults, clock] = await Promise.all([
      listArmed(simulators, findGuest(call.principal, ports)),
      simulators.advanceClock(0),
    ]);
    return { faults, clock: { asOf: clock.now, offsetSeconds: clock.offsetSeconds }, canArm: listSpots() };
  },
});

const armFault = defineRoute({
  id: "arm_fault",
  method: "POST",
  path: "/api/sandbox/faults",
  tag: TAG,
  summary: "Arm a fault",
  description: `The next requests for this tenant meet it, others' do not: GET /api/sandbox lists what can be armed where, and the few faults that others can notice. At most ${MOST_ARMED} are armed at a time.`,
  scope: ADMINISTERS_SANDBOX,
  body: z.strictObject({
    at: z.enum(spotNames).describe("Which requests"),
    fault: z.string().max(40).describe("One of those that GET /api/sandbox lists there"),
    times: z.int().min(1).max(MOST_TIMES).default(1).describe("How many requests meet it"),
    delaySeconds: z.number().min(0).max(LONGEST_DELAY_SECONDS).default(0).describe("For faults that happen late"),
  }),
  answers: { 200: { description: "The tenant's armed faults.", schema: ArmedAnswer } },
  errors: {
    ...errors,
    invalid_input: "This fault cannot be armed there: GET /api/sandbox lists those that can.",
    conflict: "Too many faults are armed. Disarm them first.",
  },
  example: {
    body: { at: "book_flight", fault: "reset_after_effect", times: 1, delaySeconds: 0 },
    answer: { faults: [exampleFault] },
  },
  async run(call, ports: SandboxPorts) {
    const simulators = open(call, ports);
    const { principal, body, fail } = call;
    const { at, fault, times, delaySeconds } = body;
    if (findFault(at, fault) === undefined) {
      throw fail("invalid_input", { issues: [{ path: "fault", message: `cannot be armed at ${at}` }] });
    }
    const guest = findGuest(principal, ports);
    if ((await simulators.listFaults(guest)).length >= MOST_ARMED) throw fail("conflict");
    const { simulator, path, ...spot } = SPOTS[at];
    const method = "method" in spot ? spot.method : undefined;
    await write(ports, principal, { action: "sandbox.fault", subjectId: at, details: { fault, times, delaySeconds } });
    const delayMilliseconds = Math.round(delaySeconds * 1_000);
    await simulators.arm(guest, { simulator, path, method, fault, times, delayMilliseconds });
    return { faults: await listArmed(simulators, guest) };
  },
});

const disarmFaults = defineRoute({
  id: "disarm_faults",
  method: "DELETE",
  path: "/api/sandbox/faults",
  tag: TAG,
  summary: "Disarm the faults",
  description: "Disarms every fault of the tenant, and none of others.",
  scope: ADMINISTERS_SANDBOX,
  answers: { 200: { description: "What is armed afterwards: nothing.", schema: ArmedAnswer } },
  errors,
  example: { answer: { faults: [] } },
  async run(call, ports: SandboxPorts) {
    const simulators = open(call, ports);
    const guest = findGuest(call.principal, ports);
    await write(ports, call.principal, { action: "sandbox.disarm", details: {} });
    await simulators.disarm(guest);
    return { faults: await listArmed(simulators, guest) };
  },
});

const advanceClock = defineRoute({
  id: "advance_sandbox_clock",
  method: "POST",
  path: "/api/sandbox/clock",
  tag: TAG,
  summary: "Move the supplier's clock",
  description:
    "Moves it ahead, for every tenant of the deployment: offers expire, holds lapse, tickets and late effects come. It never goes back. The service's own clock stays.",
  scope: ADMINISTERS_SANDBOX,
  body: z.strictObject({
    advanceSeconds: z.int().min(0).max(FARTHEST_SECONDS).describe("0 only does what is due already"),
  }),
  answers: { 200: { description: "The clock afterwards.", schema: Clock } },
  errors,
  example: { body: { advanceSeconds: 0 }, answer: exampleClock },
  async run(call, ports: SandboxPorts) {
    const simulators = open(call, ports);
    const { advanceSeconds } = call.body;
    await write(ports, call.principal, { action: "sandbox.clock", details: { advanceSeconds } });
    const { now, offsetSeconds } = await simulators.advanceClock(advanceSeconds);
    return { asOf: now, offsetSeconds };
  },
});

const OrderPath = z.object({ orderId: z.string().max(100).describe("From GET /api/orders") });
const NOT_FOUND = "The tenant has no open flight order with this id and this part.";

const changeSchedule = defineRoute({
  id: "move_sandbox_flight",
  method: "POST",
  path: "/api/sandbox/orders/:orderId/schedule-change",
  tag: TAG,
  summary: "Move a flight",
  description:
    "The airline moves one part of the tenant's order, or cancels its flights. The service hears of it as of any change by an airline.",
  scope: ADMINISTERS_SANDBOX,
  params: OrderPath,
  body: z.strictObject({
    slice: z.int().min(0).max(20).default(0).describe("0 is the first journey of the order"),
    shiftMinutes: z
      .int()
      .min(-1_440)
      .max(2_880)
      .nullable()
      .default(95)
      .describe("How much later it leaves; null: its flights are cancelled"),
  }),
  answers: { 200: { description: "It was moved.", schema: z.object({ orderId: z.string() }) } },
  errors: { ...errors, not_found: NOT_FOUND },
  example: { body: { slice: 0, shiftMinutes: 95 }, answer: { orderId: "ord_0000B4UJK2tOKXQXFDCBpk" } },
  async run(call, ports: SandboxPorts) {
    const simulators = open(call, ports);
    const { principal, params, body, fail } = call;
    const { orderId } = params;
    const order = await ports.stores.orders.find(principal.tenantId, principal.environment, orderId);
    if (order?.slices[body.slice] === undefined) throw fail("not_found");
    await write(ports, principal, { action: "sandbox.move_flight", subjectId: orderId, details: body });
    if (!(await simulators.moveFlight({ orderId, ...body }))) throw fail("not_found");
    return { orderId };
  },
});

const closeAirportRoute = defineRoute({
  id: "close_sandbox_airport",
  method: "POST",
  path: "/api/sandbox/airport-closures",
  tag: TAG,
  summary: "Close an airport",
  description: `Every flight from or to it, up to a local day, is cancelled by its airline: of the tenant's latest ${LATEST} orders, and of nobody else's. Flights with a change that waits for an answer stay as they are.`,
  scope: ADMINISTERS_SANDBOX,
  body: z.strictObject({
    airport: z
      .string()
      .regex(/^[A-Z]{3}$/, "must be an airport's code, such as KEF")
      .describe("IATA code"),
    until: z.iso.date().describe("The last local day of departure. Left out: all that are booked").exactOptional(),
  }),
  answers: {
    200: {
      description: "The orders that it hit.",
      schema: z.object({ orderIds: z.array(z.string()).describe("Empty: none uses the airport") }),
    },
  },
  errors,
  example: { body: { airport: "KEF" }, answer: { orderIds: ["ord_0000B4UJK2tOKXQXFDCBpk"] } },
  async run(call, ports: SandboxPorts) {
    const simulators = open(call, ports);
    const { principal, body } = call;
    const { tenantId, environment } = principal;
    const orders = await ports.stores.orders.list(tenantId, environment, { limit: LATEST, kinds: ["flight"] });
    await write(ports, principal, { action: "sandbox.close_airport", subjectId: body.airport, details: body });
    return { orderIds: await closeAirport(simulators, orders, body) };
  },
});

const Entry = z.object({
  orderId: z.string(),
  state: z.string(),
  totalAmount: z.string(),
  paidAmount: z.string(),
  refundedAmount: z.string(),
  currency: z.string(),
});

const readBooks = defineRoute({
  id: "read_sandbox_books",
  method: "GET",
  path: "/api/sandbox/books",
  tag: TAG,
  summary: "Compare the books",
  description: `The tenant's latest ${LATEST} bookings as the service and as the supplier have them, newest first, with what differs. A change that the service has not heard of yet differs for a moment.`,
  scope: ADMINISTERS_SANDBOX,
  answers: {
    200: {
      description: "Both sides.",
      schema: z.object({
        bookings: z.array(
          z.object({
            bookingId: z.string(),
            kind: z.enum(["flight", "stay"]),
            orderId: z.string().nullable(),
            status: z
              .enum(["held", "confirmed", "cancelled", "lapsed", "booking", "failed"])
              .describe("booking: its outcome is open; failed: nothing was bought"),
            totalAmount: z.string(),
            totalCurrency: z.string(),
            theirs: z.array(Entry).describe("The supplier's orders for it"),
            differences: z
              .array(z.enum(differenceKinds))
              .describe(
                "missing_there: the supplier has no order; missing_here: it has one that the service does not know; twice: it has several",
              ),
          }),
        ),
      }),
    },
  },
  errors,
  async run(call, ports: SandboxPorts) {
    const simulators = open(call, ports);
    const { tenantId, environment } = call.principal;
    const { bookings, orders } = ports.stores;
    const [latest, bought] = await Promise.all([
      bookings.listLatest(tenantId, environment, LATEST),
      orders.list(tenantId, environment, { limit: LATEST }),
    ]);
    const entries = latest.length === 0 ? [] : await simulators.readBooks(latest.map(({ id }) => id));
    const compared = compareBooks(latest, bought, entries);
    return {
      bookings: compared.map((booking) => ({
        ...booking,
        theirs: booking.theirs.map(({ bookingId: _, kind: _kind, ...entry }) => entry),
        differences: [...booking.differences],
      })),
    };
  },
});

export const sandboxRoutes = [
  readSandbox,
  armFault,
  disarmFaults,
  advanceClock,
  changeSchedule,
  closeAirportRoute,
  readBooks,
];
