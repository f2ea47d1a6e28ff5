import { type Issue, invalidInput } from "../../domain/errors.ts";
import type { Principal } from "../../ports/identity.ts";
import type { Payer } from "../contracts/invocation.ts";
import type { CommonPorts, Tool } from "../contracts/tool.ts";
import { isPayer } from "./caller.ts";
import { MAXIMUM_ISSUES, readInput } from "./validate.ts";

/** Returns the arguments as the tool takes them. Throws `invalid_input` with every issue, the tool's own first. */
export function readArguments(tool: Tool, args: unknown, principal: Principal | Payer, ports: CommonPorts): unknown {
  const input = checkArguments(tool, args, ports);
  if (isPayer(principal)) refuseKeyOnlyInputs(tool.keyOnlyInputs, args);
  return input;
}

export function checkArguments(tool: Tool, args: unknown, ports: CommonPorts): unknown {
  const { input, issues } = readInput(tool.input, args);
  const own = tool.check?.(args, ports) ?? [];
  if (own.length + issues.length > 0) throw invalidInput(together(own, issues));
  return input;
}

/** The tool's own issue for an argument is more exact than the schema's. */
function together(own: readonly Issue[], issues: readonly Issue[]): Issue[] {
  const said = new Set(own.map(({ path }) => path));
  return [...own, ...issues.filter(({ path }) => !said.has(path))].slice(0, MAXIMUM_ISSUES);
}

/**
 * Refuses arguments that concern a tenant's records if the caller has no key. A rule is the name of an argument, or a
 * path below it, with `*` for every key or place: `privateFares.*.*.account_number`. Empty values are ignored.
 */
function refuseKeyOnlyInputs(rules: readonly string[], args: unknown): void {
  const issues: Issue[] = rules
    .flatMap((rule) => listPlaces(args, rule.split("."), []))
    .map((path) => ({ path: path.join("."), message: "requires an API key, because it concerns a tenant's records" }));
  if (issues.length > 0) throw invalidInput(issues);
}

function listPlaces(
  value: unknown,
  [step, ...rest]: readonly string[],
  path: readonly string[],
): (readonly string[])[] {
  if (step === undefined) return isEmpty(value) ? [] : [path];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value)
    .filter(([name]) => step === "*" || name === step)
    .flatMap(([name, below]) => listPlaces(below, rest, [...path, name]));
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === false || value === "" || (Array.isArray(value) && value.length === 0);
}
