import type { z } from "zod";
import { Failure, type FailureDetails, type Issue, invalidInput } from "../../domain/errors.ts";
import { type ExampleIds, type GivenIds, sampleIds } from "../../domain/example-ids.ts";
import type { RandomBytes } from "../../domain/ids.ts";
import { formatDecimal, type Micro } from "../../domain/money.ts";
import { buildScope, type ToolArea, type ToolEffect } from "../../domain/scopes.ts";
import type { Plain } from "../../domain/texts.ts";
import type { Chain } from "../../ports/chain/chain.ts";
import type { ChainSubmission } from "../../ports/chain/chain-transactions.ts";
import type { ClaimKeys } from "../../ports/chain/claim-keys.ts";
import type { MessageAttestationsByNetwork } from "../../ports/chain/message-attestations.ts";
import type { UnifiedBalanceByNetwork } from "../../ports/chain/unified-balance.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Conditions } from "../../ports/conditions.ts";
import type { Elevation } from "../../ports/elevation.ts";
import type { FxRates } from "../../ports/fx.ts";
import type { Environment } from "../../ports/identity.ts";
import type { MapTiles } from "../../ports/map-tiles.ts";
import type { Maps } from "../../ports/maps.ts";
import type { Nearby } from "../../ports/nearby.ts";
import type { FlightServicing } from "../../ports/supplier/flight-servicing.ts";
import type { Flights } from "../../ports/supplier/flights.ts";
import type { StayBookings } from "../../ports/supplier/stay-bookings.ts";
import type { Stays } from "../../ports/supplier/stays.ts";
import type { TestFaucetByEnvironment } from "../../ports/test-faucet.ts";
import type { Threads } from "../../ports/threads.ts";
import type { Ways } from "../../ports/ways.ts";
import type { CallPlan, Cover, PlannedArrival } from "./call-plan.ts";
import type { Preview, PreviewOptions } from "./preview-answer.ts";
import type { OwnedBy, ReadsOf, StoresOf } from "./stores.ts";
import type { TripNote } from "./trip-note.ts";

/** The ports of every tool, in addition to those of its module and the modules that it sees. */
export interface CommonPorts {
  clock: Clock;
  random: RandomBytes;
  flights: Flights;
  flightServicing: FlightServicing;
  stays: Stays;
  stayBookings: StayBookings;
  maps: Maps;
  elevation: Elevation;
  conditions: Conditions;
  nearby: Nearby;
  ways: Ways;
  mapTiles: MapTiles;
  /** The chain that holds the caller's money, and the submitter of its transactions. */
  chain: Chain;
  submission: ChainSubmission;
  fx: FxRates;
  threads: Threads;
  claimKeys: ClaimKeys;
  messageAttestations: MessageAttestationsByNetwork;
  unifiedBalance: UnifiedBalanceByNetwork;
  testFaucet: TestFaucetByEnvironment;
}

/**
 * Ports that modules offer to tools, by module and name. Each module adds its own next to their types.
 *
 * @public
 */
// biome-ignore lint/suspicious/noEmptyInterface: modules add to it by declaration merging.
export interface ModulePorts {}

interface SeenPorts<Name extends string> {
  stores: StoresOf<Name>;
  /** For lists. */
  reads: ReadsOf<Name>;
}

/** Everything that a tool of a module with this view may use; each tool lists what it uses and sees nothing else. */
export type PortsOf<Name extends string> = CommonPorts & SeenPorts<Name> & OwnedBy<Name, ModulePorts>;

export type AllPorts = PortsOf<string>;

/** The caller on whose behalf a call runs. Tools act on this tenant's records and money only. */
export interface Caller {
  /** `payer:<address>` without a key: no tenant, and it owns nothing. */
  tenantId: string;
  keyId: string;
  /** The user given by the caller, if the key may act as that user; else `svc:<keyId>`. */
  userId: string;
  /** The user given by the caller as a traveler or beneficiary, if any. */
  namedUserId?: string | undefined;
  /** The traveler profile used for the caller's own trips. */
  travelerId: string;
  /** Travels first in a workflow run's bookings, in place of `travelerId`. */
  leadTravelerId?: string | undefined;
  environment: Environment;
  /** The scopes of the caller's key; empty without a key. */
  scopes: readonly string[];
  /** Undefined if the wallet pays. */
  cover?: Cover | undefined;
}

