import { createCatalog } from "./kernel/catalog.ts";
import type { ChainEndings } from "./kernel/chain-ending.ts";
import { collectChainOperations } from "./kernel/chain-operation.ts";
import type { Gate, GateParts } from "./kernel/gate.ts";
import type { Module } from "./kernel/module.ts";
import type { Prompt } from "./kernel/prompt.ts";
import type { Route } from "./kernel/route.ts";
import type { Aggregates, StoreParts, Stores } from "./kernel/stores.ts";
import type { Tool } from "./kernel/tool.ts";
import { modules } from "./modules/index.ts";
import type { OpenDatabase, Queryable } from "./platform/database/database.ts";
import type { Migrations } from "./platform/database/migrate.ts";
import type { ChainOperations } from "./ports/chain-operation.ts";
import type { Clock } from "./ports/clock.ts";
import type { Vault } from "./ports/vault.ts";

declare module "./kernel/stores.ts" {
  interface StoreParts {
    db: Queryable;
  }
}

const all: readonly Module[] = modules;

/** Every tool of the service: a module's list takes a tool to all surfaces, the price list and the documentation. */
export const registry: readonly Tool[] = all.flatMap(({ tools = [] }) => tools);

/** Every tool with its schemas, compiled once. */
export const catalog = createCatalog(registry);

/** In the order in which clients list them. */
export const prompts: readonly Prompt[] = all.flatMap(({ prompts: some = [] }) => some);

/** The resource routes of all modules. Who serves them gives what they need to run. */
export const routes = modules.flatMap((one) => ("routes" in one ? [...one.routes] : []));
export type RoutePorts = (typeof routes)[number] extends Route<infer Ports> ? Ports : never;

export const migrations: Migrations = merge(all.map((one) => one.migrations ?? {}));

/** Every kind of chain operation: who carries them out knows none by its name. */
export const chainOperations: ChainOperations = collectChainOperations(
  all.flatMap(({ chainOperations: some = [] }) => some),
);

/** What else changes in the database transaction that stores the end of a chain transaction, by what it was for. */
export const chainEndings: ChainEndings = merge(all.map((one) => one.chainEndings ?? {}));

/** What can refuse a call, in the order in which it is asked. */
export function createGates(parts: GateParts): readonly Gate[] {
  return all.flatMap((one) => one.gates?.(parts) ?? []);
}

/** Over a caller's transaction when `db` is one. An aggregate that no module makes does not compile. */
export function createAggregates(parts: StoreParts): Aggregates {
  return merge(modules.flatMap((one) => ("stores" in one ? [one.stores(parts)] : [])));
}

export function createStores(db: OpenDatabase["db"], clock: Clock, vault: Vault): Stores {
  return {
    ...createAggregates({ db, clock, vault }),
    transaction: (work) => db.transaction().execute((trx) => work(createAggregates({ db: trx, clock, vault }))),
  };
}

type UnionToIntersection<Union> = (Union extends unknown ? (one: Union) => void : never) extends (
  all: infer Intersection,
) => void
  ? Intersection
  : never;

/** What several modules contribute, as one object. No two modules use one name: a test holds that. */
function merge<Part extends object>(parts: readonly Part[]): UnionToIntersection<Part> {
  return Object.assign({}, ...parts);
}
