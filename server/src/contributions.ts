import type { Pool } from "pg";
import type { z } from "zod";
import { joinAccountFacts } from "./kernel/contracts/account.ts";
import { createCatalog, orderTools } from "./kernel/contracts/catalog.ts";
import type { ChainEndings } from "./kernel/contracts/chain-ending.ts";
import { collectChainOperations } from "./kernel/contracts/chain-operation.ts";
import type { EffectFollower } from "./kernel/contracts/effect-follower.ts";
import type { EffectUse } from "./kernel/contracts/effect-use.ts";
import type { TenantEventKind } from "./kernel/contracts/events.ts";
import type { Gate } from "./kernel/contracts/gate.ts";
import type { Module } from "./kernel/contracts/module.ts";
import { listEnvironments } from "./kernel/contracts/parts.ts";
import type { Prompt } from "./kernel/contracts/prompt.ts";
import type { RouteDescription } from "./kernel/contracts/route.ts";
import type { StoreParts } from "./kernel/contracts/stores.ts";
import type { Caller, Tool } from "./kernel/contracts/tool.ts";
import type { Aggregates, Parts, Ports, Stores } from "./kernel/contracts/whole.ts";
import type { WorkTable } from "./kernel/contracts/work-table.ts";
import { modules as contributing, type ToolMap } from "./modules/index.ts";
import type { OpenDatabase, Queryable } from "./platform/database/database.ts";
import type { Schema } from "./platform/database/migrate.ts";
import type { News } from "./platform/database/news.ts";
import type { ChainOperations } from "./ports/chain/chain-operation.ts";
import type { RecordSource } from "./ports/channel-records.ts";
import type { Clock } from "./ports/clock.ts";
import type { Environment, Tenant } from "./ports/identity.ts";
import type { NoticeDocument } from "./ports/notice-document.ts";
import type { Vault } from "./ports/vault.ts";
import { workflows } from "./workflows/index.ts";

declare module "./kernel/contracts/stores.ts" {
  interface StoreParts {
    db: Queryable;
  }
}

declare module "./kernel/contracts/parts.ts" {
  interface CommonParts {
    readonly db: OpenDatabase["db"];
    readonly pool: Pool;
    /** For a connection that listens for changes. */
    readonly databaseUrl: string;
    /** Notifications about work, in every process. */
    readonly news: News;
    readonly tenantCreated: (transaction: Queryable, tenant: Tenant) => Promise<void>;
  }
}

/** The modules as the composition sees them, without their individual types. */
export const modules: readonly Module[] = contributing;

/** Every tool of the service: a module's list takes a tool to all surfaces, the price list and the documentation. */
export const registry: readonly Tool[] = orderTools(modules.flatMap(({ tools = [] }) => tools));

type OutputSchemas = { readonly [Name in keyof ToolMap]: z.ZodType<ToolMap[Name]["output"]> };

/** The schemas of answers by tool name, for clients that read answers from the wire. */
export const outputSchemas: OutputSchemas = Object.assign(
  {},
  ...registry.map(({ name, output }) => ({ [name]: output })),
);

/** Every tool with its schemas, compiled once. */
export const catalog = createCatalog(registry);

/** In the order in which clients list them. */
export const prompts: readonly Prompt[] = modules.flatMap(({ prompts: some = [] }) => some);

/** The resource routes of all modules. The composition provides the ports for running them. */
export const routes = contributing.flatMap((one) => ("routes" in one ? [...one.routes] : []));

/** Operations that a surface serves for a module, for the API description. */
export const operations: readonly RouteDescription[] = modules.flatMap(({ operations: some = [] }) => some);

export const schema: Schema = {
  migrations: merge(modules.map((one) => one.migrations ?? {})),
  indexes: merge(modules.map((one) => one.indexes ?? {})),
  formerIndexes: modules.flatMap((one) => one.formerIndexes ?? []),
};

/** Every kind of chain operation, so that their executor knows none by name. */
export const chainOperations: ChainOperations = collectChainOperations(
  modules.flatMap(({ chainOperations: some = [] }) => some),
);

/** Further changes in the transaction that stores the end of a chain transaction, by its purpose. */
export const chainEndings: ChainEndings = merge(modules.map((one) => one.chainEndings ?? {}));

/** Further changes in the transaction that opens or ends an effect. */
const effectFollowers: readonly EffectFollower[] = modules.flatMap(({ effectFollower }) => effectFollower ?? []);

