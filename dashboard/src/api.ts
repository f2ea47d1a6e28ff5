import type { GetApprovalAnswer } from "./answers.ts";
import type { Evidence } from "./approvals/evidence.ts";
import { boot, tenantHeader } from "./boot.ts";

interface Problem {
  code?: string;
  detail?: string;
  issues?: readonly { path: string; message: string }[];
  traceId?: string;
}

/** A refusal of the service, with the next step in its own words. */
export class ApiError extends Error {
  readonly code: string;
  readonly status: number;
  /** Where the request was not accepted. */
  readonly issues: readonly { path: string; message: string }[];
  readonly traceId: string | undefined;

  constructor(status: number, problem: Problem) {
    super(problem.detail ?? "The service did not say why.");
    this.status = status;
    this.code = problem.code ?? "unknown";
    this.issues = problem.issues ?? [];
    this.traceId = problem.traceId;
  }
}

interface Sent {
  method?: "GET" | "POST" | "PUT" | "DELETE";
  body?: unknown;
  signal?: AbortSignal;
  /** Sending the same once more does it no second time. */
  idempotencyKey?: string;
}

/** Calls a public route with the session, in the tenant that this tab shows. */
export async function api<Answer>(
  path: string,
  { method = "GET", body, signal, idempotencyKey }: Sent = {},
): Promise<Answer> {
  const response = await fetch(path, {
    method,
    headers: {
      "x-tenant": tenantHeader,
      ...(method === "GET" ? {} : { "x-csrf-token": boot.csrf }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  });
  const answer: unknown = await response.json().catch(() => ({}));
  if (response.ok) return answer as Answer;
  const problem = typeof answer === "object" && answer !== null ? answer : {};
  if (response.status === 401) location.assign(signInUrl(false));
  throw new ApiError(response.status, problem);
}

export function signInUrl(again: boolean): string {
  const next = encodeURIComponent(location.pathname + location.search);
  return `/sign-in?${again ? "again=1&" : ""}next=${next}`;
}

export interface Key {
  keyId: string;
  name: string;
  start: string;
  state: "active" | "expired" | "revoked";
  scopes: readonly string[];
  createdAt: string;
  expiresAt: string | null;
  lastUsedAt: string | null;
  replaces: string | null;
  limits: Readonly<Record<string, string | readonly string[]>>;
}

export interface NewKey {
  apiKey: string;
  key: Key;
}

export interface Session {
  sessionId: string;
  browser: string;
  address: string;
  createdAt: string;
  seenAt: string;
}

export interface UsagePage {
  totals: { period: string; spentMicroUsdc: string; capMicroUsdc: string };
  records: readonly { id: string; tool: string; priceMicroUsdc: string; createdAt: string; latencyMs: number }[];
}

export interface UsageSums {
  sums: readonly { beginsAt: string; calls: number; priceMicroUsdc: string }[];
}

export interface FailedCall {
  id: string;
  createdAt: string;
  tool: string | null;
  surface: string;
  keyName: string | null;
  code: string;
  detail: string | null;
  issuePaths: readonly string[];
  traceId: string;
}

/** The evidence is stored as it was shown, and may be of an earlier release. */
export type Approval = Omit<GetApprovalAnswer, "evidence"> & { evidence: Evidence | null };

export interface Run {
  runId: string;
  workflowId: string;
  status: string;
  updatedAt: string;
}
