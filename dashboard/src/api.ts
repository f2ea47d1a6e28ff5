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
    super(problem.detail ?? (status >= 500 ? AWAY : "The service did not say why."));
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
  /** The same without such a key, because the body names the request. */
  isRepeatable?: boolean;
}

/** Calls a public route with the session, in the tenant that this tab shows. */
export async function api<Answer>(
  path: string,
  { method = "GET", body, signal, idempotencyKey, isRepeatable = idempotencyKey !== undefined }: Sent = {},
): Promise<Answer> {
  const silence = method === "GET" ? NOT_READ : isRepeatable ? NOT_TWICE : NOT_HEARD;
  const { ok, status, answer } = await send(path, silence, {
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
  if (ok) return answer as Answer;
  const problem = typeof answer === "object" && answer !== null ? answer : {};
  if (status === 401) location.assign(signInUrl(false));
  throw new ApiError(status, problem);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

const NOT_READ = "The service does not answer. Check your connection, and try again.";
const NOT_TWICE = "The service has not answered. Check your connection, and try again here: nothing is done twice.";
const NOT_HEARD =
  "The service has not answered, and may have done this. Check your connection, and look before you do it again.";
const AWAY = "The service cannot answer at the moment. Try again in a few seconds.";

/** An answer that breaks off is none: what it would have said is not known. */
async function send(path: string, silence: string, init: RequestInit) {
  try {
    const response = await fetch(path, init);
    const text = await response.text();
    return { ok: response.ok, status: response.status, answer: parse(text) };
  } catch (error) {
    if (init.signal?.aborted === true) throw error;
    throw new Error(silence, { cause: error });
  }
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
