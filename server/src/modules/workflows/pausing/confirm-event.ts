import { z } from "zod";
import { Failure, isRetryable } from "../../../domain/errors.ts";
import { type ClaimState, findClaim } from "../../guests/index.ts";
import { type OrderRecord, readTicketing, refreshOrder } from "../../orders/index.ts";
import type { RunParts } from "../run-parts.ts";
import type { Run, RunPause } from "../runs.ts";

const Status = z.object({ status: z.string() });

/**
 * Resolves a pause that waits for an outside event. The trip or the supplier's order must confirm the resolution; otherwise it
 * is refused with `conflict` and the run stays paused.
 */
export async function confirmEvent(
  parts: RunParts,
  run: Run,
  pause: RunPause,
  { checked, give }: { checked: Record<string, unknown>; give(): Promise<boolean> },
): Promise<boolean> {
  await requireEvent(parts, run, pause, { checked, lookUps });
  // The look-up itself may have resolved the pause.
  await give();
  return true;
}

/** The same for a preview, without storing the supplier's answer. */
export async function checkEvent(
  parts: RunParts,
  run: Run,
  pause: RunPause,
  checked: Record<string, unknown>,
): Promise<void> {
  await requireEvent(parts, run, pause, { checked, lookUps: { ...lookUps, order_ticketing: peekAtTickets } });
}

async function requireEvent(
  parts: RunParts,
  run: Run,
  { event, about = "" }: RunPause,
  { checked, lookUps: by }: { checked: Record<string, unknown>; lookUps: LookUps },
): Promise<void> {
  const find = event === undefined ? undefined : by[event];
  if (find === undefined) throw notSo("The run continues automatically when the awaited event happens.");
  const found = await find(parts, run, about).catch((error: unknown) => {
    if (!(error instanceof Failure) || !isRetryable(error.code)) throw error;
    throw new Failure("unavailable", {
      detail: "This could not be looked up now. Send the request again.",
      cause: error,
    });
  });
  const { status } = Status.parse(checked);
  if (status !== found.status) throw notSo(found.because);
}

interface Found {
  /** The only resolution that is true now; undefined: none yet. */
  status: string | undefined;
  because: string;
}

type LookUps = Readonly<Record<string, (parts: RunParts, run: Run, about: string) => Promise<Found>>>;

const lookUps: LookUps = {
  trip_claimed: lookUpClaim,
  order_ticketing: lookUpTickets,
};

async function lookUpClaim({ stores, clock, portsFor }: RunParts, run: Run, tripId: string): Promise<Found> {
  const claim = await findClaim({ stores, clock, chain: portsFor(run.environment)?.chain }, run, tripId);
  const because: Record<ClaimState, string> = {
    claimed: "The guest has claimed the trip.",
    open: "The guest has not claimed the trip, and can still do so.",
    expired: "The trip has expired or was closed without a claim.",
  };
  return { status: claim === "open" ? undefined : claim, because: because[claim] };
}

async function lookUpTickets({ stores, clock, log, portsFor }: RunParts, run: Run, orderId: string): Promise<Found> {
  const ports = portsFor(run.environment);
  const known = await stores.orders.find(run.tenantId, run.environment, orderId);
  if (ports === undefined || known === undefined) return UNKNOWN_ORDER;
  await refreshOrder({ ...ports, stores, clock, log }, known, "reconciliation");
  return judgeTickets(await stores.orders.find(run.tenantId, run.environment, orderId));
}

async function peekAtTickets({ stores, portsFor }: RunParts, run: Run, orderId: string): Promise<Found> {
  const ports = portsFor(run.environment);
  const known = await stores.orders.find(run.tenantId, run.environment, orderId);
  if (ports === undefined || known === undefined) return UNKNOWN_ORDER;
  return judgeTickets(await readTicketing(ports, known));
}

const UNKNOWN_ORDER: Found = { status: undefined, because: "The order is unknown here." };

function judgeTickets(order: Pick<OrderRecord, "ticketing" | "status"> | undefined): Found {
  if (order?.ticketing === "ticketed") return { status: "ticketed", because: "The airline has issued the tickets." };
  if (order?.status === "cancelled") return { status: "failed", because: "The airline has cancelled the order." };
  return { status: undefined, because: "The airline has neither issued the tickets nor cancelled the order." };
}

function notSo(because: string): Failure {
  return new Failure("conflict", {
    detail: `${because} The run stays paused and continues by itself when this changes; read it later, or cancel it.`,
  });
}