export interface CallInfo {
  id: string;
  /** As the caller gave it. It stays the same when a call is sent again; the call's id changes once the first call is known to be dead. */
  idempotencyKey: string | undefined;
  traceId: string;
  /** The call was let through because its plan says that it repeats an earlier one. It must begin nothing new. */
  isRepeat: boolean;
  /** Aborted when the caller has gone or the service is stopping. A commit that was sent is never abandoned because of it. */
  signal: AbortSignal;
  /** Names the next step in a few words, for callers who watch a long call. */
  progress(step: string): void;
  /** Previews another call by the same caller, without making it. */
  preview(toolName: string, args: unknown, options?: PreviewOptions): Promise<Preview>;
}

interface CallContext<Code extends string> {
  caller: Caller;
  call: CallInfo;
  fail(code: Code, details?: FailureDetails): Failure;
  /** For rules that need more than the arguments, such as today's date at an airport. */
  invalid(...issues: Issue[]): Failure;
}

interface PlanContext {
  caller: Caller;
}

/** The answer of an earlier call: nothing ran again, and nothing is paid again. */
export class Replayed<Result> {
  readonly result: Result;
  readonly firstCallId: string;

  constructor(result: Result, firstCallId: string) {
    this.result = result;
    this.firstCallId = firstCallId;
  }
}

/** `*` stands for every key or place: see call/read-arguments.ts. */
type KeyOnlyInput<Name extends string> = Name | `${Name}.${string}`;

export interface ToolDefinition<
  Name extends string,
  Input extends z.ZodObject,
  Output extends z.ZodType,
  Code extends string,
  Ports,
  Use extends keyof Ports,
> {
  name: Name;
  /** Accepted names that are not listed. */
  aliases?: readonly string[];
  /** Lists it right after this tool of another module; left out: after the tool before it in its own. */
  listedAfter?: string;
  title: string;
  /** The question whether to make a call begins with it, in the user's language. Left out: with `title`. */
  titles?: Plain;
  summary: string;
  /** When to choose it, what to call before and after it, and units: for a model that reads only this. */
  advice?: string;
  area: ToolArea;
  /** Any one of them lets a key call it; `[]` admits every key. Defaults to the scope of its area and effect. */
  scopes?: readonly string[];
  /** `read` changes nothing, `write` changes records, `spend` moves money. Scope, charging and hints follow from it. */
  effect: ToolEffect;
  /**
   * True: it only asks a supplier for a quote that lapses by itself and moves no money, although it is stored. A
   * conversation calls it without asking the user first.
   */
  onlyAsks?: true;
  /** True: it asks a language model itself, so that no model is offered it. */
  asksModel?: true;
  price: Micro;
  payableWithoutKey: boolean;
  /**
   * False: a caller that pays with a signed payment gets the answer once, and it is not stored, such as the contents of
   * a document. By default it can be fetched again for a while.
   */
  answerIsKept?: boolean;
  /** The largest request body of a call, in bytes, for a tool that takes documents. Defaults to the limit of every surface. */
  maximumBodyBytes?: number;
  /**
   * How many calls one counts as where calls without a payment are limited, for a tool whose failures are expensive for
   * the service. Defaults to 1.
   */
  unpaidWeight?: number;
  /** Arguments, or paths below them, that concern a tenant's records: refused to callers that pay without a key. */
  keyOnlyInputs?: readonly KeyOnlyInput<keyof z.output<Input> & string>[];
  uses: readonly Use[];
  input: Input;
  output: Output;
  /** The meaning of each code, and what the caller should do next. */
  errors: Readonly<Record<Code, string>>;
  /** Valid arguments, given today's date and existing ids. */
  example(today: Temporal.PlainDate, ids: ExampleIds): z.input<NoInfer<Input>>;
  /** Ids in the example's result that examples of other tools can use; undefined marks an id that the example has used up. */
  gives?(result: z.output<NoInfer<Output>>): GivenIds;
  /** Ids that its example ends for good: it runs when no other example needs them any more. */
  usesUp?: readonly (keyof ExampleIds)[];
  /**
   * Issues beyond the schema's, found with the service's own data. Asked even if the schema refuses the arguments, so
   * that a caller learns everything at once. Takes the raw arguments.
   */
  check?(args: unknown, context: Pick<CommonPorts, Use & keyof CommonPorts>): readonly Issue[];
  /** The part of a call that goes into the record of its trip. Left out if the stored records tell it. Undefined: nothing. */
  remember?(input: z.output<Input>, result: z.output<NoInfer<Output>>): TripNote | undefined;
  /**
   * The money that a call with these arguments would move and its irreversible consequences, for tools that write or
   * spend. Computed from the arguments and the service's own records: asks no chain and no supplier, changes nothing,
   * and refuses nothing.
   */
  plan?(input: z.output<Input>, context: Pick<Ports, Use> & PlanContext): Promise<CallPlan> | CallPlan;
  /**
   * Throws the refusals that the call would get before it does anything, also those that only a supplier or the chain
   * knows. `run` begins with the same checks, and a preview runs them after the plan. Changes nothing, here or outside.
   */
  probe?(input: z.output<Input>, context: Pick<Ports, Use> & PlanContext): Promise<unknown>;
  /** Sentences for a preview that only a supplier or the chain can say, such as a quote. Asked after the probe, which refuses. */
  remarks?(input: z.output<Input>, context: Pick<Ports, Use> & PlanContext): Promise<readonly string[]>;
  /** Says what a transfer between chains would bring. Asked after the probe, which refuses. Undefined: it is not known before the call. */
  arrival?(input: z.output<Input>, context: Pick<Ports, Use> & PlanContext): Promise<PlannedArrival | undefined>;
  /**
   * Makes the whole answer from the stored result of the effect, for callers that send a call again after another
   * process finished it. `run` makes its answer from the same. Left out if the whole answer is stored.
   */
  complete?(stored: unknown, context: Pick<Ports, Use> & PlanContext): Promise<z.input<NoInfer<Output>>>;
  run(
    input: z.output<Input>,
    context: Pick<Ports, Use> & CallContext<NoInfer<Code>>,
  ): Promise<z.input<NoInfer<Output>> | Replayed<z.input<NoInfer<Output>>>>;
}

