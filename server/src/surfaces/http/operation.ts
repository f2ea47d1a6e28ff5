import type { z } from "zod";
import type { ServiceCode } from "../../domain/errors.ts";

export interface OperationAnswer {
  description: string;
  /** Undefined: the answer has no body. */
  schema?: z.ZodType;
  /** `application/json` unless said otherwise. */
  contentType?: string;
  example?: unknown;
  /** Whether it can be the answer of a tool, and then carries what those carry. */
  ofTools?: boolean;
}

/** A route as its callers see it. The route itself is made from this, and so is the API description. */
export interface Operation {
  readonly id: string;
  readonly method: "GET" | "PUT" | "POST";
  /** With parameters in braces, for example `/api/travelers/{userId}`. */
  readonly path: string;
  /** The group that it is listed in. */
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  /** `public`: no key; `any key`: a valid key; else the scope that the key needs. */
  readonly access: "public" | "any key" | { readonly scope: string };
  readonly pathParameters?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: { readonly schema: z.ZodType; readonly example: unknown };
  readonly answers: Readonly<Record<number, OperationAnswer>>;
  /** Beside those that every route of its kind can answer. */
  readonly problems: readonly ServiceCode[];
}

/** The path in the words of the router. */
export function routerPath(operation: Operation): string {
  return operation.path.replaceAll(/\{(\w+)\}/g, ":$1");
}
