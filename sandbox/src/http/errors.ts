import type { z } from "zod";

export type ErrorType =
  | "authentication_error"
  | "airline_error"
  | "invalid_state_error"
  | "rate_limit_error"
  | "validation_error"
  | "invalid_request_error"
  | "api_error";

export type WireError = {
  type: ErrorType;
  code: string;
  title: string;
  message: string;
  documentation_url: string;
  source?: { field: string; pointer: string };
};

const DOCUMENTATION_URL = "https://duffel.com/docs/api/overview/errors";

/** A failure as the supplier words it. Throw it before anything was committed. */
export class ApiError extends Error {
  readonly status: number;
  readonly errors: readonly WireError[];
  constructor(status: number, errors: readonly WireError[]) {
    super(errors[0]?.message ?? "error");
    this.status = status;
    this.errors = errors;
  }
}

function formatTitle(code: string): string {
  const words = code.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export function wireError(type: ErrorType, code: string, message: string, pointer?: string): WireError {
  return {
    type,
    code,
    title: formatTitle(code),
    message,
    documentation_url: DOCUMENTATION_URL,
    ...(pointer === undefined
      ? {}
      : { source: { field: pointer.split("/").at(-1) ?? pointer, pointer: `/${pointer}` } }),
  };
}

export function notFound(message = "The resource you are trying to access does not exist."): ApiError {
  return new ApiError(404, [wireError("invalid_request_error", "not_found", message)]);
}

export function invalidState(code: string, message: string): ApiError {
  return new ApiError(422, [wireError("invalid_state_error", code, message)]);
}

/** `pointer` is the JSON path inside `data`, slash-separated. */
export function invalidField(code: string, pointer: string, message: string): ApiError {
  return new ApiError(422, [wireError("validation_error", code, message, pointer)]);
}

export function airlineError(code: string, message: string): ApiError {
  return new ApiError(422, [wireError("airline_error", code, message)]);
}

export function apiError(status: number, code: string, message: string): ApiError {
  return new ApiError(status, [wireError("api_error", code, message)]);
}

function issueCode(issue: z.core.$ZodIssue): string {
  if (issue.code === "invalid_type" && issue.message.includes("received undefined")) return "validation_required";
  if (issue.code === "invalid_value") return "validation_inclusion";
  if (issue.code === "too_small" || issue.code === "too_big") return "validation_length";
  return "validation_format";
}

export function fromZod(error: z.ZodError): ApiError {
  const errors = error.issues.map((issue) => {
    const pointer = issue.path.map(String).join("/");
    const field = issue.path.at(-1);
    return wireError(
      "validation_error",
      issueCode(issue),
      `Field '${String(field ?? "data")}': ${issue.message}`,
      pointer === "" ? "data" : pointer,
    );
  });
  return new ApiError(422, errors);
}
