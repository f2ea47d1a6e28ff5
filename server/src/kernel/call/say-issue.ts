import type { z } from "zod";
import { nearest } from "../../domain/near-match.ts";

const MAXIMUM_CHOICES = 20;

/** What an argument must be, in words that a model can act on; undefined leaves the schema library's own. */
export function sayIssue(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === "too_small" || issue.code === "too_big") return saySize(issue);
  if (issue.code !== "invalid_type" && issue.code !== "invalid_value") return undefined;
  if (issue.input === undefined) return "is missing";
  if (issue.code === "invalid_type" && issue.expected === "int") return `must be a whole number, not ${issue.input}`;
  if (issue.code === "invalid_type")
    return `must be ${withArticle(String(issue.expected))}, not ${kindOf(issue.input)}`;
  const choices = issue.values.map(String);
  if (choices.length > MAXIMUM_CHOICES) return undefined;
  if (choices.length === 1) return `must be ${choices[0]}`;
  const near = typeof issue.input === "string" ? nearest(issue.input, choices) : undefined;
  const hint = near === undefined ? "" : `; did you mean "${near}"?`;
  return `must be one of ${choices.join(", ")}${hint}`;
}

const UNITS: Readonly<Record<string, string>> = { string: "characters", array: "entries" };

function saySize(issue: z.core.$ZodRawIssue<z.core.$ZodIssueTooSmall | z.core.$ZodIssueTooBig>): string {
  const isTooSmall = issue.code === "too_small";
  const bound = isTooSmall ? issue.minimum : issue.maximum;
  const unit = UNITS[String(issue.origin)];
  if (unit === undefined) return `must be at ${isTooSmall ? "least" : "most"} ${bound}`;
  if (issue.exact === true) return `must have exactly ${bound} ${unit}`;
  return `must have at ${isTooSmall ? "least" : "most"} ${bound} ${unit}`;
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  return withArticle(Array.isArray(value) ? "array" : typeof value);
}

/** JSON has one kind of number, and its name for a record is object. */
function withArticle(kind: string): string {
  const name = kind === "int" ? "integer" : kind === "record" ? "object" : kind;
  return `${/^[aeio]/.test(name) ? "an" : "a"} ${name}`;
}
