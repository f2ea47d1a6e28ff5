import type {
  GetApprovalAnswer,
  GetSessionsAnswer,
  ListKeysAnswer,
  ListWorkflowRunsAnswer,
  MintKeyAnswer,
  ReadFailedCallsAnswer,
  ReadUsageAnswer,
  ReadUsageSumsAnswer,
} from "./answers.ts";
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

/** A path with those members of a query that have a value. */
export function withQuery(path: string, members: Readonly<Record<string, string | number | undefined>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(members)) {
    if (value !== undefined && value !== "") query.set(name, String(value));
  }
  return query.size === 0 ? path : `${path}?${query}`;
}

export function signInUrl(again: boolean): string {
  const next = encodeURIComponent(location.pathname + location.search);
  return `/sign-in?${again ? "again=1&" : ""}next=${next}`;
}

export type Key = ListKeysAnswer["keys"][number];
export type NewKey = MintKeyAnswer;
export type Session = GetSessionsAnswer["sessions"][number];
export type UsagePage = ReadUsageAnswer;
export type UsageSums = ReadUsageSumsAnswer;
export type FailedCall = ReadFailedCallsAnswer["calls"][number];
export type Run = ListWorkflowRunsAnswer["runs"][number];

/** The evidence is stored as it was shown, and may be of an earlier release. */
export type Approval = Omit<GetApprovalAnswer, "evidence"> & { evidence: Evidence | null };
