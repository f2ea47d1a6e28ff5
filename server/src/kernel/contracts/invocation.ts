import type { Failure } from "../../domain/errors.ts";
import type { Hex } from "../../domain/tokens.ts";
import type { Environment, Principal } from "../../ports/identity.ts";
import type { Charge, Outcome, Receipt } from "./charge.ts";
import type { Cover, PurposeCall } from "./plan.ts";

/** Who calls without a key is known by what it pays with. */
export interface Payer {
  readonly payer: Hex;
  readonly environment: Environment;
}

/** As whom a call is made. */
export interface Calling {
  principal: Principal | Payer;
  /** Reads the key again from the database: what writes or spends must not rest on a cached answer. */
  confirmPrincipal(): Promise<Principal | undefined>;
  /** A user of the tenant; undefined: the key's service account. */
  userId: string | undefined;
}

/** Tells when nobody waits any more. */
export interface SignalSource {
  readonly signal: AbortSignal;
}

export interface Invocation extends Calling {
  toolName: string;
  args: unknown;
  /** Pays for this call instead of the tenant. */
  charge?: Charge | undefined;
  surface: string;
  traceId: string;
  idempotencyKey: string | undefined;
  /** A travel policy that judges what the call buys, beside the one that the tenant enforces. */
  policyId?: string | undefined;
  /** The tenant's user who travels first in what the call books; undefined: the caller's own traveler. */
  leadTravelerId?: string | undefined;
  /** What this call prepares: for who has to approve it. */
  purpose?: PurposeCall | undefined;
  /** What pays for what this call buys, in place of the wallet. */
  cover?: Cover | undefined;
  /** Asked for its signal only by who needs one: making one costs as much as reading a body. */
  gone: SignalSource;
  /** True: it waits for its turn as long as it takes. */
  isPatient?: boolean;
  /** Given by who watches the call. */
  progress?: ((step: string) => void) | undefined;
}

export interface Answer {
  outcome: Outcome;
  /** What was paid and by whom: a surface shows it, and knows nothing else of the charge. */
  receipt: Receipt;
  latencyMs: number;
  replayed: boolean;
}

export interface Kernel {
  invoke(invocation: Invocation): Promise<Answer>;
  /**
   * What the call would be refused with now; undefined: nothing refuses it. It runs nothing, but leaves behind what can help, such
   * as a request for an approval, as the call itself would.
   */
  ask(invocation: Invocation): Promise<Failure | undefined>;
}

/**
 * Whether a user has duties that calls are judged by, such as to approve or to book for others. Only the person's own key acts as
 * such a user.
 */
export type HasDuties = (owner: { tenantId: string; environment: Environment }, userId: string) => Promise<boolean>;
