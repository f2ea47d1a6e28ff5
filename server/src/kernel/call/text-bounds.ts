import { z } from "zod";
import { technicalBounds } from "../../domain/schemas.ts";

/**
 * Every text of every input has a bound. If its schema sets none, one of these applies. They are unpublished: no
 * legitimate caller reaches them.
 */
const LONGEST_TEXT = 2_000;
const LONGEST_ID = 200;
export const LONGEST_NAME = 200;
const ID = /^(?:ids?|.*(?:Ids?|_ids?))$/;

/** Returns the issue of a text that is too long for its place. `key` is the name of the property. */
export function findTooLong(text: string, key: string, schema: unknown): string | undefined {
  // Most texts fit any place.
  if (text.length <= LONGEST_ID) return undefined;
  const at = unwrap(schema);
  const own = at instanceof z.ZodType ? technicalBounds.get(at)?.characters : undefined;
  // The schema reports it itself.
  if (own === undefined && at instanceof z.ZodString && at.maxLength !== null) return undefined;
  const maximum = own ?? (ID.test(key) ? LONGEST_ID : LONGEST_TEXT);
  return text.length > maximum ? `must have at most ${maximum} characters` : undefined;
}

/** The schema of a property, an item or a value of a record; undefined if unknown. */
export function findChild(schema: unknown, step: string): unknown {
  const at = unwrap(schema);
  if (at instanceof z.ZodObject) return Object.hasOwn(at.shape, step) ? at.shape[step] : undefined;
  if (at instanceof z.ZodArray) return at.element;
  if (at instanceof z.ZodRecord) return at.valueType;
  return undefined;
}

export function unwrap(schema: unknown): unknown {
  let at = schema;
  while (at instanceof z.ZodOptional || at instanceof z.ZodDefault || at instanceof z.ZodNullable) at = at.unwrap();
  return at;
}
