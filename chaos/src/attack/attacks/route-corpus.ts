import { z } from "zod";

/** The parts of an OpenAPI document that tell how to call an operation. */
const Parameter = z.looseObject({ name: z.string().optional(), in: z.string().optional() });
const Operation = z.looseObject({
  parameters: z.array(Parameter).default([]),
  requestBody: z
    .looseObject({ content: z.record(z.string(), z.looseObject({ schema: z.unknown().optional() })) })
    .optional(),
});
export const Description = z.looseObject({
  paths: z.record(z.string(), z.record(z.string(), z.unknown())),
  components: z.looseObject({ schemas: z.record(z.string(), z.unknown()).optional() }).optional(),
});
type Description = z.output<typeof Description>;

const METHODS = ["get", "post", "put", "patch", "delete"];
const Schema = z.looseObject({ $ref: z.string().optional(), properties: z.record(z.string(), z.unknown()).optional() });

export interface DescribedRoute {
  readonly method: string;
  /** With the names of its parameters in braces; one operation of dispatch has its tool after `#`. */
  readonly path: string;
  readonly query: readonly string[];
  readonly hasBody: boolean;
  /** The names of its body's members. */
  readonly members: readonly string[];
}

/** One hostile request. */
export interface Request {
  readonly route: DescribedRoute;
  readonly path: string;
  readonly body?: string | Uint8Array<ArrayBuffer>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Everything in its path is somebody else's: it must not be answered as if it were not. */
  readonly isForeign: boolean;
}

export function listRoutes(description: Description): readonly DescribedRoute[] {
  return Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, value]): DescribedRoute[] => {
      if (!METHODS.includes(method)) return [];
      const { parameters, requestBody } = Operation.parse(value);
      const query = parameters.flatMap(({ name, in: place }) =>
        place === "query" && name !== undefined ? [name] : [],
      );
      const schema = Object.values(requestBody?.content ?? {})[0]?.schema;
      const members = listMembers(description, schema);
      return [{ method: method.toUpperCase(), path, query, hasBody: requestBody !== undefined, members }];
    }),
  );
}

function listMembers(description: Description, value: unknown): readonly string[] {
  const schema = Schema.safeParse(value).data;
  if (schema?.$ref !== undefined)
    return listMembers(description, description.components?.schemas?.[schema.$ref.split("/").at(-1) ?? ""]);
  return Object.keys(schema?.properties ?? {});
}

const LONG = "x".repeat(100_000);
const CONTROLS = "\u0000\u0001\u001b[31m\u202e\u2028";
const ULID = "01ARZ3NDEKTSV4RRFFQ69G5FAV";

/** Ids of nobody, and what is no id at all, as they stand in a path. */
const FOREIGN_IDS = [
  ...["cnv", "trn", "ord", "bok", "key", "ses", "evt", "chn", "apr", "run", "trp", "use"].map(
    (kind) => `${kind}_${ULID}`,
  ),
  `0x${"0".repeat(64)}`,
  "x",
  "%00",
  "%01%1f%7f",
  "%ff",
  "%",
  "..%2f..%2fetc%2fpasswd",
  "'%20or%201=1--",
  "%F0%9F%92%A5",
  "a".repeat(6_000),
];

const QUERY_VALUES = ["", "-1", "99999999999999999999", "NaN", "%00", "%ff", "[]", "2026-99-99", "b".repeat(5_000)];

const BODIES: readonly (string | Uint8Array<ArrayBuffer>)[] = [
  "",
  "null",
  "[]",
  '"x"',
  "{",
  "{}",
  '{"__proto__":{"isAdmin":true},"constructor":{"prototype":{}}}',
  `{"a":${"[".repeat(200)}${"]".repeat(200)}}`,
  `{"a":"${LONG.repeat(15)}"}`,
  "\ufeff{}",
  new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]),
];

/** In place of a member: of another type, too long, with control characters, or half a character. */
const MEMBER_VALUES = [
  "null",
  "1e400",
  "-1",
  "true",
  "[]",
  "[[null]]",
  "{}",
  '{"__proto__":1}',
  '""',
  JSON.stringify(CONTROLS),
  '"\\ud800"',
  `"${LONG}"`,
];

const fill = (path: string, id: string): string => path.replaceAll(/\{[^}]+\}/g, id);

/** All hostile requests to one route. */
export function attackRoute(route: DescribedRoute): readonly Request[] {
  const [plain = "", tool] = route.path.split("#");
  const path = fill(plain, FOREIGN_IDS[0] ?? "x");
  const isForeign = plain.includes("{");
  const make = (request: Omit<Request, "route" | "isForeign">): Request => ({ route, isForeign, ...request });
  const ids = isForeign ? FOREIGN_IDS.map((id) => make({ path: fill(plain, id) })) : [];
  const queries = route.query.flatMap((name) =>
    QUERY_VALUES.map((value) => make({ path: `${path}?${name}=${value}` })),
  );
  const doubled = route.query.slice(0, 1).map((name) => make({ path: `${path}?${name}=1&${name}=2&unknown=3` }));
  if (!route.hasBody) return [...ids, ...queries, ...doubled, make({ path })];
  const isTool = tool !== undefined && !["text", "input"].includes(tool);
  const wrap = (json: string): string => (isTool ? `{"tool":${JSON.stringify(tool)},"args":${json}}` : json);
  const members = route.members.length === 0 ? ["args"] : route.members;
  const values = members.flatMap((name, index) =>
    MEMBER_VALUES.filter((_, number) => isTool === false || number % 4 === index % 4).map((value) =>
      make({ path, body: wrap(`{${JSON.stringify(name)}:${value}}`) }),
    ),
  );
  const all = `{${members.map((name) => `${JSON.stringify(name)}:${JSON.stringify(CONTROLS)}`).join(",")}}`;
  const bodies = isTool ? ["{}", "null", "[]"].map(wrap) : BODIES;
  return [
    ...ids.map((request) => ({ ...request, body: "{}" })),
    ...queries,
    ...bodies.map((body) => make({ path, body })),
    ...values,
    make({ path, body: wrap(all) }),
    make({ path, body: "{}", headers: { "content-type": "text/plain" } }),
    make({ path, body: "{}", headers: { "idempotency-key": "k".repeat(300), traceparent: "00-zz-1" } }),
  ];
}
