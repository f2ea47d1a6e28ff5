import type { z } from "zod";
import type { Cover, PurposeCall } from "./plan.ts";
import type { ToolTypes } from "./tool.ts";

/**
 * A workflow is a function that reads as a story: one step a call of a tool, each undo beside its step. Its steps are journaled, so
 * that the function is run again from its beginning after a pause, a crash or a deployment, and every step that was done before
 * answers from the journal. It must therefore reach the same steps in the same order for the same answers: a clock, randomness and
 * requests of its own belong into a `step`, which records what they gave.
 *
 * A step runs at least once. The effect of a call happens once, as each call carries the run and the step as its idempotency key.
 */
export interface Workflow {
  readonly id: string;
  /** Raised when steps are added, removed or renamed. `Steps.isSince` tells which one a run began with. */
  readonly version: number;
  readonly description: string;
  readonly input: z.ZodObject;
  /** Fields that the answers of tools lacked in earlier releases, with the values that stand for them, by the tool's name. */
  readonly earlierAnswers: Readonly<Record<string, unknown>>;
  /** The search that the input asks for: what its tool says of these arguments is wrong with the input, too. */
  searches?(input: Readonly<Record<string, unknown>>): Search;
  /** What callers are told of the way: the names of steps in the order in which they usually come. */
  readonly steps: readonly WorkflowStep[];
  /**
   * Takes input that was validated. What it returns is the run's result. The types of the tools are erased here: the kernel has
   * checked each new answer by its tool's schema, and whoever executes a run checks each stored one again.
   */
  run(input: unknown, steps: Steps): Promise<Readonly<Record<string, unknown>>>;
}

interface Search {
  tool: string;
  /** Named as in the input. */
  args: Readonly<Record<string, unknown>>;
  /** Those of the arguments that are IATA codes of airports or cities. */
  airports?: readonly string[];
}

interface WorkflowStep {
  readonly id: string;
  readonly description: string;
  /** Of a pause: what its resolution looks like. Undefined: the step is a call. */
  readonly resolution?: z.ZodObject;
  /** Of a pause: who may give it. */
  readonly resolvedBy?: PauseDecider;
}

/** What a workflow is made of. */
export interface Steps<Tools extends ToolTypes = ToolTypes> {
  readonly run: {
    readonly id: string;
    /** The service's account, which pays the operator's supplier: the vendor of what it books. */
    readonly collectionAddress: string;
  };
  /** Calls a tool and returns its answer. A failure is thrown as `StepFailure`. */
  call<Name extends keyof Tools & string>(
    tool: Name,
    args: Tools[Name]["input"],
    naming?: Naming,
  ): Promise<Tools[Name]["output"]>;
  /**
   * Does work that is no call of a tool, at least once, and records its result, which must be JSON: once recorded, the run gets it
   * from the journal. The name is unique in the run. A `StepFailure` is recorded as well; after any other error the step is tried
   * again later.
   */
  step<Result extends z.ZodType>(
    name: string,
    result: Result,
    work: () => Promise<z.input<Result>>,
  ): Promise<z.output<Result>>;
  /**
   * Waits until a person has approved a call that a policy lets through only then. The call is made later, with the same arguments,
   * and uses the approval up. Throws what else refuses the call, such as `policy_denied`, and `approval_rejected`.
   */
  approve(asked: Approvable): Promise<void>;
  /** Waits, without using anything, until somebody or something gives a resolution, or until its time is over. */
  pause<Resolution extends z.ZodObject>(pause: Pause<Resolution>): Promise<z.output<Resolution>>;
  /**
   * When the run fails or is cancelled later, `work` runs, in the reverse order of these calls, and says what became of the money of an
   * order or of a reservation. `expected` says the same of an order beforehand, for who has to accept what would be lost; it changes
   * nothing.
   */
  undo(work: () => Promise<UndoEnd | undefined>, expected?: () => Promise<OrderEnd | undefined>): void;
  /**
   * What was done so far stays, whatever comes next: from here on only later undos run. A cancellation that comes after it is too late
   * for the calls that follow, as they finish what stays; only a pause still ends with it.
   */
  keep(): void;
  /** From here on this user of the tenant travels first in what the calls book, in place of the run's own traveler. */
  leadBy(userId: string): void;
  /** True for runs that began with this version of the workflow or a later one. */
  isSince(version: number): boolean;
}

