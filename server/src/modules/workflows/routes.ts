import { z } from "zod";
import { type Failure, unauthorized } from "../../domain/errors.ts";
import { currentTraceId } from "../../domain/trace.ts";
import { CURSOR_MESSAGE, NextCursor, pageQuery, readPage } from "../../kernel/contracts/page.ts";
import { defineInternalRoute, definePublicRoute } from "../../kernel/contracts/route.ts";
import type { Principal } from "../../ports/identity.ts";
import type { Decider } from "../approvals/index.ts";
import { cancelRuns, LOSS_NOT_ACCEPTED } from "./cancel-runs.ts";
import type { Parts } from "./context.ts";
import { RUN_STATES, RunAnswer, RunSummary, summarizeRun } from "./describe-run.ts";
import { describeWorkflow, WorkflowDescription } from "./describe-workflow.ts";
import { type Resumer, resumeRun } from "./pausing/resume-run.ts";
import type { RunParts } from "./run-parts.ts";
import { startRun } from "./start-run.ts";
import { LONGEST_WAIT_SECONDS, readChangedRun, Since, waitDescription, waitForRun } from "./wait-for-run.ts";

const RUN_ID = /^run_[0-9A-Z]{26}$/;
const SESSION_ID = /^ses_[0-9A-Za-z]{32}$/;
const APPROVALS = "approvals:decide";
const LONGEST_NAME = 200;
const NO_RUN = "This key or token has no such run.";

const WaitText = z
  .string()
  .refine((text) => /^\d{1,2}$/.test(text) && Number(text) <= LONGEST_WAIT_SECONDS, {
    message: `must be a whole number from 0 to ${LONGEST_WAIT_SECONDS}`,
  })
  // A string only because it is in a query.
  .meta({ type: "integer", minimum: 0, maximum: LONGEST_WAIT_SECONDS, default: 0 });

const RunPath = z.object({ runId: z.string().regex(RUN_ID) });
const Input = z.record(z.string(), z.unknown());

/** As shown in the descriptions of the routes. */
const exampleRun = {
  runId: "run_01KAJ2M5Q6R7S8T9V0W1X2Y3Z4",
  workflowId: "service.book_flight",
  status: "paused" as const,
  tripId: "0x7215000000000000000000000000000000000000000000000000000000000001",
  createdAt: "2030-01-01T09:00:00Z",
  updatedAt: "2030-01-01T09:00:01Z",
  endedAt: null,
  sessionId: "ses_abcdefghijklmnopqrstuvwxyz012345",
  nextStepId: "approval",
  decidedBy: "person" as const,
  pauseReason: "The policy default-corp requires a person's approval of this offer.",
  expects: { type: "object", properties: { status: { enum: ["approved", "rejected"] } }, required: ["status"] },
  shown: null,
  expiresAt: "2030-01-02T09:00:01Z",
  onTimeout: { status: "rejected" },
  result: null,
  failure: null,
  totalPriceMicroUsdc: "0",
  steps: [],
};

const listWorkflows = definePublicRoute({
  id: "list_workflows",
  method: "GET",
  path: "/api/workflows/list",
  tag: "workflows",
  summary: "List workflows",
  description: "Every workflow with its input, its steps and what its pauses expect.",
  limitByAddress: "requests",
  answers: { 200: { description: "The workflows.", schema: z.object({ workflows: z.array(WorkflowDescription) }) } },
  errors: { rate_limited: "Too many requests from this address. Send again later." },
  run: async (_, { workflowRunner }: Pick<Parts, "workflowRunner">) => ({
    workflows: workflowRunner.workflows.map(describeWorkflow),
  }),
});

