import type { ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";

/** Headers that callers read, and that are not every server's. */
const OWN_HEADERS = /^(?:x-service-.*|idempotent-replayed|retry-after|www-authenticate)$/;

type Members = Readonly<Record<string, unknown>>;

export interface DescribedOperation {
  path: string;
  method: string;
  members: Members;
}

/** Members of an object; of anything else none. */
export function members(value: unknown): Members {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

/** Looks into an API description and checks values against it, as any client could. */
export function readApiDescription(text: string) {
  const document = members(JSON.parse(text));
  // Each schema is used a few times: to compile it, once, is the most of the work.
  const options = {
    strict: false,
    allErrors: true,
    logger: false,
    inlineRefs: false,
    code: { optimize: false },
  } as const;
  const ajv = new Ajv2020(options);
  addFormats.default(ajv);
  ajv.addSchema(document, "description");

  const compiled = new Map<string, ValidateFunction>();
  function validatorAt(pointer: string): ValidateFunction {
    const found = compiled.get(pointer) ?? ajv.compile({ $ref: `description#/${pointer}` });
    compiled.set(pointer, found);
    return found;
  }

  /** The errors of a value against the schema at these steps. */
  function problems(steps: readonly string[], value: unknown): string[] {
    const pointer = steps.map((step) => encodeURIComponent(step.replaceAll("~", "~0").replaceAll("/", "~1")));
    const validate = validatorAt(pointer.join("/"));
    if (validate(value)) return [];
    return (validate.errors ?? []).map((error) => `${steps.join(" ")}: ${error.instancePath} ${error.message}`);
  }

  const at = (steps: readonly string[]) => steps.reduce<unknown>((value, step) => members(value)[step], document);

  const operations = Object.entries(members(document.paths)).flatMap(([path, item]) =>
    Object.entries(members(item)).map(([method, operation]) => ({ path, method, members: members(operation) })),
  );

  return {
    document,
    operations,
    problems,
    find: (path: string, method: string): DescribedOperation | undefined =>
      operations.find((operation) => operation.path === path && operation.method === method),
    /** The errors of an answer against the schema and the headers for its status and type. */
    answerProblems(
      path: string,
      method: string,
      answer: { status: number; headers: Headers; body: unknown },
    ): string[] {
      const type = answer.headers.get("content-type")?.split(";")[0] ?? "";
      const steps = ["paths", path, method, "responses", String(answer.status), "content", type, "schema"];
      if (at(steps) === undefined) return [`not described: ${steps.join(" ")}`];
      const described = Object.keys(members(at([...steps.slice(0, 5), "headers"])));
      const stray = [...answer.headers.keys()].filter((name) => OWN_HEADERS.test(name) && !described.includes(name));
      return [...problems(steps, answer.body), ...stray.map((name) => `${steps.join(" ")}: header ${name}`)];
    },
    /** The errors of the examples, each against the schema beside it. */
    exampleProblems(): { count: number; found: string[] } {
      const results = operations.flatMap((operation) => {
        const base = ["paths", operation.path, operation.method];
        const places: [string[], unknown][] = [
          [[...base, "requestBody"], operation.members.requestBody],
          ...Object.entries(members(operation.members.responses)).map(([status, answer]): [string[], unknown] => [
            [...base, "responses", status],
            answer,
          ]),
        ];
        return places.flatMap(([steps, holder]) =>
          Object.entries(members(members(holder).content)).flatMap(([type, content]) =>
            listExamples(content).map((example) => problems([...steps, "content", type, "schema"], example)),
          ),
        );
      });
      return { count: results.length, found: results.flat() };
    },
  };
}

export type ApiDescription = ReturnType<typeof readApiDescription>;

function listExamples(content: unknown): unknown[] {
  const { example, examples } = members(content);
  const named = Object.values(members(examples)).map((one) => members(one).value);
  return example === undefined ? named : [example, ...named];
}
