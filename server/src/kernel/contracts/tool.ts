import type { z } from "zod";
import { Failure, type FailureDetails, type Issue, invalidInput } from "../../domain/errors.ts";
import { type ExampleIds, type GivenIds, sampleIds } from "../../domain/example-ids.ts";
import type { RandomBytes } from "../../domain/ids.ts";
import { formatDecimal, type Micro } from "../../domain/money.ts";
import { type Effect, scopeOf, type ToolArea } from "../../domain/scopes.ts";
import type { Chain } from "../../ports/chain/chain.ts";
import type { ChainSubmission } from "../../ports/chain/chain-transactions.ts";
import type { ClaimKeys } from "../../ports/chain/claim-keys.ts";
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
import type { Ways } from "../../ports/ways.ts";
import type { Cover, Plan } from "./plan.ts";
import type { Preview } from "./preview-answer.ts";
import type { OwnedBy, ReadsOf, StoresOf } from "./stores.ts";
import type { TripNote } from "./trip-note.ts";

/** What every tool may ask for, beside what its module sees of modules. */
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
  /** The chain that the caller's money is on, and what brings its transactions to their end. */
  chain: Chain;
  submission: ChainSubmission;
  fx: FxRates;
  claimKeys: ClaimKeys;
}

/**
 * What modules let tools use, by module and name. Each module adds its own beside their types.
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

/** Everything that a tool of a module which sees these may ask for; each tool lists what it uses and sees nothing else. */
export type PortsOf<Name extends string> = CommonPorts & SeenPorts<Name> & OwnedBy<Name, ModulePorts>;

export type AllPorts = PortsOf<string>;

/** On whose behalf a call runs. Tools act on this tenant's records and money only. */
export interface Caller {
  /** Without a key `payer:<address>`, which is no tenant and owns nothing. */
  tenantId: string;
  keyId: string;
  /** Who asks: the user given by the caller, where the key may act as that user; else `svc:<keyId>`. */
  userId: string;
  /** The user given by the caller, as a traveler or for whom it asks. Left out: none. */
  namedUserId?: string | undefined;
  /** Whose traveler profile the caller's own trips use. */
  travelerId: string;
  /** Travels first in what a run of a workflow books, in place of `travelerId`. */
  leadTravelerId?: string | undefined;
  environment: Environment;
  /** What the caller's key may do; without a key none. */
  scopes: readonly string[];
  /** Undefined: the wallet pays. */
  cover?: Cover | undefined;
}

export interface CallInfo {
  id: string;
  /** As the caller gave it: the same for a call that is sent again, whose id is another one once the first is known to be dead. */
  idempotencyKey: string | undefined;
  traceId: string;
  /** It was let through because its plan said that an earlier call does it. It begins nothing of its own. */
  isRepeat: boolean;
  /** Aborted when the caller has gone or the service is stopping. A commit that was sent is never abandoned because of it. */
  signal: AbortSignal;
  /** Says in a few words what begins now, for callers who watch a call that takes long. */
  progress(step: string): void;
  /** What another call by the same caller would get now, without making it. */
  preview(toolName: string, args: unknown): Promise<Preview>;
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

/** An answer that an earlier call already gave: nothing ran again, and what was paid then is not paid again. */
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
  /** Other names that it is called by, and that are listed nowhere. */
  aliases?: readonly string[];
  title: string;
  summary: string;
  /** When to choose it, what comes before and after it, and units: for a model that reads only this. */
  advice?: string;
  area: ToolArea;
  /** Any one of them lets a key call it, and `[]` every key; left out: the scope of its area and effect. */
  scopes?: readonly string[];
  /** `read` changes nothing, `write` changes records, `spend` moves money. Scope, charging and hints follow from it. */
  effect: Effect;
  price: Micro;
  payableWithoutKey: boolean;
  /**
   * False: who pays for a call with a signed payment gets its answer once and nothing of it is stored, such as what stands in a
   * document. Left out: it is given again for a while.
   */
  answerIsKept?: boolean;
  /** The largest request body of a call, in bytes, for a tool that takes documents. Left out: what every surface takes. */
  maximumBodyBytes?: number;
  /**
   * As how many calls one counts where calls that bring no payment are limited, for a tool whose failures cost the service more than
   * those of others. Left out: 1.
   */
  unpaidWeight?: number;
  /** Arguments that concern a tenant's records, or paths below them: refused to who pays without a key. */
  keyOnlyInputs?: readonly KeyOnlyInput<keyof z.output<Input> & string>[];
  uses: readonly Use[];
  input: Input;
  output: Output;
  /** What each code means and what the caller should do next. */
  errors: Readonly<Record<Code, string>>;
  /** Arguments that work, given today's date and ids that exist. */
  example(today: Temporal.PlainDate, ids: ExampleIds): z.input<NoInfer<Input>>;
  /** Ids in a result of the example that examples of other tools can name; undefined: one that the example has used up. */
  gives?(result: z.output<NoInfer<Output>>): GivenIds;
  /** Ids that its example ends for good: it runs when no other example names them any more. */
  usesUp?: readonly (keyof ExampleIds)[];
  /**
   * What is wrong with arguments beside what the schema says, from data that the service has with it: asked also where the schema
   * refuses them, so that a caller learns of everything at once. It takes what was sent, whatever that is.
   */
  check?(args: unknown, context: Pick<CommonPorts, Use & keyof CommonPorts>): readonly Issue[];
  /** What of a call is kept in the record of the trip that it was made for; left out: what it has stored says it. Undefined: nothing. */
  remember?(input: z.output<Input>, result: z.output<NoInfer<Output>>): TripNote | undefined;
  /**
   * What a call with these arguments would move and what would become final, for tools that write or spend. It comes from the
   * arguments and the service's own records: it asks no chain and no supplier, changes nothing, and refuses nothing.
   */
  plan?(input: z.output<Input>, context: Pick<Ports, Use> & PlanContext): Promise<Plan> | Plan;
  /**
   * Throws what the call would be refused with before it does anything, also where only a supplier or the chain can say it: `run`
   * begins with the same checks, and a preview asks them after the plan. It changes nothing, here or outside.
   */
  probe?(input: z.output<Input>, context: Pick<Ports, Use> & PlanContext): Promise<unknown>;
  /**
   * The whole answer, from what is stored with what the call did: for who sends a call again that others have finished, as its
   * process had died or nobody knew what it had done. `run` makes its answer of the same. Left out: all of the answer is stored.
   */
  complete?(stored: unknown, context: Pick<Ports, Use> & PlanContext): Promise<z.input<NoInfer<Output>>>;
  run(
    input: z.output<Input>,
    context: Pick<Ports, Use> & CallContext<NoInfer<Code>>,
  ): Promise<z.input<NoInfer<Output>> | Replayed<z.input<NoInfer<Output>>>>;
}

