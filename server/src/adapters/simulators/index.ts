import { z } from "zod";
import { Failure } from "../../domain/errors.ts";
import type { HttpClient, HttpRequest } from "../../platform/http-client/http-client.ts";
import { HttpFailure } from "../../platform/http-client/http-failure.ts";
import type { ArmedFault, NewFault, SimulatorGuest, SimulatorName, Simulators } from "../../ports/simulators.ts";

/** Where a simulator answers. */
interface Place {
  /** Undefined: nobody has used it yet. */
  find(): string | undefined;
  start(): Promise<string>;
}

interface SimulatorOptions {
  http: Pick<HttpClient, "send">;
  places: Readonly<Record<SimulatorName, Place>>;
  /** The carrier simulator's. The other two take control from this machine without one. */
  controlToken: string;
}

const TIMEOUT_MILLISECONDS = 10_000;
const MAXIMUM_BYTES = 1024 * 1024;
const RETRY_AFTER_SECONDS = 5;

const HttpScenario = z.object({
  path: z.string(),
  tenant: z.string().nullish(),
  fault: z.string(),
  remaining: z.number(),
  delayMs: z.number(),
});
const SupplierScenarios = z.object({
  scenarios: z.array(
    HttpScenario.omit({ path: true, tenant: true }).extend({ match: HttpScenario.pick({ path: true, tenant: true }) }),
  ),
});
const AttesterScenarios = z.object({ scenarios: z.array(HttpScenario) });
const CarrierScenarios = z.object({
  scenarios: z.array(
    z.object({ path: z.string(), playground: z.string().optional(), fault: z.string(), times: z.number() }),
  ),
});
const Clock = z.object({ now: z.string(), offsetSeconds: z.number() });
const Books = z.object({
  orders: z.array(
    z.object({
      id: z.string(),
      booking_id: z.string(),
      kind: z.enum(["flight", "stay"]),
      state: z.string(),
      total_amount: z.string(),
      paid_amount: z.string(),
      refunded_amount: z.string(),
      currency: z.string(),
    }),
  ),
});

/** The names of the simulators in texts. */
const TITLES = { supplier: "supplier sandbox", attester: "attester", carriers: "carrier simulator" } as const;

const unavailable = (simulator: SimulatorName, cause: unknown) =>
  new Failure("unavailable", {
    detail: `The ${TITLES[simulator]} gives no clear answer now. Read the state of the sandbox, then try again.`,
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    cause,
  });

