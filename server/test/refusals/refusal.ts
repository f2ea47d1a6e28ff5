import { expect } from "vitest";
import type { Escrow } from "../support/escrow.ts";
import type { CallOptions } from "../support/service.ts";
import type { StaysWorld } from "../support/stays-service.ts";
import { requireResult } from "../support/treasury.ts";

/** Why a test cannot provoke a refusal by arguments and records alone: something outside says it while the call runs, or nobody can know. */
export const reasons = {
  supplier: "the supplier says it of what only the call asks it to do",
  inventory: "the sandbox sells nothing that it could be said of",
  time: "what the supplier has offered has to run out first",
  rates: "the source of exchange rates lacks a currency, or is late",
  chain: "the chain says it of a transaction that the call has sent",
  deployment: "the deployment lacks a contract, a setting or a program",
  work: "what the call does itself fails, which only doing it shows",
  concurrent: "another call or a worker has to be at work in this moment",
  run: "only a call of a run meets it, whose preview nobody asks for",
  quote: "the call asks the supplier for a quote of its own, and a preview makes nothing there",
  guess: "the call counts wrong guesses, and a preview that told a wrong one would let anybody try them all",
} as const;
type Reason = keyof typeof reasons;

export interface Provoked {
  args: object;
  as?: CallOptions;
  /** Puts back what was changed for this case alone. */
  restore?: () => Promise<unknown>;
}

export type World = StaysWorld & { escrow: Escrow };
export type Provoke = (world: World) => Promise<Provoked> | Provoked;

/** The refusals of a tool, by its declared codes. */
export type Refusals = Readonly<Record<string, Reason | Provoke>>;

/** Records that several cases share. They are made when the first one asks. */
export function once<Result>(make: (world: World) => Promise<Result>): (world: World) => Promise<Result> {
  const made = new WeakMap<World, Promise<Result>>();
  return (world) => {
    const known = made.get(world) ?? make(world);
    made.set(world, known);
    return known;
  };
}

/** A row that is changed for one case, and what puts it back. */
export async function changed(
  { service }: World,
  { table, set, where }: { table: string; set: string; where: readonly [column: string, value: string] },
): Promise<() => Promise<unknown>> {
  const [column, value] = where;
  const [field = ""] = set.split(" = ");
  const [row] = await service.sql(`select ${field}::text as before from ${table} where ${column} = $1`, [value]);
  if (row === undefined) throw new Error(`${table} has no ${value}`);
  await service.sql(`update ${table} set ${set} where ${column} = $1`, [value]);
  const [type] = await service.sql(`select pg_typeof(${field})::text as name from ${table} where ${column} = $1`, [
    value,
  ]);
  const back = `update ${table} set ${field} = $2::${String(type?.name)} where ${column} = $1`;
  return () => service.sql(back, [value, row.before]);
}

/** As if the tenant had never been shown what it books: only the supplier says what that costs. */
export async function forget({ service }: World, offerId: string): Promise<void> {
  await service.sql("delete from seen_offer where offer_id = $1", [offerId]);
}

/** Members of the call's answer that its preview cannot know. */
const ONLY_OF_THE_CALL = ["traceId", "title", "type", "status", "ok"];
/** The request for an approval that a call leaves behind, and a preview does not. */
const OF_AN_APPROVAL = ["approvalId", "approvalExpiresAt"];
/** It has gone on between the preview and the call. */
const COUNTED_DOWN = "waitSeconds";
const MOST_SECONDS_BETWEEN = 60;

/** A preview says what the call then gets, and both are refused with this code. */
export async function expectSameRefusal(
  { service }: Pick<World, "service">,
  { tool, code }: { tool: string; code: string },
  { args, as = {} }: Provoked,
): Promise<void> {
  const previewed = requireResult(await service.call("preview_call", { tool, args }, as));
  const { status, body } = await service.call(tool, args, as);
  expect({ status, code: body.code }, JSON.stringify(body)).toEqual({ status: expect.any(Number), code });
  expect(status).not.toBe(200);
  const problemSaid = Object(previewed.problem);
  const said = Object.entries(body).filter(([name]) => !ONLY_OF_THE_CALL.includes(name));
  const problem = Object.fromEntries(said.filter(([name]) => !OF_AN_APPROVAL.includes(name)));
  // The request and its place are named at the end.
  const isAskedFor = said.length > Object.keys(problem).length && String(body.detail).startsWith(problemSaid.detail);
  if (isAskedFor) problem.detail = problemSaid.detail;
  if (COUNTED_DOWN in problem) problem[COUNTED_DOWN] = about(problem[COUNTED_DOWN]);
  expect(previewed).toMatchObject({ accepted: false, movements: [] });
  expect(problemSaid).toEqual(problem);
}

function about(seconds: unknown) {
  return expect.toSatisfy((other: unknown) => Math.abs(Number(other) - Number(seconds)) < MOST_SECONDS_BETWEEN);
}