const startWorkflow = defineInternalRoute({
  id: "start_workflow_run",
  method: "POST",
  path: "/api/workflows/run",
  tag: "workflows",
  summary: "Start a run",
  description:
    "Starts a run and returns when it pauses or ends, or after 25 seconds with the status running. Requests with the same Idempotency-Key start it once.",
  scope: "workflows:spend",
  takesIdempotencyKey: true,
  body: z.strictObject({
    workflowId: z.string().max(LONGEST_NAME).describe("See GET /api/workflows/list"),
    tenantId: z.string().max(LONGEST_NAME).describe("Optional with a key; default: the key's tenant").exactOptional(),
    userId: z.string().max(128).describe("A user of the tenant").exactOptional(),
    input: Input.describe("The workflow's input"),
  }),
  answers: { 200: { description: "The run.", schema: RunAnswer } },
  errors: {
    tenant_not_found: "The token is not bound to this tenant, or the key is another tenant's.",
    idempotency_mismatch: "The idempotency key started another run. Use a new key for a new run.",
    not_found: NO_RUN,
  },
  example: {
    body: {
      workflowId: "service.book_flight",
      input: {
        tripId: "0x7215000000000000000000000000000000000000000000000000000000000001",
        origin: "LHR",
        destination: "JFK",
        departureDate: "2030-01-15",
        policyId: "default-corp",
      },
    },
    answer: exampleRun,
  },
  async run({ principals, body, header, fail }, parts: RunParts) {
    const principal = choosePrincipal(principals, body.tenantId, () => fail("tenant_not_found"));
    const run = await startRun(parts, principal, {
      workflowId: body.workflowId,
      input: body.input,
      userId: body.userId,
      idempotencyKey: header("idempotency-key"),
      traceId: currentTraceId() ?? Buffer.from(parts.random(16)).toString("hex"),
    });
    return (await waitForRun(parts, run)) ?? raise(fail("not_found"));
  },
});

const resumeWorkflow = defineInternalRoute({
  id: "resume_workflow_run",
  method: "POST",
  path: "/api/workflows/resume",
  tag: "workflows",
  summary: "Resume a paused run",
  description:
    "Resolves the pause. For a claim or tickets, the trip or the supplier must confirm it. A pause that a person decides requires a token with approvedBy, or the key of a person who may decide approvals. Returns as a start does.",
  scope: "workflows:spend",
  body: z.strictObject({
    sessionId: z.string().regex(SESSION_ID, "must be the sessionId of a paused run"),
    resolution: Input.describe(
      "status, the other members that `expects` names, and approvedBy: the person who decided",
    ),
  }),
  answers: { 200: { description: "The run.", schema: RunAnswer } },
  errors: {
    not_found: "There is no paused run with this session.",
    session_closed: "The pause was already resolved or has timed out.",
    may_not_decide: "The requester may not approve, and the policy names the role that may.",
    conflict:
      "The run waits for a claim or for tickets, and the trip or the supplier does not confirm the resolution. The run stays paused.",
    unavailable: "The claim or the tickets could not be looked up. Send the request again.",
  },
  example: {
    body: { sessionId: exampleRun.sessionId, resolution: { status: "approved", approvedBy: "finance desk" } },
    answer: exampleRun,
  },
  async run({ principals, body: { sessionId, resolution: given }, fail }, parts: RunParts) {
    const { approvedBy, ...resolution } = given;
    const run = await resumeRun(parts, buildResumer(principals, approvedBy), { sessionId, resolution });
    return (await waitForRun(parts, run)) ?? raise(fail("not_found"));
  },
});

const listRuns = defineInternalRoute({
  id: "list_workflow_runs",
  method: "GET",
  path: "/api/workflows/runs",
  tag: "workflows",
  summary: "List runs",
  description: "The tenant's runs, newest first.",
  scope: "workflows:read",
  query: z.object({
    ...pageQuery(z.string().regex(RUN_ID, CURSOR_MESSAGE)),
    tenantId: z.string().describe("Required with a token that is bound to several tenants").exactOptional(),
    status: z.enum(RUN_STATES).exactOptional(),
  }),
  answers: {
    200: { description: "One page of runs.", schema: z.object({ runs: z.array(RunSummary), nextCursor: NextCursor }) },
  },
  errors: { tenant_not_found: "The token is not bound to this tenant, or the key is another tenant's." },
  async run({ principals, query, fail }, { reads }: Pick<Parts, "reads">) {
    const { tenantId, environment } = choosePrincipal(principals, query.tenantId, () => fail("tenant_not_found"));
    const read = (limit: number) => {
      const page = { limit, before: query.cursor, state: query.status };
      return reads(tenantId, ({ runs }) => runs.list(tenantId, environment, page));
    };
    const { shown, nextCursor } = await readPage(query, read, ({ id }) => id);
    return { runs: shown.map(summarizeRun), nextCursor };
  },
});