/** A tool as surfaces and the kernel see it, with the types of its arguments and result erased. */
export interface Tool {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly listedAfter: string | undefined;
  readonly title: string;
  readonly titles: Plain | undefined;
  readonly summary: string;
  /** The description for a model: the summary, when to choose it, and its price. */
  readonly description: string;
  readonly area: ToolArea;
  readonly scopes: readonly string[];
  readonly effect: ToolEffect;
  readonly onlyAsks: boolean;
  readonly asksModel: boolean;
  readonly price: Micro;
  readonly payableWithoutKey: boolean;
  readonly answerIsKept: boolean;
  /** Undefined for the limit of every surface. */
  readonly maximumBodyBytes: number | undefined;
  readonly unpaidWeight: number;
  readonly keyOnlyInputs: readonly string[];
  readonly uses: readonly (keyof AllPorts)[];
  readonly input: z.ZodObject;
  readonly output: z.ZodType;
  readonly errors: Readonly<Record<string, string>>;
  /** Without `ids` it uses well-formed samples that do not exist. */
  example(today: Temporal.PlainDate, ids?: ExampleIds): Readonly<Record<string, unknown>>;
  readonly usesUp: readonly (keyof ExampleIds)[];
  /** Takes an answer as a caller received it. */
  gives(result: unknown): GivenIds;
  /** Takes arguments as sent. */
  readonly check: ((args: unknown, ports: CommonPorts) => readonly Issue[]) | undefined;
  /** Takes arguments and a result as the caller saw them. */
  remember(args: unknown, result: unknown): TripNote | undefined;
  /** Takes validated arguments. Undefined if the tool has no plan, such as a read. */
  readonly plan: ((input: unknown, ports: AllPorts, caller: Caller) => Promise<CallPlan>) | undefined;
  /** Takes validated arguments. Undefined if the plan says everything that is known before the run. */
  readonly probe: ((input: unknown, ports: AllPorts, caller: Caller) => Promise<void>) | undefined;
  /** Takes validated arguments. Undefined if the plan has all remarks. */
  readonly remarks: ((input: unknown, ports: AllPorts, caller: Caller) => Promise<readonly string[]>) | undefined;
  /** Takes validated arguments. Undefined for tools that are no transfers between chains. */
  readonly arrival:
    | ((input: unknown, ports: AllPorts, caller: Caller) => Promise<PlannedArrival | undefined>)
    | undefined;
  /** Takes the stored result of the effect and returns an unchecked result. Undefined if whole answers are stored. */
  readonly complete: ((stored: unknown, ports: AllPorts, caller: Caller) => Promise<unknown>) | undefined;
  /** Takes validated arguments and returns an unchecked result. */
  run(input: unknown, ports: AllPorts, caller: Caller, call: CallInfo): Promise<unknown>;
}

