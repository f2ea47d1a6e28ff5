import type { Context } from "hono";
import { z } from "zod";
import type { Queryable } from "../storage/database.ts";
import { ApiError, fromZod, invalidField, wireError } from "./errors.ts";

const BodyShape = z.object({ data: z.unknown() });

/** The `data` of a request body. */
export async function readData<Shape extends z.ZodType>(context: Context, shape: Shape): Promise<z.output<Shape>> {
  let body: unknown;
  try {
    body = JSON.parse(await context.req.text());
  } catch {
    throw new ApiError(400, [
      wireError("invalid_request_error", "malformed_request", "The request body is not valid JSON."),
    ]);
  }
  const outer = BodyShape.safeParse(body);
  if (!outer.success || outer.data.data === undefined)
    throw invalidField("validation_required", "data", "Field 'data' can't be blank");
  const inner = shape.safeParse(outer.data.data);
  if (!inner.success) throw fromZod(inner.error);
  return inner.data;
}

const PageQuery = z.object({
  limit: z.coerce.number().int().min(1).max(200).default(50),
  before: z.string().optional(),
  after: z.string().optional(),
});

export type Page = { limit: number; before: bigint | undefined; after: bigint | undefined };

const CURSOR_MARK = "seq:";

function encodeCursor(position: string): string {
  return Buffer.from(CURSOR_MARK + position).toString("base64url");
}

function decodeCursor(cursor: string | undefined, field: string): bigint | undefined {
  if (cursor === undefined) return undefined;
  const text = Buffer.from(cursor, "base64url").toString();
  if (!/^seq:\d{1,18}$/u.test(text))
    throw invalidField("validation_format", field, `Field '${field}' is not a cursor.`);
  return BigInt(text.slice(CURSOR_MARK.length));
}

export function readPage(context: Context): Page {
  const parsed = PageQuery.safeParse(context.req.query());
  if (!parsed.success) throw fromZod(parsed.error);
  const { limit, before, after } = parsed.data;
  return { limit, before: decodeCursor(before, "before"), after: decodeCursor(after, "after") };
}

export type Listing<Item> = { data: Item[]; meta: { limit: number; before: string | null; after: string | null } };

/** A page of rows that have a `seq`, newest first. */
export function toListing<Row extends { seq: string }, Item>(
  rows: readonly Row[],
  page: Page,
  render: (row: Row) => Item,
): Listing<Item> {
  const forward = page.before === undefined;
  const more = rows.length > page.limit;
  const kept = rows.slice(0, page.limit);
  if (!forward) kept.reverse();
  const [first, last] = [kept[0], kept.at(-1)];
  const hasBefore = forward ? page.after !== undefined : more;
  const hasAfter = forward ? more : true;
  return {
    data: kept.map(render),
    meta: {
      limit: page.limit,
      before: hasBefore && first !== undefined ? encodeCursor(first.seq) : null,
      after: hasAfter && last !== undefined ? encodeCursor(last.seq) : null,
    },
  };
}

/** Rows of a table for one page; `conditions` are SQL with $1, $2 ... for `values`. */
export async function selectPage<Row extends { seq: string }>(
  db: Queryable,
  table: string,
  conditions: readonly string[],
  values: readonly unknown[],
  page: Page,
): Promise<readonly Row[]> {
  const where = [...conditions];
  const all = [...values];
  if (page.after !== undefined) where.push(`seq < $${all.push(page.after.toString())}`);
  if (page.before !== undefined) where.push(`seq > $${all.push(page.before.toString())}`);
  const clause = where.length === 0 ? "" : `WHERE ${where.join(" AND ")}`;
  const direction = page.before === undefined ? "DESC" : "ASC";
  const sql = `SELECT * FROM ${table} ${clause} ORDER BY seq ${direction} LIMIT ${page.limit + 1}`;
  return (await db.query<Row>(sql, all)).rows;
}

/** A page of a list that is held in memory. */
export function pageOfMemory<Item, Rendered>(
  items: readonly Item[],
  page: Page,
  render: (item: Item) => Rendered,
): Listing<Rendered> {
  const start = page.after !== undefined ? Number(page.after) : Math.max(0, Number(page.before ?? 0n) - page.limit);
  const end = page.before === undefined ? start + page.limit : Number(page.before);
  return {
    data: items.slice(start, end).map(render),
    meta: {
      limit: page.limit,
      before: start > 0 ? encodeCursor(String(start)) : null,
      after: end < items.length ? encodeCursor(String(end)) : null,
    },
  };
}
