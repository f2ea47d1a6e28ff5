import { Failure, type Issue, invalidInput } from "../../domain/errors.ts";
import { checkArguments } from "../../kernel/call/read-arguments.ts";
import type { Workflow } from "../../kernel/contracts/workflow.ts";
import { policyProblem } from "../policy/index.ts";
import type { RunCaller, RunParts } from "./run-parts.ts";

const IATA_CODE = /^[A-Z]{3}$/;

/** Checks what an input's schema cannot, before a run begins, as the tools would. */
export async function checkInput(
  parts: RunParts,
  caller: RunCaller,
  workflow: Workflow,
  input: Readonly<Record<string, unknown>>,
): Promise<void> {
  const issues = [
    ...problemsOfCalls(parts, caller, workflow, input),
    ...(await airportProblems(parts, caller, workflow, input)),
    ...(await policyProblems(parts, caller, input)),
    ...(await customerProblems(parts, caller, input)),
  ];
  if (issues.length > 0) throw invalidInput(issues.map(({ path, message }) => ({ path: `input.${path}`, message })));
}

/** Checks calls whose arguments come from the input, such as a search, by the tools' own rules. */
function problemsOfCalls(
  { catalog, portsFor }: RunParts,
  { environment }: RunCaller,
  { searches }: Workflow,
  input: Readonly<Record<string, unknown>>,
): readonly Issue[] {
  const search = searches?.(input);
  const entry = search === undefined ? undefined : catalog.find(search.tool);
  const ports = portsFor(environment);
  if (search === undefined || entry === undefined || ports === undefined) return [];
  try {
    checkArguments(entry.tool, search.args, ports);
    return [];
  } catch (error) {
    if (error instanceof Failure && error.issues !== undefined) return error.issues;
    throw error;
  }
}

/** Asks the supplier only about codes that our list lacks; if it does not answer, the search decides. */
async function airportProblems(
  { portsFor }: RunParts,
  { environment }: RunCaller,
  { searches }: Workflow,
  input: Readonly<Record<string, unknown>>,
): Promise<readonly Issue[]> {
  const { args = {}, airports = [] } = searches?.(input) ?? {};
  const ports = portsFor(environment);
  const issues: Issue[] = [];
  for (const path of airports) {
    const code = String(args[path]).toUpperCase();
    if (ports === undefined || !IATA_CODE.test(code) || ports.maps.airport(code) !== undefined) continue;
    const found = await ports.flights.findAirports({ text: code }).catch(() => undefined);
    if (found === undefined) continue;
    if (found.airports.some(({ iataCode }) => iataCode === code || ports.maps.metroCode(iataCode) === code)) continue;
    issues.push({ path, message: "is not an airport or city with scheduled flights; use find_airports_nearby" });
  }
  return issues;
}

async function policyProblems(
  { activePolicies }: RunParts,
  caller: RunCaller,
  { policyId }: Readonly<Record<string, unknown>>,
): Promise<readonly Issue[]> {
  const message = typeof policyId === "string" ? await policyProblem(activePolicies, caller, policyId) : undefined;
  return message === undefined ? [] : [{ path: "policyId", message }];
}

async function customerProblems(
  { travelers }: RunParts,
  { tenantId, environment }: RunCaller,
  { customerUserIds }: Readonly<Record<string, unknown>>,
): Promise<readonly Issue[]> {
  const issues: Issue[] = [];
  for (const [index, id] of (Array.isArray(customerUserIds) ? customerUserIds : []).entries()) {
    if ((await travelers.findUserByCustomerId(tenantId, String(id), environment)) !== undefined) continue;
    const message = "is not one of your customer users; ensure_flight_customer gives the id";
    issues.push({ path: `customerUserIds.${index}`, message });
  }
  return issues;
}
