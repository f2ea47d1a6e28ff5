import type { ChainOperation } from "../../ports/chain/chain-operation.ts";
import type { RecordSource } from "../../ports/channel-records.ts";
import type { Environment } from "../../ports/identity.ts";
import type { NoticeDocument } from "../../ports/notice-document.ts";
import type { AccountFacts } from "./account.ts";
import type { BesideStores } from "./beside-stores.ts";
import type { ChainEndings } from "./chain-ending.ts";
import type { EffectFollower } from "./effect-follower.ts";
import type { EffectUse } from "./effect-use.ts";
import type { TenantEventKind } from "./events.ts";
import type { Gate } from "./gate.ts";
import type { Job } from "./job.ts";
import type { PartMakersOf, PartsOf } from "./parts.ts";
import type { PersonRecords } from "./person-records.ts";
import type { Prompt } from "./prompt.ts";
import type { Route, RouteDescription } from "./route.ts";
import type { AggregatesOf, StoreParts, Transaction } from "./stores.ts";
import type { Caller, PortsOf, Tool } from "./tool.ts";
import type { WorkTable } from "./work-table.ts";

/**
 * A capability of the product: everything that one folder below `modules/` contributes. The composition knows modules
 * by nothing else. `Seen` lists the modules whose stores, parts and ports it uses: itself and those that it needs.
 */
export interface Module<Seen extends string = string> {
  /** The name of its folder. */
  readonly name: string;
  /** In the order in which they are listed. */
  readonly tools?: readonly Tool[];
  readonly prompts?: readonly Prompt[];
  /** Each declares by its type what it needs to run. */
  readonly routes?: readonly Route<never>[];
  /** Operations that a surface serves for it, for the API description. */
  readonly operations?: readonly RouteDescription[];
  /** Its part of the stored aggregates, over a caller's transaction when `db` is one. */
  stores?(parts: StoreParts & BesideStores<Seen>): Partial<AggregatesOf<Seen>>;
  /** By names that are unique among all modules; they run in the order of their names, and never change once released. */
  readonly migrations?: Readonly<Record<string, Migration>>;
  /**
   * Indexes on tables that may be large by now, by names that are unique among all modules: the text after `create
   * index <name>`. Created after all migrations, concurrently with writes. A changed index gets another name.
   */
  readonly indexes?: Readonly<Record<string, string>>;
  /** Those of earlier releases that are obsolete once `indexes` exist. */
  readonly formerIndexes?: readonly string[];
  /** Its own kinds of chain operations. */
  readonly chainOperations?: readonly ChainOperation[];
  /** Further changes when a chain transaction of one of its purposes ends. */
  readonly chainEndings?: ChainEndings;
  /** Its additions to the parts of the running service. */
  readonly parts?: Partial<PartMakersOf<Seen>>;
  /** Ports that tools of other modules may use. */
  ports?(parts: PartsOf<Seen>, environment: Environment): Partial<PortsOf<Seen>>;
  /** Its facts about the caller's account: for `read_account`, which knows no module. */
  account?(parts: PartsOf<Seen>, caller: Caller): Promise<AccountFacts> | AccountFacts;
  /** Refuse calls by who makes them and by their plan; asked in the order of the modules. */
  gates?(parts: PartsOf<Seen>): readonly Gate[];
  /** Its records about people, over a caller's transaction if `db` is one. */
  personRecords?(parts: StoreParts): PersonRecords;
  /** Further changes when a call's effect outside opens or ends. */
  readonly effectFollower?: EffectFollower<AggregatesOf<Seen>>;
  /** Its effects outside that are finished without a caller. */
  effectUses?(parts: PartsOf<Seen>): readonly EffectUse[];
  /** Its rows that came in or went out by a channel. */
  recordSources?(parts: PartsOf<Seen>): readonly RecordSource[];
  /** Documents that go with notices to people. */
  noticeDocuments?(parts: PartsOf<Seen>): readonly NoticeDocument[];
  /** Tables with its stored, unfinished work. */
  readonly workTables?: readonly WorkTable[];
  /** Events that its tables tell tenants. */
  readonly tenantEvents?: readonly TenantEventKind[];
  /** Gives a tenant the module's initial records, in the transaction that makes the tenant, or later if it was made without. */
  equipTenant?(transaction: Transaction, tenantId: string, settings: PartsOf<Seen>["settings"]): Promise<void>;

  // The steps of a start. All modules take a step, in their order, before the next step begins.

  /** Throws if the database belongs to another deployment, before anything else is opened or written. */
  check?(parts: StoreParts): Promise<void>;
  /** Stores what the service needs before it runs. No other process prepares the database meanwhile. */
  prepare?(parts: PartsOf<Seen>): Promise<void>;
  /** Runs before the first request. May be repeated if the database fails in the middle of it. */
  start?(parts: PartsOf<Seen>): Promise<void>;
  jobs?(parts: PartsOf<Seen>): readonly Job[];
  /** While its jobs are stopped: ends its background work, and resolves when everything is stored. */
  stop?(parts: PartsOf<Seen>): Promise<unknown>;

  gauges?(parts: PartsOf<Seen>): readonly Gauge[];
  /** Lines for the operator when the service is ready. */
  facts?(parts: PartsOf<Seen>): Promise<readonly Fact[]>;
}

interface Migration {
  /** Takes the database library's handle, which only `migrations/` and the platform know. */
  up(db: never): Promise<void>;
}

export interface Fact {
  readonly label: string;
  readonly text: string;
}

/** Tools that the live network does not serve, and until when. */
export function notServed(tools: readonly Pick<Tool, "name">[], until: string): Fact {
  return { label: "not served", text: `${tools.map(({ name }) => name).join(", ")}: chain_not_available ${until}` };
}

/** A metric that is computed when it is read. A job measures values that need a query: see `measured.ts`. */
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

/** Keeps the exact type, so that an aggregate or a part that is declared but made by no module does not compile. */
export type DefineModule<Seen extends string> = <const Definition extends Module<Seen>>(
  definition: Definition,
) => Definition;

/** For a module's `context.ts`, which declares what the module sees. */
export const defineAnyModule = <Definition>(definition: Definition): Definition => definition;