/** Speaks to the control routes of the simulators (`sandbox/`, `attester/` and `carriers/` describe them). */
export function createSimulators({ http, places, controlToken }: SimulatorOptions): Simulators {
  async function ask(
    simulator: SimulatorName,
    base: string,
    {
      path,
      accepts = [200, 201],
      ...request
    }: Pick<HttpRequest, "method" | "json"> & { path: string; accepts?: number[] },
  ): Promise<{ status: number; value: unknown }> {
    const answer = await http
      .send({
        ...request,
        url: `${base}${path}`,
        ...(simulator === "carriers" ? { headers: { authorization: `Bearer ${controlToken}` } } : {}),
        timeoutMilliseconds: TIMEOUT_MILLISECONDS,
        maxBytes: MAXIMUM_BYTES,
      })
      .catch((cause: unknown) => {
        throw unavailable(simulator, cause);
      });
    const { status, body } = answer;
    if (!accepts.includes(status)) throw unavailable(simulator, new Error(`${path} answered ${status}`));
    return { status, value: parse(simulator, body) };
  }

  async function start(simulator: SimulatorName): Promise<string> {
    return await places[simulator].start().catch((cause: unknown) => {
      throw unavailable(simulator, cause);
    });
  }

  const toSupplier = async (path: string, json: unknown, accepts?: number[]) =>
    await ask("supplier", await start("supplier"), {
      method: "POST",
      path: `/_sandbox/${path}`,
      json,
      ...(accepts === undefined ? {} : { accepts }),
    });

  return {
    async listFaults(guest) {
      const lists = await Promise.all(
        NAMES.map(async (simulator) => {
          const base = places[simulator].find();
          if (base === undefined) return [];
          const answer = await ask(simulator, base, { method: "GET", path: FAULTS[simulator] }).catch(
            (error: unknown) => {
              if (simulator !== "supplier" && isNotRunning(error)) return undefined;
              throw error;
            },
          );
          return answer === undefined ? [] : readFaults(simulator, answer.value, guest);
        }),
      );
      return lists.flat();
    },
    async arm(guest, fault) {
      const { simulator } = fault;
      const request = { method: "POST", path: FAULTS[simulator], json: describeFault(guest, fault) } as const;
      await ask(simulator, await start(simulator), request);
    },
    async disarm(guest) {
      for (const simulator of NAMES) {
        if (places[simulator].find() === undefined) continue;
        // One that has stopped may have kept its faults, so that it is started to lose them.
        const base = await start(simulator);
        const whose = new URLSearchParams(
          simulator === "carriers" ? { playground: guest.playgroundId } : { tenant: guest.tenantId },
        );
        await ask(simulator, base, { method: "DELETE", path: `${FAULTS[simulator]}?${whose}` });
      }
    },
    async advanceClock(seconds) {
      return Clock.parse((await toSupplier("tick", { advanceSeconds: seconds })).value);
    },
    async moveFlight({ orderId, slice, shiftMinutes }) {
      const move = { order_id: orderId, slice, shift_minutes: shiftMinutes };
      return (await toSupplier("schedule_changes", move, [201, 404])).status === 201;
    },
    async readBooks(bookingIds) {
      const { orders } = Books.parse((await toSupplier("books", { booking_ids: bookingIds })).value);
      return orders.map((order) => ({
        orderId: order.id,
        bookingId: order.booking_id,
        kind: order.kind,
        state: order.state,
        totalAmount: order.total_amount,
        paidAmount: order.paid_amount,
        refundedAmount: order.refunded_amount,
        currency: order.currency,
      }));
    },
  };
}

/** Nothing listens there: nobody has used it since the service started. */
const isNotRunning = (error: unknown): boolean =>
  error instanceof Failure && error.cause instanceof HttpFailure && error.cause.delivery === "not_sent";

const NAMES = ["supplier", "attester", "carriers"] as const;
const FAULTS = {
  supplier: "/_sandbox/scenarios",
  attester: "/_sandbox/scenarios",
  carriers: "/_carriers/control/faults",
} as const;

function parse(simulator: SimulatorName, body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch (cause) {
    throw unavailable(simulator, cause);
  }
}

function describeFault(
  { tenantId: tenant, playgroundId: playground }: SimulatorGuest,
  { simulator, path, method, fault, times, delayMilliseconds: delayMs }: NewFault,
) {
  if (simulator === "carriers") return { path, playground, fault, times };
  return { match: { path, ...(method === undefined ? {} : { method }), tenant }, fault, times, delayMs };
}

function readFaults(
  simulator: SimulatorName,
  value: unknown,
  { tenantId, playgroundId }: SimulatorGuest,
): readonly ArmedFault[] {
  if (simulator === "carriers") {
    return CarrierScenarios.parse(value)
      .scenarios.filter(({ playground }) => playground === playgroundId)
      .map(({ path, fault, times }) => ({ simulator, path, fault, times, delayMilliseconds: 0 }));
  }
  const all =
    simulator === "attester"
      ? AttesterScenarios.parse(value).scenarios
      : SupplierScenarios.parse(value).scenarios.map(({ match, ...rest }) => ({ ...match, ...rest }));
  return all
    .filter(({ tenant }) => tenant === tenantId)
    .map(({ path, fault, remaining: times, delayMs: delayMilliseconds }) => ({
      ...{ simulator, path, fault, times, delayMilliseconds },
    }));
}
