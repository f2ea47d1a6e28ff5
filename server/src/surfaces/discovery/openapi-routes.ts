import { z } from "zod";
import { jsonSchema } from "../../kernel/catalog.ts";
import type { Operation, OperationAnswer } from "../http/operation.ts";
import { errorAnswers, type Place } from "./openapi-errors.ts";
import { type JsonObject, ref } from "./openapi-json.ts";
import { auditHeaders, meterHeader, replayHeader, SECURITY_SCHEME } from "./openapi-parts.ts";

/** A route's description as an OpenAPI operation. */
export function routeOperation(operation: Operation): JsonObject {
  const { access } = operation;
  const isPublic = access === "public";
  const headers = isPublic ? {} : auditHeaders;
  const answers = Object.entries(operation.answers).map(([status, answer]) => [status, answerOf(answer)]);
  return {
    operationId: operation.id,
    tags: [operation.tag],
    summary: operation.summary,
    description: operation.description,
    security: isPublic ? [] : [{ [SECURITY_SCHEME]: typeof access === "object" ? [access.scope] : [] }],
    parameters: [
      ...parameters(operation.pathParameters, "path"),
      ...parameters(operation.query, "query"),
      ...(isPublic ? [] : [ref("parameters", "Traceparent")]),
    ],
    ...given("requestBody", operation.body === undefined ? undefined : requestBody(operation.body)),
    responses: withHeaders(
      { ...errorAnswers(placesOf(operation), operation.problems), ...Object.fromEntries(answers) },
      headers,
    ),
  };
}

function answerOf({
  description,
  schema,
  contentType = "application/json",
  example,
  ofTools,
}: OperationAnswer): JsonObject {
  const content = schema && { [contentType]: { schema: jsonSchema(schema, "output"), ...given("example", example) } };
  const headers = ofTools ? { ...meterHeader, ...replayHeader } : undefined;
  return { description, ...given("headers", headers), ...given("content", content) };
}

/** The same answers, each with these headers too. */
export function withHeaders(answers: Readonly<Record<string, JsonObject>>, headers: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(answers).map(([status, answer]) => [
      status,
      { ...answer, headers: { ...headers, ...Object(answer.headers) } },
    ]),
  );
}

function placesOf(operation: Operation): Place[] {
  const { access, body, query } = operation;
  return [
    ...(access === "public" ? [] : (["keyed"] as const)),
    ...(typeof access === "object" ? (["scoped"] as const) : []),
    ...(body === undefined ? [] : (["body"] as const)),
    ...(body === undefined && query === undefined ? [] : (["input"] as const)),
  ];
}

function requestBody({ schema, example }: NonNullable<Operation["body"]>): JsonObject {
  return { required: true, content: { "application/json": { schema: jsonSchema(schema, "input"), example } } };
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
