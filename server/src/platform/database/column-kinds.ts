import type { ColumnType } from "kysely";
import type { Hex } from "../../domain/tokens.ts";

/** What the generated table types are made of. */

/** Those that a module can give to its own columns in `column-types.ts`, as the database cannot know them. */
export const columnKinds = ["Environment", "Hex", "HexList", "JsonObject"] as const;
export type ColumnTypes = Readonly<Record<string, (typeof columnKinds)[number]>>;

export type { Hex };

/** Read as an instant; written as its ISO 8601 text, which is what the driver can send. */
export type Timestamp = ColumnType<Temporal.Instant, string, string>;

/** Read as whatever it holds, which the store checks; written as JSON text: the driver would take an array for one of PostgreSQL's. */
export type Json = ColumnType<unknown, string, string>;

/** A JSON column that always holds an object. */
export type JsonObject = ColumnType<Readonly<Record<string, unknown>>, string, string>;

export type HexList = Hex[];

export type Environment = "sandbox" | "production";

/** A column that need not be given, as the database has a value for it. */
export type Defaulted<T> =
  T extends ColumnType<infer Read, infer Inserted, infer Updated>
    ? ColumnType<Read, Inserted | undefined, Updated>
    : ColumnType<T, T | undefined, T>;
