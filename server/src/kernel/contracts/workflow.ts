import type { z } from "zod";
import type { Cover, PurposeCall } from "./call-plan.ts";
import type { ToolTypes } from "./tool.ts";

/**
 * A workflow is a function that reads as a story: one step per tool call, each undo next to its step. Steps are
 * journaled: after a pause, a crash or a deployment the function runs again from its beginning, and every finished step
 * answers from the journal. It must therefore reach the same steps in the same order for the same answers: clock,
 * randomness and its own requests belong in a `step`, which records their results.
 *
 * A step runs at least once. The effect of a call happens once, as each call carries the run and the step as its
 * idempotency key.
 */
export interface Workflow {
  readonly id: string;
  /** Raised when steps are added, removed or renamed. `Steps.isSince` compares it with the version a run began with. */
  readonly version: number;
  readonly description: string;
  readonly input: z.ZodObject;
  /** Fields that tools' answers lacked in earlier releases, with default values, by the tool's name. */
  readonly earlierAnswers: Readonly<Record<string, unknown>>;
  /** The search that the input asks for: issues of these arguments are issues of the input, too. */
  searches?(input: Readonly<Record<string, unknown>>): Search;
  /** The usual course of a run, for callers: the names of the steps in order. */
  readonly steps: readonly WorkflowStep[];
  /**
   * Takes validated input and returns the run's result. Tools' types are erased here: the kernel has checked each new
   * answer against its tool's schema, and the executor of a run checks each stored one again.
   */
  run(input: unknown, steps: Steps): Promise<Readonly<Record<string, unknown>>>;
}

interface Search {
  tool: string;
  /** Named as in the input. */
  args: Readonly<Record<string, unknown>>;
  /** The names of arguments that are IATA codes of airports or cities. */
  airports?: readonly string[];
}

interface WorkflowStep {
  readonly id: string;
  readonly description: string;
  /** For a pause: the schema of its resolution. Undefined for a call. */
  readonly resolution?: z.ZodObject;
  /** For a pause: who may resolve it. */
  readonly resolvedBy?: PauseDecider;
}

/** The operations of a workflow. */
export interface Steps<Tools extends ToolTypes = ToolTypes> {
  readonly run: {
    readonly id: string;
    /** The service's account, which pays the operator's supplier and so is the vendor of bookings. */
    readonly collectionAddress: string;
  };
  /** Calls a tool and returns its answer. A failure is thrown as `StepFailure`. */
  call<Name extends keyof Tools & string>(
    tool: Name,
    args: Tools[Name]["input"],
    naming?: Naming,
  ): Promise<Tools[Name]["output"]>;
  /**
   * Does work other than a tool call, at least once, and records its JSON result: once recorded, the run gets it from
   * the journal. The name is unique in the run. A `StepFailure` is recorded as well; after any other error the step is
   * tried again later.
   */
  step<Result extends z.ZodType>(
    name: string,
    result: Result,
    work: () => Promise<z.input<Result>>,
  ): Promise<z.output<Result>>;
  /**
   * Waits until a person has approved a call that a policy allows only with approval. The call itself is made later,
   * with the same arguments, and uses the approval up. Throws any other refusal of the call, such as `policy_denied`,
   * and `approval_rejected`.
   */
  approve(asked: Approvable): Promise<void>;
  /** Waits, without holding resources, for a resolution or a timeout. */
  pause<Resolution extends z.ZodObject>(pause: Pause<Resolution>): Promise<z.output<Resolution>>;
  /**
   * Registers `work` for a later failure or cancellation of the run. Registered undos run in reverse order and report
   * the money of an order or a reservation. `expected` predicts that report for an order, for people who must accept a
   * loss; it changes nothing.
   */
  undo(work: () => Promise<UndoEnd | undefined>, expected?: () => Promise<OrderEnd | undefined>): void;
  /**
   * Keeps everything done so far: from here on only later undos run. A cancellation after it is too late for the calls
   * that follow, as they complete the kept ones; only a pause still ends with it.
   */
  keep(): void;
  /** Makes this user of the tenant the lead traveler of later bookings, in place of the run's own traveler. */
  leadBy(userId: string): void;
  /** True for runs that began with this version of the workflow or a later one. */
  isSince(version: number): boolean;
}

/** The cost of an undone order, and how much of it was refunded and lost. */
export interface OrderEnd {
  orderId: string;
  paidUsdc: string;
  refundedUsdc: string;
  lostUsdc: string;
}

/** An undone reservation in escrow, and where its money is now. */
export interface ReservationEnd {
  bookingId: string;
  returnedTo: "trip" | "wallet";
  returnedUsdc: string;
  /** The trip's free budget afterwards. */
  tripFreeUsdc: string;
  /** The code of the reason why it went to the wallet. Null: it is in the trip. */
  walletBecause: string | null;
  /** The same in sentences, with the next action. */
  next: string;
}

export type UndoEnd = OrderEnd | ReservationEnd;

export interface Naming {
  /** The step's name if it differs from the tool's. */
  step?: string;
  /** A policy that judges the purchase in addition to the one that the tenant enforces. */
  policyId?: string;
  /** The later call that this one prepares: an approver of this one is shown that one's purchase. */
  purpose?: PurposeCall;
  /** Pays for the purchase in place of the wallet. */
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
  /** For a person: the reason for waiting. */
  reason: string;
  resolution: Resolution;
  /** Who may resolve it: anyone who may resume the run, only a person who may decide approvals, or only the service itself. */
  by: PauseDecider;
  /** The facts shown to the person who decides; kept with the decision. */
  shown?: object;
  /** The event that resolves it: `event` of `subject`, such as `trip_claimed` of a trip's id. */
  event?: { readonly name: string; readonly subject: string };
  /** After this time the run continues with `onTimeout`. */
  timeoutHours: number;
  onTimeout: z.input<Resolution>;
  /** True: nothing is reserved yet, so the run is cancelled when the trip of its input is closed. */
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

/** Ends a run as failed after its effects were undone. A step's own failure is one of these. */
export class StepFailure extends Error {
  readonly code: string;

  constructor(code: string, detail: string) {
    super(detail);
    this.code = code;
  }
}