/** A tool as surfaces and the kernel see it: the types of its arguments and result are erased. */
export interface Tool {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly title: string;
  readonly summary: string;
  /** What a model reads of it: the summary, when to choose it, and its price. */
  readonly description: string;
  readonly area: ToolArea;
  readonly scopes: readonly string[];
  readonly effect: Effect;
  readonly price: Micro;
  readonly payableWithoutKey: boolean;
  readonly answerIsKept: boolean;
  /** Undefined: what every surface takes. */
  readonly maximumBodyBytes: number | undefined;
  readonly unpaidWeight: number;
  readonly keyOnlyInputs: readonly string[];
  readonly uses: readonly (keyof AllPorts)[];
  readonly input: z.ZodObject;
  readonly output: z.ZodType;
  readonly errors: Readonly<Record<string, string>>;
  /** Without `ids` it names samples of their form, which do not exist. */
  example(today: Temporal.PlainDate, ids?: ExampleIds): Readonly<Record<string, unknown>>;
  readonly usesUp: readonly (keyof ExampleIds)[];
  /** Takes what a caller received. */
  gives(result: unknown): GivenIds;
  /** Takes arguments as they were sent. */
  readonly check: ((args: unknown, ports: CommonPorts) => readonly Issue[]) | undefined;
  /** Takes arguments and a result as the caller had them. */
  remember(args: unknown, result: unknown): TripNote | undefined;
  /** Takes validated arguments. Undefined: the tool has no plan, as reads have none. */
  readonly plan: ((input: unknown, ports: AllPorts, caller: Caller) => Promise<Plan>) | undefined;
  /** Takes validated arguments. Undefined: the plan says all that is known before the run. */
  readonly probe: ((input: unknown, ports: AllPorts, caller: Caller) => Promise<void>) | undefined;
  /** Takes what was stored with what a call did; an unchecked result comes out. Undefined: all of an answer is stored. */
  readonly complete: ((stored: unknown, ports: AllPorts, caller: Caller) => Promise<unknown>) | undefined;
  /** Validated arguments in, an unchecked result out. */
  run(input: unknown, ports: AllPorts, caller: Caller, call: CallInfo): Promise<unknown>;
}

/** A tool whose name and schemas the compiler knows. */
export interface TypedTool<Name extends string, Input extends z.ZodObject, Output extends z.ZodType> extends Tool {
  readonly name: Name;
  readonly input: Input;
  readonly output: Output;
}

/** Tools by name: the arguments that a caller gives and the answer that it gets. */
export type ToolTypes = Readonly<Record<string, { input: object; output: unknown }>>;

/** The types of listed tools by name. */
export type TypesOf<Listed extends TypedTool<string, z.ZodObject, z.ZodType>> = {
  readonly [One in Listed as One["name"]]: { input: z.input<One["input"]>; output: z.output<One["output"]> };
};

/** The price is the list price, so that one list serves everybody. */
function describe({ summary, advice, price }: { summary: string; advice?: string; price: Micro }): string {
  const said = advice === undefined ? summary : `${summary} ${advice}`;
  return `${said} Price: ${price} micro-USDC (${formatDecimal(price)} USDC).`;
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

/** For a module's `context.ts`, which says what its tools see. */
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
    check,
    complete,
    advice,
    example,
    gives,
    remember,
    keyOnlyInputs = [],
    aliases = [],
    usesUp = [],
    answerIsKept = true,
    maximumBodyBytes,
    unpaidWeight = 1,
    ...face
  } = definition;
  // The one marked place: invoke hands over what `input` itself parsed, so the erased type is restored, not guessed.
  const parsed = (input: unknown) => input as z.output<Input>;
  return {
    ...face,
    description: describe(definition),
    aliases,
    answerIsKept,
    maximumBodyBytes,
    unpaidWeight,
    keyOnlyInputs,
    usesUp,
    scopes: definition.scopes ?? [scopeOf(definition.area, definition.effect)],
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
    complete:
      complete === undefined
        ? undefined
        : async (stored, ports, caller) => await complete(stored, Object.assign({}, ports, { caller })),
    run: (input, ports, caller, call) => {
      // One literal, as this runs for every call: to join two objects costs more.
      const context: AllPorts & CallContext<Code> = {
        ...ports,
        caller,
        call,
        fail: (code, details) => new Failure(code, { detail: definition.errors[code], ...details }),
        invalid: (...issues) => invalidInput(issues),
      };
      return run(parsed(input), context);
    },
  };
}
