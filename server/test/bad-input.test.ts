import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { catalog } from "../src/contributions.ts";
import type { TestService } from "./support/service.ts";
import { openSharedService } from "./support/shared-service.ts";

/** Every rule of every tool's schema, broken one at a time: derived from the schemas, so that a new tool cannot be left out. */

interface Schema {
  type?: string;
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  enum?: string[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  format?: string;
  pattern?: string;
  additionalProperties?: boolean | Schema;
}

interface Bad {
  what: string;
  /** Where the issue must point to. */
  path: string;
  value: unknown;
}

const WRONG_TYPES: readonly [string, unknown][] = [
  ["null", null],
  ["a text", "x"],
  ["a number", 1.5],
  ["a truth", true],
  ["a list", [{}]],
  ["an object", { a: 1 }],
];

const fits = (type: string | undefined, value: unknown): boolean => {
  if (type === "integer") return false;
  if (type === "null") return value === null;
  if (type === "array") return Array.isArray(value);
  if (type === "object") return typeof value === "object" && value !== null && !Array.isArray(value);
  return typeof value === type;
};

/** Null, and one of the others, which differs from place to place: each of them stands in many places of every kind. */
function wrongTypes(types: readonly (string | undefined)[], path: string) {
  const wrong = WRONG_TYPES.filter(([, value]) => !types.some((type) => fits(type, value)));
  const others = wrong.filter(([, value]) => value !== null);
  const first = path.length % others.length;
  return [...wrong.filter(([, value]) => value === null), ...others.slice(first, first + 1)];
}

/** Values that the schema refuses at `path`. */
function badValues(schema: Schema, path: string): Bad[] {
  const types = schema.anyOf?.map(({ type }) => type) ?? [schema.type];
  const bad: Bad[] = wrongTypes(types, path).map(([what, value]) => ({ what, path, value }));
  const add = (what: string, value: unknown) => bad.push({ what, path, value });
  if (schema.enum !== undefined) add("outside the list", "no-such-value");
  if (schema.minimum !== undefined) add("under the minimum", schema.minimum - 1);
  if (schema.maximum !== undefined) add("over the maximum", schema.maximum + 1);
  if (schema.minLength !== undefined && schema.minLength > 0) add("too short", "a".repeat(schema.minLength - 1));
  if (schema.maxLength !== undefined) add("too long", "a".repeat(schema.maxLength + 1));
  if (schema.type === "string" && schema.maxLength === undefined && schema.enum === undefined) {
    // The technical bounds, which no schema publishes; documents are bounded by their size.
    const isId = /^(?:ids?|.*(?:Ids?|_ids?))$/.test(path.split(".").findLast((name) => !/^\d+$/.test(name)) ?? "");
    add("longer than anybody means", isId ? "a".repeat(201) : "a".repeat(2_001));
    if (schema.format === "email") add("longer than an address is", `a@${"b".repeat(63)}.${"c.".repeat(93)}org`);
  }
  if (schema.maxItems !== undefined)
    add(
      "too many",
      Array.from({ length: schema.maxItems + 1 }, () => "a"),
    );
  if (schema.format === "date") {
    for (const text of ["2027-02-30", "2027-13-01", "27-1-1", "2027-01-15T00:00:00Z", "tomorrow", ""])
      add(`the date ${text}`, text);
  }
  if (schema.format === "email")
    for (const text of ["nobody", "a@", "@b.c", "a b@c.de"]) add(`the address ${text}`, text);
  if (schema.pattern !== undefined) add("against the pattern", "\u0000");
  return bad;
}

/** The arguments with one value replaced, as deep as the schema goes. */
function badArguments(schema: Schema, valid: unknown, path: string): Bad[] {
  if (schema.type === "object" && schema.properties !== undefined) {
    const base = typeof valid === "object" && valid !== null ? valid : {};
    const known = Object.entries(schema.properties).flatMap(([name, property]) =>
      badArguments(property, Reflect.get(base, name), path === "" ? name : `${path}.${name}`).map((bad) => ({
        ...bad,
        value: { ...base, [name]: bad.value },
      })),
    );
    const missing = (schema.required ?? []).map((name) => ({
      what: "missing",
      path: path === "" ? name : `${path}.${name}`,
      value: Object.fromEntries(Object.entries(base).filter(([key]) => key !== name)),
    }));
    const stray = {
      what: "unknown",
      path: path === "" ? "noSuchProperty" : `${path}.noSuchProperty`,
      value: { ...base, noSuchProperty: 1 },
    };
    return [...(path === "" ? [] : badValues(schema, path)), ...known, ...missing, stray];
  }
  // The arguments of another tool or workflow are judged by that one.
  if (isAnything(schema)) return badValues(schema, path);
  if (typeof schema.additionalProperties === "object") {
    const inner = badArguments(schema.additionalProperties, undefined, `${path}.some`);
    return [...badValues(schema, path), ...inner.map((bad) => ({ ...bad, value: { some: bad.value } }))];
  }
  if (schema.type === "array" && schema.items !== undefined) {
    const inner = badArguments(schema.items, undefined, `${path}.0`).map((bad) => ({ ...bad, value: [bad.value] }));
    return [...badValues(schema, path), ...inner];
  }
  return badValues(schema, path);
}

function isAnything({ additionalProperties }: Schema): boolean {
  return typeof additionalProperties === "object" && Object.keys(additionalProperties).length === 0;
}

let service: TestService;

beforeAll(async () => {
  service = await openSharedService();
});
afterAll(() => service?.[Symbol.asyncDispose]());

const today = Temporal.Now.plainDateISO();

describe.each(catalog.entries.map((entry) => ({ name: entry.tool.name, entry })))("$name", ({ name, entry }) => {
  it("refuses every broken rule as invalid_input, says where, and charges nothing", async () => {
    const schema: Schema = JSON.parse(JSON.stringify(entry.inputSchema));
    const cases = badArguments(schema, entry.tool.example(today), "");
    expect(cases.length).toBeGreaterThan(0);
    const wrong: string[] = [];
    for (const { what, path, value } of cases) {
      const answer = await service.call(name, value);
      const issues = Array.isArray(answer.body.issues) ? answer.body.issues : [];
      const pointed = issues.some(
        (issue: { path: string }) =>
          issue.path === path || issue.path.startsWith(`${path}.`) || path.startsWith(`${issue.path}.`),
      );
      if (answer.status !== 400 || answer.body.code !== "invalid_input" || !pointed) {
        wrong.push(`${path} ${what}: ${answer.status} ${answer.text.slice(0, 200)}`);
      }
    }
    expect(wrong).toEqual([]);
    const own = [name, service.tenantId];
    expect(await service.sql("select 1 from usage_record where tool = $1 and tenant_id = $2", own)).toEqual([]);
    expect(await service.sql("select 1 from call where tool = $1 and tenant_id = $2", own)).toEqual([]);
  });

  it("takes its example", async () => {
    const answer = await service.call(name, entry.tool.example(today));
    // An example cannot know an id that exists; everything else must work.
    const declared = answer.status === 500 && Object.hasOwn(entry.tool.errors, String(answer.body.code));
    const isUnknownToSupplier =
      answer.body.code === "invalid_input" && answer.text.includes("the supplier does not accept");
    expect(answer.status === 200 || declared || isUnknownToSupplier, answer.text).toBe(true);
    expect(answer.body.code).not.toBe("tool_failed");
  });
});
