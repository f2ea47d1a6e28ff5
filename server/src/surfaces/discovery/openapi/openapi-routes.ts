import { z } from "zod";
import { jsonSchema } from "../../../kernel/contracts/catalog.ts";
import type { AnswerDescription, RouteDescription } from "../../../kernel/contracts/route.ts";
import { errorAnswers, type Place } from "./openapi-errors.ts";
import { type JsonObject, ref } from "./openapi-json.ts";
import { auditHeaders, INTERNAL_SCHEME, meterHeader, replayHeader, SECURITY_SCHEME } from "./openapi-parts.ts";

/** A route's description as an OpenAPI operation. */
export function routeOperation(route: RouteDescription, appUrl: string): JsonObject {
  const { access, body, isBodyOptional, example } = route;
  const isPublic = access === "public";
  const headers = isPublic ? {} : auditHeaders;
  const answers = Object.entries(route.answers).map(([status, answer]) => [
    status,
    describeAnswer(answer, example?.answer),
  ]);
  return {
    operationId: route.id,
    tags: [route.tag],
    summary: route.summary,
    description: route.description,
    security: describeSecurity(access),
    parameters: [
      ...parameters(route.params, "path"),
      ...parameters(route.query, "query"),
      ...(route.takesIdempotencyKey === true ? [ref("parameters", "IdempotencyKey")] : []),
      ...(isPublic ? [] : [ref("parameters", "Traceparent")]),
    ],
    ...given("requestBody", body === undefined ? undefined : requestBody(body, example?.body, isBodyOptional !== true)),
    responses: withHeaders(
      { ...errorAnswers(listPlaces(route), route.problems, appUrl), ...Object.fromEntries(answers) },
      headers,
    ),
  };
}

/** Any of them is enough. */
function describeSecurity(access: RouteDescription["access"]): JsonObject[] {
  if (access === "public") return [];
  if (access === "any key") return [{ [SECURITY_SCHEME]: [] }];
  const byKey = { [SECURITY_SCHEME]: [access.scope] };
  return access.internalToken === true ? [byKey, { [INTERNAL_SCHEME]: [] }] : [byKey];
}

function describeAnswer(answer: AnswerDescription, routeExample: unknown): JsonObject {
  const { description, schema, contentType = "application/json", example = routeExample, ofTools } = answer;
  const others = Object.entries(answer.otherwise ?? {}).map(([type, other]) => [
    type,
    { schema: jsonSchema(other, "output") },
  ]);
  const content = schema && {
    [contentType]: { schema: jsonSchema(schema, "output"), ...given("example", example) },
    ...Object.fromEntries(others),
  };
  const headers = ofTools ? { ...meterHeader, ...replayHeader } : undefined;
  return { description, ...given("headers", headers), ...given("content", content) };
}

/** Adds these headers to each answer. */
export function withHeaders(answers: Readonly<Record<string, JsonObject>>, headers: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(answers).map(([status, answer]) => [
      status,
      { ...answer, headers: { ...headers, ...Object(answer.headers) } },
    ]),
  );
}

function listPlaces({ access, body, query }: RouteDescription): Place[] {
  return [
    ...(access === "public" ? [] : (["keyed"] as const)),
    ...(typeof access === "object" ? (["scoped"] as const) : []),
    ...(body === undefined ? [] : (["body"] as const)),
    ...(body === undefined && query === undefined ? [] : (["input"] as const)),
  ];
}

function requestBody(schema: z.ZodType, example: unknown, required: boolean): JsonObject {
  return { required, content: { "application/json": { schema: jsonSchema(schema, "input"), example } } };
}

function parameters(schema: z.ZodObject | undefined, place: "path" | "query"): JsonObject[] {
  if (schema === undefined) return [];
  const { required } = z.toJSONSchema(schema, { io: "input" });
  return Object.entries(schema.shape).map(([name, field]) => {
    const { description, ...rest } = jsonSchema(field, "input");
    const isRequired = required?.includes(name) ?? false;
    return { name, in: place, required: isRequired, ...given("description", description), schema: rest };
  });
}

function given(name: string, value: unknown): JsonObject {
  return value === undefined ? {} : { [name]: value };
}
