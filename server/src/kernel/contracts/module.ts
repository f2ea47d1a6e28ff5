import type { ChainOperation } from "../../ports/chain/chain-operation.ts";
import type { Environment } from "../../ports/identity.ts";
import type { AccountFacts } from "./account.ts";
import type { BesideStores } from "./beside-stores.ts";
import type { ChainEndings } from "./chain-ending.ts";
import type { EffectFollower } from "./effect-follower.ts";
import type { EffectUse } from "./effect-use.ts";
import type { Gate } from "./gate.ts";
import type { Job } from "./job.ts";
import type { PartMakersOf, PartsOf } from "./parts.ts";
import type { PersonRecords } from "./person-records.ts";
import type { Prompt } from "./prompt.ts";
import type { Route } from "./route.ts";
import type { AggregatesOf, StoreParts, Transaction } from "./stores.ts";
import type { Caller, PortsOf, Tool } from "./tool.ts";
import type { WorkTable } from "./work-table.ts";

/**
 * A capability of the product: what one folder below `modules/` contributes. The composition knows modules by nothing else. `Seen`
 * are the modules whose stores, parts and ports it uses: itself and those that it needs.
 */
export interface Module<Seen extends string = string> {
  /** The name of its folder. */
  readonly name: string;
  /** In the order in which they are listed. */
  readonly tools?: readonly Tool[];
  readonly prompts?: readonly Prompt[];
  /** Each names by its type what it needs to run. */
  readonly routes?: readonly Route<never>[];
  /** Its part of the stored aggregates, over a caller's transaction when `db` is one. */
  stores?(parts: StoreParts & BesideStores<Seen>): Partial<AggregatesOf<Seen>>;
  /** By names that are unique among all modules; they run in the order of their names, and never change once released. */
  readonly migrations?: Readonly<Record<string, Migration>>;
  /**
   * On tables that may have grown when the index is new, by names that are unique among all modules: what follows `create index
   * <name>`. They are made after all migrations, while others write. One that changes gets another name.
   */
  readonly indexes?: Readonly<Record<string, string>>;
  /** Those of earlier releases that nothing needs any more when `indexes` are there. */
  readonly formerIndexes?: readonly string[];
  /** The kinds of chain operations that are its own. */
  readonly chainOperations?: readonly ChainOperation[];
  /** What else changes when a chain transaction of one of its purposes ends. */
  readonly chainEndings?: ChainEndings;
  /** What it adds to the parts of the running service. */
  readonly parts?: Partial<PartMakersOf<Seen>>;
  /** What it lets tools of other modules use. */
  ports?(parts: PartsOf<Seen>, environment: Environment): Partial<PortsOf<Seen>>;
  /** What it says of the account of who calls: for `read_account`, which knows no module. */
  account?(parts: PartsOf<Seen>, caller: Caller): Promise<AccountFacts> | AccountFacts;
  /** What can refuse a call because of who makes it and what it would do; asked in the order of the modules. */
  gates?(parts: PartsOf<Seen>): readonly Gate[];
  /** What it holds of people, over a caller's transaction when `db` is one. */
  personRecords?(parts: StoreParts): PersonRecords;
  /** What of its own follows what calls do outside. */
  readonly effectFollower?: EffectFollower<AggregatesOf<Seen>>;
  /** What of its effects outside is finished without a caller. */
  effectUses?(parts: PartsOf<Seen>): readonly EffectUse[];
  /** Where its work waits that is stored and not finished. */
  readonly workTables?: readonly WorkTable[];
  /** What a tenant gets of it, in the transaction that makes the tenant, or later when it was made without. */
  equipTenant?(transaction: Transaction, tenantId: string, settings: PartsOf<Seen>["settings"]): Promise<void>;

  // The steps of a start, each taken by all modules in their order before the next one begins.

  /** Throws when the database is not this deployment's, before anything else is opened or written. */
  check?(parts: StoreParts): Promise<void>;
  /** What must be stored before the service can run. No other process is preparing the database meanwhile. */
  prepare?(parts: PartsOf<Seen>): Promise<void>;
  /** What must have happened before the first request. May be repeated, when the database goes away in the middle of it. */
  start?(parts: PartsOf<Seen>): Promise<void>;
  jobs?(parts: PartsOf<Seen>): readonly Job[];
  /** While its jobs are stopped: ends what it has begun beside them, and resolves when nothing is left to be written down. */
  stop?(parts: PartsOf<Seen>): Promise<unknown>;

  gauges?(parts: PartsOf<Seen>): readonly Gauge[];
  /** What the operator is told when the service is ready. */
  facts?(parts: PartsOf<Seen>): Promise<readonly Fact[]>;
}

interface Migration {
  /** Takes what the database's library gives it, which only `migrations/` and the platform know. */
  up(db: never): Promise<void>;
}

export interface Fact {
  readonly label: string;
  readonly text: string;
}

/** What the live network does not serve, and until when. */
export function notServed(tools: readonly Pick<Tool, "name">[], until: string): Fact {
  return { label: "not served", text: `${tools.map(({ name }) => name).join(", ")}: chain_not_available ${until}` };
}

/** A metric that is read when it is asked for. What needs a query is measured by a job: see `measured.ts`. */
export interface Gauge {
  readonly name: string;
  readonly help: string;
  readonly labelNames?: readonly string[];
  read(): readonly GaugeValue[];
}

export interface GaugeValue {
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Keeps the exact type, so that an aggregate or a part that is declared and made by no module does not compile. */
export type DefineModule<Seen extends string> = <const Definition extends Module<Seen>>(
  definition: Definition,
) => Definition;

/** For a module's `context.ts`, which says what the module sees. */
export const defineAnyModule = <Definition>(definition: Definition): Definition => definition;