/** A tool whose name and schemas the compiler knows. */
export interface TypedTool<Name extends string, Input extends z.ZodObject, Output extends z.ZodType> extends Tool {
  readonly name: Name;
  readonly input: Input;
  readonly output: Output;
}

/** Tools by name: their arguments and their answers. */
export type ToolTypes = Readonly<Record<string, { input: object; output: unknown }>>;

/** The types of listed tools by name. */
export type TypesOf<Listed extends TypedTool<string, z.ZodObject, z.ZodType>> = {
  readonly [One in Listed as One["name"]]: { input: z.input<One["input"]>; output: z.output<One["output"]> };
};

/** Shows the list price, so that one list serves every caller. */
function describe({ summary, advice, price }: { summary: string; advice?: string; price: Micro }): string {
  const said = advice === undefined ? summary : `${summary} ${advice}`;
  return `${said} Price: ${formatDecimal(price)} USDC.`;
}

/** Defines the tools of a module that sees these modules. */
export type DefineTool<Seen extends string> = <
  const Name extends string,
  Input extends z.ZodObject,
  Output extends z.ZodType,
  const Code extends string,
  const Use extends keyof PortsOf<Seen>,
>(
  definition: ToolDefinition<Name, Input, Output, Code, PortsOf<Seen>, Use>,
) => TypedTool<Name, Input, Output>;

/** For a module's `context.ts`, which declares what its tools see. */
export function defineAnyTool<
  const Name extends string,
  Input extends z.ZodObject,
  Output extends z.ZodType,
  const Code extends string,
  const Use extends keyof AllPorts,
>(definition: ToolDefinition<Name, Input, Output, Code, AllPorts, Use>): TypedTool<Name, Input, Output> {
  const {
    run,
    plan,
    probe,
    remarks,
    arrival,
    check,
    complete,
    advice,
    example,
    gives,
    remember,
    keyOnlyInputs = [],
    aliases = [],
    listedAfter,
    titles,
    usesUp = [],
    answerIsKept = true,
    maximumBodyBytes,
    unpaidWeight = 1,
    onlyAsks = false,
    asksModel = false,
    ...face
  } = definition;
  // The one marked place: invoke passes the value that `input` itself parsed, so the erased type is restored, not guessed.
  const parsed = (input: unknown) => input as z.output<Input>;
  const fail: CallContext<Code>["fail"] = (code, details) =>
    new Failure(code, { detail: definition.errors[code], ...details });
  const invalid: CallContext<Code>["invalid"] = (...issues) => invalidInput(issues);
  return {
    ...face,
    description: describe(definition),
    aliases,
    listedAfter,
    titles,
    answerIsKept,
    maximumBodyBytes,
    unpaidWeight,
    onlyAsks,
    asksModel,
    keyOnlyInputs,
    usesUp,
    scopes: definition.scopes ?? [buildScope(definition.area, definition.effect)],
    example: (today, ids = sampleIds) => example(today, ids),
    gives: (result) => gives?.(definition.output.parse(result)) ?? {},
    check,
    remember: (args, result) => remember?.(definition.input.parse(args), definition.output.parse(result)),
    plan:
      plan === undefined
        ? undefined
        : async (input, ports, caller) => await plan(parsed(input), Object.assign({}, ports, { caller })),
    probe:
      probe === undefined
        ? undefined
        : async (input, ports, caller) => {
            await probe(parsed(input), Object.assign({}, ports, { caller }));
          },
    remarks:
      remarks === undefined
        ? undefined
        : async (input, ports, caller) => await remarks(parsed(input), Object.assign({}, ports, { caller })),
    arrival:
      arrival === undefined
        ? undefined
        : async (input, ports, caller) => await arrival(parsed(input), Object.assign({}, ports, { caller })),
    complete:
      complete === undefined
        ? undefined
        : async (stored, ports, caller) => await complete(stored, Object.assign({}, ports, { caller })),
    run: (input, ports, caller, call) => {
      // One literal, as this runs for every call and joining two objects costs more.
      const context: AllPorts & CallContext<Code> = { ...ports, caller, call, fail, invalid };
      return run(parsed(input), context);
    },
  };
}
