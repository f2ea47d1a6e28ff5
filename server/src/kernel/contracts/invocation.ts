import type { Failure } from "../../domain/errors.ts";
import type { Hex } from "../../domain/tokens.ts";
import type { Environment, Principal } from "../../ports/identity.ts";
import type { Cover, PurposeCall } from "./call-plan.ts";
import type { Charge, Confirming, Outcome, Receipt } from "./charge.ts";
import type { Preview } from "./preview-answer.ts";

/** A caller without a key is known by its paying address. */
export interface Payer {
  readonly payer: Hex;
  readonly environment: Environment;
}

/** The caller's identity for a call. */
export interface Calling {
  principal: Principal | Payer;
  /** Reads the key again from the database: a write or a spend must not rest on a cached answer. */
  confirmPrincipal(): Promise<Principal | undefined>;
  /** A user of the tenant; undefined for the key's service account. */
  userId: string | undefined;
}

/** Gives a signal that aborts when nobody waits for the answer any more. */
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
  /** True: this is the first attempt with the key, which its sender made for this call alone. */
  isKeyNew?: boolean | undefined;
  /** A travel policy applied in addition to the one that the tenant enforces. */
  policyId?: string | undefined;
  /** The user who travels first in what the call books; undefined for the caller's own traveler. */
  leadTravelerId?: string | undefined;
  /** The run of a workflow that makes the call. */
  runId?: string | undefined;
  /** The call that this one prepares, for its approver. */
  purpose?: PurposeCall | undefined;
  /** Pays for the purchase in place of the wallet. */
  cover?: Cover | undefined;
  /** Undefined: nobody can be asked. */
  confirming?: Confirming | undefined;
  /** Create the signal only if needed: it costs as much as reading a body. */
  gone: SignalSource;
  /** True: waits for its turn without a time limit. */
  isPatient?: boolean;
  /** Set if the caller watches the call. */
  progress?: ((step: string) => void) | undefined;
}

export interface Answer {
  outcome: Outcome;
  /** The amount paid and by whom: all that a surface knows of the charge. */
  receipt: Receipt;
  latencyMs: number;
  replayed: boolean;
}

export interface Kernel {
  invoke(invocation: Invocation): Promise<Answer>;
  /**
   * Returns the refusal that the call would get now, if any. Runs nothing, but stores what can help, such as a request
   * for an approval, as the call itself would.
   */
  ask(invocation: Invocation): Promise<Failure | undefined>;
  /** Returns what the call would do or be refused with now. Reserves nothing and leaves nothing behind. */
  preview(invocation: Invocation): Promise<Preview>;
}

/** Whether a user has duties that affect calls, such as approving or booking for others. Only the person's own key acts as such a user. */
export type HasDuties = (owner: { tenantId: string; environment: Environment }, userId: string) => Promise<boolean>;
