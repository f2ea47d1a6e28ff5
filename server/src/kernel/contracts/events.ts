import type { z } from "zod";
import type { Environment } from "../../ports/identity.ts";

/** An event that workflow runs wait for, with one subject: a trip, an order, an approval. */
export interface RunEvent {
  tenantId: string;
  environment: Environment;
  name: string;
  subject: string;
}

/** Modules raise events for runs in the transaction that stores them. */
export interface RunEvents {
  raise(event: RunEvent & { resolution: object }): Promise<void>;
  /** The ids of the runs that wait for it. */
  waitingRuns(event: RunEvent): Promise<readonly string[]>;
}

/**
 * A kind of event that tenants are told. A trigger of the module's own table stores it, with the function `tell_tenant` of the
 * module `events`, in the transaction that it tells of.
 */
export interface TenantEventKind {
  /** The resource and what happened to it, such as `order.ticketed`. */
  readonly type: string;
  /** One sentence: when it is sent. */
  readonly summary: string;
  /** Ids, states and amounts; names no person. Later releases may add members. */
  readonly data: z.ZodObject;
  readonly example: Readonly<Record<string, unknown>>;
}

/** Keeps the example in line with the schema. */
export function defineTenantEvent<Data extends z.ZodObject>(
  kind: Omit<TenantEventKind, "data" | "example"> & { readonly data: Data; readonly example: z.input<NoInfer<Data>> },
): TenantEventKind {
  return kind;
}
