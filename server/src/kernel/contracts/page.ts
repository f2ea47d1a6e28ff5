import { z } from "zod";
import { IsoDate } from "../../domain/schemas.ts";

const DEFAULT_LIMIT = 50;
const MAXIMUM_LIMIT = 200;

/** The message of every list for a cursor that it did not give. */
export const CURSOR_MESSAGE = "must be the nextCursor of the previous page";

/** The query members that page through a list. `cursor` is the list's own schema for one. */
export const pageQuery = (cursor: z.ZodString) => ({
  cursor: cursor.describe("nextCursor").exactOptional(),
  limit: z
    .string()
    .refine((text) => /^\d{1,3}$/.test(text) && Number(text) >= 1 && Number(text) <= MAXIMUM_LIMIT, {
      message: `must be a whole number from 1 to ${MAXIMUM_LIMIT}`,
    })
    // A string only because it is in a query.
    .meta({ type: "integer", minimum: 1, maximum: MAXIMUM_LIMIT, default: DEFAULT_LIMIT })
    .exactOptional(),
});

/** The same for a list that is a tool. The form of a cursor is checked and not published: callers only give back what they got. */
export const pageInput = (cursor: z.ZodString) => ({
  cursor: z
    .string()
    .refine((text) => cursor.safeParse(text).success, { message: CURSOR_MESSAGE })
    .optional()
    .describe("nextCursor"),
  limit: z.int().min(1).max(MAXIMUM_LIMIT).default(DEFAULT_LIMIT),
});

/** The days that a list covers, for a tool. */
export const datesInput = {
  from: IsoDate.optional().describe("First day, UTC"),
  to: IsoDate.optional().describe("Last day, UTC"),
};

/** The moments at which the first day begins and the last one ends. */
export function dayBounds(days: { from: string; to: string }): { from: Temporal.Instant; to: Temporal.Instant };
export function dayBounds(days: { from?: string | undefined; to?: string | undefined }): {
  from: Temporal.Instant | undefined;
  to: Temporal.Instant | undefined;
};
export function dayBounds({ from, to }: { from?: string | undefined; to?: string | undefined }): {
  from: Temporal.Instant | undefined;
  to: Temporal.Instant | undefined;
} {
  const begin = (day: Temporal.PlainDate) => day.toZonedDateTime("UTC").toInstant();
  return {
    from: from === undefined ? undefined : begin(Temporal.PlainDate.from(from)),
    to: to === undefined ? undefined : begin(Temporal.PlainDate.from(to).add({ days: 1 })),
  };
}

export const NextCursor = z.string().nullable().describe("null on the last page");

/**
 * Reads one page of a list. `read` is asked for one record more than a page has, to tell whether there is another page.
 * The next page begins after `toCursor`.
 */
export async function readPage<Item>(
  query: { limit?: string | number },
  read: (limit: number) => Promise<readonly Item[]>,
  toCursor: (last: Item) => string,
): Promise<{ shown: readonly Item[]; nextCursor: string | null }> {
  const limit = Number(query.limit ?? DEFAULT_LIMIT);
  const found = await read(limit + 1);
  const shown = found.slice(0, limit);
  const last = shown.at(-1);
  return { shown, nextCursor: found.length > limit && last !== undefined ? toCursor(last) : null };
}
