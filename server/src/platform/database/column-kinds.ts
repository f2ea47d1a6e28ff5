import type { ColumnType } from "kysely";
import type { Hex } from "../../domain/tokens.ts";

/** The building blocks of the generated table types. */

/** Kinds that a module assigns to its columns in `column-types.ts`, as the database does not know them. */
export const columnKinds = ["Environment", "Hex", "HexList", "JsonObject"] as const;
export type ColumnTypes = Readonly<Record<string, (typeof columnKinds)[number]>>;

export type { Hex };

/** Read as an instant; written as its ISO 8601 text, which the driver can send. */
export type Timestamp = ColumnType<Temporal.Instant, string, string>;

/**
 * Read as any value, which the store validates; written as JSON text, since the driver would send an array as one of
 * PostgreSQL's.
 */
export type Json = ColumnType<unknown, string, string>;

/** A JSON column that always holds an object. */
export type JsonObject = ColumnType<Readonly<Record<string, unknown>>, string, string>;

export type HexList = Hex[];

export type Environment = "sandbox" | "production";

/** A column with a default in the database. */
export type Defaulted<T> =
  T extends ColumnType<infer Read, infer Inserted, infer Updated>
    ? ColumnType<Read, Inserted | undefined, Updated>
    : ColumnType<T, T | undefined, T>;
