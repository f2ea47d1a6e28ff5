import { z } from "zod";
import type { Store, StoredFault } from "./store.ts";

/**
 * - `away`: 503, and nothing is done
 * - `reset`: the connection breaks after the request was carried out
 * - `slow`: answered after `delayMs`
 * - `rate_limited`: 429, as after too many requests, for five minutes or `delayMs`
 * - `contradicting`: a message that is attested is shown as pending, and attesting it anew is refused as it is final already
 * - `altered`: another amount stands in the message than the attestation is for
 * - `late`: nothing is seen until `delayMs` after this was armed
 */
const KINDS = ["away", "reset", "slow", "rate_limited", "contradicting", "altered", "late"] as const;
export type FaultKind = (typeof KINDS)[number];

export const Scenario = z.strictObject({
  match: z.strictObject({
    path: z.string().startsWith("/").max(200),
    method: z.string().toUpperCase().optional(),
    /** Only requests with this `x-sandbox-tenant`. */
    tenant: z.string().min(1).max(100).optional(),
  }),
  fault: z.enum(KINDS),
  times: z.int().min(1).max(10_000).default(1),
  delayMs: z.int().min(0).max(600_000).default(0),
});

export interface Fault {
  kind: FaultKind;
  delayMs: number;
}

/** Faults that are armed for the next requests, durable like everything else. */
export function openFaults(store: Store, nowMilliseconds: () => number) {
  // Requests ask the file only while something is armed. This process is the only one that arms.
  let armed = store.listFaults();

  const isDue = ({ fault, delayMs, armedAt }: StoredFault): boolean =>
    fault !== "late" || nowMilliseconds() < armedAt + delayMs;

  return {
    arm({ match, fault, times, delayMs }: z.output<typeof Scenario>): void {
      const armedAt = nowMilliseconds();
      store.addFault({
        path: match.path,
        method: match.method ?? null,
        tenant: match.tenant ?? null,
        fault,
        remaining: times,
        delayMs,
        armedAt,
      });
      armed = store.listFaults();
    },
    list: () => armed.map(({ armedAt: _, ...shown }) => shown),
    /** With a tenant, only those that are armed for it. */
    clear(tenant?: string): void {
      store.clearFaults(tenant);
      armed = store.listFaults();
    },
    /** The fault that this request meets; it is used up once. */
    take(method: string, path: string, tenant: string | undefined): Fault | undefined {
      const found = armed.find((one) => {
        const isHere = path === one.path || path.startsWith(`${one.path.replace(/\/$/, "")}/`);
        const isTheirs = one.tenant === null || one.tenant === tenant;
        return isHere && isTheirs && (one.method === null || one.method === method) && isDue(one);
      });
      if (found === undefined) return undefined;
      store.useFault(found.id);
      armed = store.listFaults();
      return { kind: z.enum(KINDS).parse(found.fault), delayMs: found.delayMs };
    },
  };
}

export type Faults = ReturnType<typeof openFaults>;
