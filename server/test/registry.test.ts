import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { registry, routes } from "../src/contributions.ts";
import { callHttpStatus, isRetryable, TOOL_FAILURE_STATUS } from "../src/domain/errors.ts";
import type { Module } from "../src/kernel/contracts/module.ts";
import { modules } from "../src/modules/index.ts";

/** The interface's input shapes, all of them; tools that are not built yet are simply not looped over. */
const Fixture = z.object({
  count: z.number(),
  tools: z.record(z.string(), z.object({ area: z.string(), input: z.record(z.string(), z.unknown()) })),
});
const fixture = Fixture.parse(JSON.parse(readFileSync(new URL("./fixtures/tools.json", import.meta.url), "utf8")));
const shapes = new Map(Object.entries(fixture.tools));

const today = Temporal.PlainDate.from("2026-11-20");
const inputSchema = (input: z.ZodObject): unknown => z.toJSONSchema(input, { io: "input" });

const LIST_TOKENS_FOR_ALL = 15_000;
const CHARACTERS_PER_TOKEN = 4;

/** A schema without what only explains it. Names of properties are not keywords. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (!isRecord(value)) return value;
  const kept = Object.entries(value).filter(
    ([key]) => key !== "$schema" && key !== "description" && !key.startsWith("x-"),
  );
  return Object.fromEntries(
    kept.map(([key, child]) => [
      key,
      key === "properties" && isRecord(child)
        ? Object.fromEntries(Object.entries(child).map(([name, schema]) => [name, plain(schema)]))
        : plain(child),
    ]),
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

interface Field {
  path: string;
  schema: Record<string, unknown>;
}

function fields(schema: unknown, path = ""): Field[] {
  if (!isRecord(schema)) return [];
  const { properties, items, additionalProperties } = schema;
  const own = isRecord(properties) ? Object.entries(properties) : [];
  return [
    ...own.flatMap(([name, child]) => {
      const at = path === "" ? name : `${path}.${name}`;
      return isRecord(child) ? [{ path: at, schema: child }, ...fields(child, at)] : [];
    }),
    ...fields(items, `${path}[]`),
    ...fields(additionalProperties, `${path}.*`),
  ];
}

test("the fixture is the whole interface, and no two tools or routes have one name", () => {
  expect(shapes.size).toBe(fixture.count);
  // In the API description both are operations.
  const names = [...registry.map(({ name }) => name), ...routes.map(({ id }) => id)];
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

/** Beside the interface: what they cost follows from what they do. */
const COMPANION_PRICES = { read: 500n, write: 5_000n, spend: 5_000n } as const;
/** They ask the supplier for offers. */
const SEARCHES = new Set(["search_more_flights", "search_family_hotels", "search_more_stays"]);
/** Repeats the work of another tool of the interface. */
const OWN_PRICES: ReadonlyMap<string, bigint> = new Map([["check_trip_eligibility", 5_000n]]);

test("every tool is one of the interface or costs what its companions cost", () => {
  for (const { name, effect, price } of registry) {
    if (shapes.has(name)) continue;
    const companionPrice = OWN_PRICES.get(name) ?? (SEARCHES.has(name) ? 2_000n : COMPANION_PRICES[effect]);
    expect(price, `${name} is not in the interface`).toBe(companionPrice);
  }
});

test("the list of tools stays within its share of tokens", () => {
  const list = registry.map(({ name, title, summary, input }) => ({
    name,
    title,
    description: summary,
    inputSchema: inputSchema(input),
  }));
  const tokens = JSON.stringify(list).length / CHARACTERS_PER_TOKEN;
  expect(tokens).toBeLessThanOrEqual((LIST_TOKENS_FOR_ALL * registry.length) / fixture.count);
});

describe.each(registry.map((tool) => [tool.name, tool] as const))("%s", (name, tool) => {
  const schema = inputSchema(tool.input);

  test.runIf(shapes.has(name))("takes exactly the interface's input", () => {
    expect(plain(schema)).toEqual(plain(shapes.get(name)?.input));
    expect(tool.area).toBe(shapes.get(name)?.area);
  });

  test("has no root keyword that makes clients refuse the whole list", () => {
    for (const keyword of ["anyOf", "oneOf", "allOf", "$ref"]) expect(schema).not.toHaveProperty(keyword);
  });

  test("says what the schema alone does not: kinds and rules", () => {
    const described = new Map(fields(schema).map((field) => [field.path, field.schema.description]));
    for (const field of fields(shapes.get(name)?.input)) {
      if (field.schema["x-kind"] === undefined && field.schema["x-rule"] === undefined) continue;
      expect(described.get(field.path), field.path).toBeTypeOf("string");
      const rule = field.schema["x-rule"];
      if (typeof rule === "string") {
        expect(String(described.get(field.path)).toLowerCase()).toContain(rule.toLowerCase());
      }
    }
  });

  test("is named and described briefly", () => {
    expect(tool.name).toMatch(/^[a-z][a-z0-9_]{2,63}$/);
    expect(tool.title.length).toBeGreaterThan(2);
    expect(tool.title.length).toBeLessThanOrEqual(40);
    expect(tool.summary).toMatch(/^[A-Z].*\.$/);
    expect(tool.summary.length).toBeLessThanOrEqual(200);
    for (const field of fields(schema)) {
      expect(String(field.schema.description ?? "").length, field.path).toBeLessThanOrEqual(100);
    }
  });

  test("has an example that its own schema accepts, and refuses what it does not know", () => {
    const example = tool.example(today);
    expect(tool.input.safeParse(example).error).toBeUndefined();
    expect(tool.input.safeParse({ ...example, unheardOf: 1 }).success).toBe(false);
    expect(tool.input.safeParse(null).success).toBe(false);
  });

  test("has a price and an effect, and only reads can be paid without a key", () => {
    expect(tool.price).toBeGreaterThan(0n);
    expect(tool.payableWithoutKey && tool.effect !== "read").toBe(false);
  });

  test("has a plan exactly when it writes or spends", () => {
    expect(tool.plan === undefined).toBe(tool.effect === "read");
  });

  test("says for every declared code what to do next", () => {
    for (const [code, advice] of Object.entries(tool.errors)) {
      expect(code).toMatch(/^[a-z][a-z_]+$/);
      // A tool that ran and failed is told from a call that was refused: no code means both.
      expect(callHttpStatus(code), code).toBe(TOOL_FAILURE_STATUS);
      expect(code.endsWith("_in_progress") && !isRetryable(code), code).toBe(false);
      expect(advice).toMatch(/^[A-Z].*\.$/);
    }
  });

  test("declares an output that is an object", () => {
    expect(z.toJSONSchema(tool.output, { io: "output" })).toMatchObject({ type: "object" });
  });
});

test("no two modules contribute a migration or a purpose of one name, and all have their folder's name", () => {
  const all: readonly Module[] = modules;
  const kinds = [
    all.flatMap(({ migrations = {} }) => Object.keys(migrations)),
    all.flatMap(({ chainEndings = {} }) => Object.keys(chainEndings)),
    all.map(({ name }) => name),
  ];
  for (const names of kinds) expect(new Set(names).size).toBe(names.length);
  const folders = readdirSync(new URL("../src/modules", import.meta.url)).filter((name) => name !== "index.ts");
  expect(all.map(({ name }) => name).toSorted()).toEqual(folders.toSorted());
});
