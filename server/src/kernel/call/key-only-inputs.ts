import { type Issue, invalidInput } from "../../domain/errors.ts";

/**
 * Refuses arguments that concern a tenant's records, for who calls without a key. A rule is the name of an argument, or a path below
 * it, with `*` for every key or place: `privateFares.*.*.account_number`. What is left empty names nothing.
 */
export function refuseKeyOnlyInputs(rules: readonly string[], args: unknown): void {
  const issues: Issue[] = rules
    .flatMap((rule) => placesOf(args, rule.split("."), []))
    .map((path) => ({ path: path.join("."), message: "needs an API key: it concerns a tenant's records" }));
  if (issues.length > 0) throw invalidInput(issues);
}

function placesOf(value: unknown, [step, ...rest]: readonly string[], path: readonly string[]): (readonly string[])[] {
  if (step === undefined) return isEmpty(value) ? [] : [path];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value)
    .filter(([name]) => step === "*" || name === step)
    .flatMap(([name, below]) => placesOf(below, rest, [...path, name]));
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === false || value === "" || (Array.isArray(value) && value.length === 0);
}