/** What an order that is undone has cost, what of it came back and what was lost. */
export interface OrderEnd {
  orderId: string;
  paidUsdc: string;
  refundedUsdc: string;
  lostUsdc: string;
}

/** A reservation in escrow that is undone, and where what it held is now. */
export interface ReservationEnd {
  bookingId: string;
  returnedTo: "trip" | "wallet";
  returnedUsdc: string;
  /** Free in the trip afterwards. */
  tripFreeUsdc: string;
  /** Why it went to the wallet, as a code. Null: it is in the trip. */
  walletBecause: string | null;
  /** The same in sentences, with what to do next. */
  next: string;
}

export type UndoEnd = OrderEnd | ReservationEnd;

export interface Naming {
  /** The step's name where it differs from the tool's. */
  step?: string;
  /** Judges what the call buys, beside the policy that the tenant enforces. */
  policyId?: string;
  /** The later call that this one prepares: whoever has to approve this one is shown what that one buys. */
  purpose?: PurposeCall;
  /** What pays for what the call buys, in place of the wallet. */
  cover?: Cover | undefined;
}

export interface Approvable {
  /** The step's name. */
  step: string;
  tool: string;
  args: object;
  policyId: string;
  /** Kept with the decision. */
  shown: object;
  needsOpenTrip?: boolean;
  cover?: Cover | undefined;
}

type PauseDecider = "caller" | "person" | "service";

export interface Pause<Resolution extends z.ZodObject> {
  /** The step's name, in snake_case, such as `approval`; the run shows it as `nextStepId`. */
  step: string;
  /** For a person: what is waited for. */
  reason: string;
  resolution: Resolution;
  /** Who may give it: whoever may resume the run, only a person who may decide approvals, or only the service itself. */
  by: PauseDecider;
  /** What was shown to who decides; it is kept with the decision. */
  shown?: object;
  /** The event that resolves it: `event` of `subject`, such as `trip_claimed` of a trip's id. */
  event?: { readonly name: string; readonly subject: string };
  /** After so many hours the run goes on with `onTimeout`. */
  timeoutHours: number;
  onTimeout: z.input<Resolution>;
  /** True: nothing is reserved yet. The run is cancelled when the trip of its input is closed. */
  needsOpenTrip?: boolean;
}

export interface WorkflowDefinition<Input extends z.ZodObject, Tools extends ToolTypes>
  extends Omit<Workflow, "input" | "run" | "searches" | "earlierAnswers"> {
  input: Input;
  earlierAnswers?: { readonly [Name in keyof Tools]?: Partial<Tools[Name]["output"]> };
  searches?(input: z.output<Input>): Search;
  run(input: z.output<Input>, steps: Steps<Tools>): Promise<Readonly<Record<string, unknown>>>;
}

export function defineWorkflow<Input extends z.ZodObject, Tools extends ToolTypes>(
  definition: WorkflowDefinition<Input, Tools>,
): Workflow {
  const { searches, earlierAnswers = {} } = definition;
  return {
    ...definition,
    earlierAnswers,
    ...(searches === undefined ? {} : { searches: (input) => searches(definition.input.parse(input)) }),
    run: (input: unknown, steps: Steps<Tools>) => definition.run(definition.input.parse(input), steps),
  };
}

/** Ends a run as failed, after what it did was undone. A step's own failure is one of these. */
export class StepFailure extends Error {
  readonly code: string;

  constructor(code: string, detail: string) {
    super(detail);
    this.code = code;
  }
}