/** Joins a caller's transaction if `db` is one. An aggregate that no module makes does not compile. */
function createAggregates(parts: StoreParts, database: object = parts.db): Aggregates {
  const personRecords = () => modules.flatMap((one) => one.personRecords?.(parts) ?? []);
  const beside = { effectFollowers, personRecords, database, beside: () => all };
  const all: Aggregates = merge(
    contributing.flatMap((one) => ("stores" in one ? [one.stores({ ...parts, ...beside })] : [])),
  );
  return all;
}

export function createStores(db: OpenDatabase["db"], clock: Clock, vault: Vault): Stores {
  return {
    ...createAggregates({ db, clock, vault }),
    transaction: (work) => db.transaction().execute((trx) => work(createAggregates({ db: trx, clock, vault }, db))),
  };
}

/** Tables of stored, unfinished work. */
export const workTables: readonly WorkTable[] = modules.flatMap((one) => one.workTables ?? []);

/** Every event that tenants are told, by its type. */
export const tenantEvents: readonly TenantEventKind[] = modules
  .flatMap((one) => one.tenantEvents ?? [])
  .toSorted((one, other) => one.type.localeCompare(other.type));

/** The parts that modules make. */
export const moduleParts = merge(contributing.flatMap((one) => ("parts" in one ? [one.parts] : [])));

/** The parts assembled from contributions of modules. */
export const gatheredParts = {
  stores: ({ db, clock, vault }: Parts) => createStores(db, clock, vault),
  chainOperations: () => chainOperations,
  chainEndings: () => chainEndings,
  tenantCreated: createTenantCreated,
  equipTenant: createEquipTenant,
  portsFor: createPorts,
  gates: (parts: Parts): readonly Gate[] => modules.flatMap((one) => one.gates?.(parts) ?? []),
  readAccount: (parts: Parts) => async (caller: Caller) =>
    joinAccountFacts(await Promise.all(modules.map((one) => one.account?.(parts, caller) ?? {}))),
  tools: () => registry,
  effectUses: (parts: Parts): readonly EffectUse[] => modules.flatMap((one) => one.effectUses?.(parts) ?? []),
  recordSources: (parts: Parts): readonly RecordSource[] => modules.flatMap((one) => one.recordSources?.(parts) ?? []),
  noticeDocuments: (parts: Parts): readonly NoticeDocument[] =>
    modules.flatMap((one) => one.noticeDocuments?.(parts) ?? []),
  workTables: () => workTables,
  tenantEvents: () => tenantEvents,
  workflows: () => workflows,
};

/** Equips a new tenant by all modules, in the transaction that creates it. */
export function createTenantCreated(parts: Pick<Parts, "clock" | "vault" | "settings">): Parts["tenantCreated"] {
  const { clock, vault } = parts;
  const equipTenant = createEquipTenant(parts);
  return (db, { id }) => equipTenant(createAggregates({ db, clock, vault }), id);
}

function createEquipTenant({ settings }: Pick<Parts, "settings">): Parts["equipTenant"] {
  return async (aggregates, tenantId) => {
    for (const one of modules) await one.equipTenant?.(aggregates, tenantId, settings);
  };
}

/** The parts that are ports of every tool as they are. */
const COMMON_PORTS = [
  "clock",
  "random",
  "stores",
  "reads",
  "maps",
  "elevation",
  "conditions",
  "nearby",
  "ways",
  "mapTiles",
  "fx",
  "threads",
  "claimKeys",
  "messageAttestations",
  "unifiedBalance",
  "testFaucet",
] as const;

/** One set for each environment with an enabled supplier and chain. A port that nothing provides does not compile. */
function createPorts(parts: Parts): Parts["portsFor"] {
  const common = pick(parts, COMMON_PORTS);
  const ports: { -readonly [Name in Environment]?: Ports } = {};
  for (const [environment, { webhooks: _, ...bought }] of listEnvironments(parts.suppliers)) {
    const chain = parts.chains.home(environment)?.chain;
    if (chain === undefined) continue;
    const own = merge(contributing.flatMap((one) => ("ports" in one ? [one.ports(parts, environment)] : [])));
    ports[environment] = { ...common, ...bought, chain, ...own };
  }
  return (environment) => ports[environment];
}

function pick<Whole extends object, Name extends keyof Whole>(whole: Whole, names: readonly Name[]): Pick<Whole, Name> {
  return Object.assign({}, ...names.map((name) => ({ [name]: whole[name] })));
}

type UnionToIntersection<Union> = (Union extends unknown ? (one: Union) => void : never) extends (
  all: infer Intersection,
) => void
  ? Intersection
  : never;

/** Merges contributions of several modules. A test checks that no two modules use the same name. */
function merge<Part extends object>(parts: readonly Part[]): UnionToIntersection<Part> {
  return Object.assign({}, ...parts);
}