const readWorkflowRun = defineInternalRoute({
  id: "read_workflow_run",
  method: "GET",
  path: "/api/workflows/runs/:runId",
  tag: "workflows",
  summary: "Read a run",
  description: "The run with its timeline and what it waits for, at once or at its next change.",
  scope: "workflows:read",
  params: RunPath,
  query: z.object({
    wait: WaitText.exactOptional().describe(waitDescription),
    since: Since,
  }),
  answers: { 200: { description: "The run.", schema: RunAnswer } },
  errors: { not_found: NO_RUN },
  async run({ principals, params, query: { wait, since }, gone, fail }, parts: Pick<Parts, "stores" | "runWaits">) {
    const asked = { wait: Number(wait ?? 0), since, owner: principals[0]?.keyId ?? "", signal: gone.signal };
    return (await readChangedRun(parts, toOwners(principals), params.runId, asked)) ?? raise(fail("not_found"));
  },
});

const cancelRun = defineInternalRoute({
  id: "cancel_workflow_run",
  method: "POST",
  path: "/api/workflows/runs/:runId/cancel",
  tag: "workflows",
  summary: "Cancel a run",
  description:
    "The run undoes its steps and ends as failed with the code run_cancelled. If that loses money, such as the price of a non-refundable order, nothing is changed unless acceptLoss is true. Returns as a start does.",
  scope: "workflows:spend",
  params: RunPath,
  body: z.strictObject({
    acceptLoss: z.boolean().default(false).describe("true: also cancel what is not fully refundable"),
  }),
  isBodyOptional: true,
  answers: { 200: { description: "The run.", schema: RunAnswer } },
  example: { body: { acceptLoss: false } },
  errors: { not_found: NO_RUN, conflict: "The run has ended.", loss_not_accepted: LOSS_NOT_ACCEPTED },
  async run({ principals, params, body, fail }, parts: RunParts) {
    const { runs } = parts.stores;
    const run = await runs.find(toOwners(principals), params.runId);
    if (run === undefined) throw fail("not_found");
    const cancellation = { by: nameCaller(principals, run.tenantId), acceptLoss: body.acceptLoss };
    if ((await cancelRuns(parts, [run], cancellation)) === 0) throw fail("conflict");
    return (await waitForRun(parts, run)) ?? raise(fail("not_found"));
  },
});

export const workflowRoutes = [listWorkflows, startWorkflow, resumeWorkflow, listRuns, readWorkflowRun, cancelRun];

function raise(failure: Failure): never {
  throw failure;
}

/** Without a tenant: the caller has only one. */
function choosePrincipal(
  principals: readonly Principal[],
  tenantId: string | undefined,
  notFound: () => Failure,
): Principal {
  const named = tenantId === undefined ? principals : principals.filter((one) => one.tenantId === tenantId);
  const [principal, second] = named;
  if (principal === undefined || second !== undefined) throw notFound();
  return principal;
}

/** Runs of one environment are hidden from keys of the other. */
const toOwners = (principals: readonly Principal[]) =>
  principals.map(({ tenantId, environment }) => ({ tenantId, environment }));

const nameCaller = (principals: readonly Principal[], tenantId: string): string =>
  principals.find((one) => one.tenantId === tenantId)?.serviceAccountId ?? "operator";

function buildResumer(principals: readonly Principal[], approvedBy: unknown): Resumer {
  const [first] = principals;
  if (first === undefined) throw unauthorized();
  const isNamed = typeof approvedBy === "string" && approvedBy.trim() !== "" && approvedBy.length <= LONGEST_NAME;
  const byToken = principals.every(({ isInternal }) => isInternal === true);
  return {
    owners: toOwners(principals),
    name: byToken && isNamed ? `${first.serviceAccountId} for ${approvedBy.trim()}` : first.serviceAccountId,
    mayDecide: byToken ? isNamed || "unnamed" : first.scopes.includes(APPROVALS),
    decider: toDecider(first, byToken, isNamed ? approvedBy.trim() : undefined),
    keyIdFor: (tenantId) => principals.find((one) => one.tenantId === tenantId)?.keyId,
  };
}

function toDecider(
  { serviceAccountId, personId }: Principal,
  byToken: boolean,
  approvedBy: string | undefined,
): Decider | undefined {
  if (byToken) return approvedBy === undefined ? undefined : { kind: "token", name: serviceAccountId, approvedBy };
  return personId === undefined ? undefined : { kind: "person", personId, with: "key" };
}
