import { createHash } from "node:crypto";
import { canonicalJson } from "../../domain/canonical-json.ts";
import { Failure, invalidInput } from "../../domain/errors.ts";
import { newId } from "../../domain/ids.ts";
import { nearest } from "../../domain/near-match.ts";
import { buildGuestUserId } from "../../domain/user-ids.ts";
import { validateArguments } from "../../kernel/call/validate.ts";
import type { Workflow } from "../../kernel/contracts/workflow.ts";
import { checkInput } from "./check-input.ts";
import type { RunCaller, RunParts } from "./run-parts.ts";
import type { Run } from "./runs.ts";

export interface RunRequest {
  workflowId: string;
  input: Readonly<Record<string, unknown>>;
  userId: string | undefined;
  idempotencyKey: string | undefined;
  traceId: string;
}

/** Throws `invalid_input` or `idempotency_mismatch`. */
export async function startRun(parts: RunParts, caller: RunCaller, request: RunRequest): Promise<Run> {
  const { clock, random, stores, workflowRunner } = parts;
  const { userId, idempotencyKey } = request;
  const { workflow, input } = await checkStart(parts, caller, request);
  await checkInput(parts, caller, workflow, input).catch(async (error: unknown) => {
    // A started run stays valid although its dates may be past by now.
    if (idempotencyKey === undefined || !(await stores.runs.isKnown(caller, idempotencyKey))) throw error;
  });
  const run = {
    id: newId("run_", clock.now().epochMilliseconds, random),
    tenantId: caller.tenantId,
    environment: caller.environment,
    keyId: caller.keyId,
    workflowId: workflow.id,
    version: workflow.version,
    input,
    traceId: request.traceId,
    userId: userId === undefined || userId.startsWith("svc:") ? undefined : userId,
    tripId: typeof input.tripId === "string" ? input.tripId : undefined,
    idempotencyKey: request.idempotencyKey,
    requestHash: createHash("sha256")
      .update(canonicalJson({ workflowId: workflow.id, userId: userId ?? null, input: request.input }))
      .digest("hex"),
  };
  const inserted = await stores.runs.insert(run, listUsers(run));
  if (inserted.kind === "no_user") throw noSuchUser();
  if (inserted.kind === "mismatch") {
    throw new Failure("idempotency_mismatch", {
      detail: "The idempotency key started another run. Use a new key for a new run.",
    });
  }
  if (inserted.kind === "new") workflowRunner.expect(inserted.run);
  workflowRunner.wake();
  return inserted.run;
}

/** The guest of a trip may not be a user yet. */
const listUsers = ({ userId, tripId }: { userId: string | undefined; tripId: string | undefined }): string[] => [
  ...(userId === undefined ? [] : [userId]),
  ...(tripId === undefined ? [] : [buildGuestUserId(tripId.toLowerCase())]),
];

function noSuchUser(): Failure {
  return invalidInput([{ path: "userId", message: "is not a user of this tenant; create it, or omit it" }]);
}

/** Checks everything that can be refused before a run is stored. Throws `invalid_input`. */
export async function checkStart(
  { workflowRunner, identity }: Pick<RunParts, "workflowRunner" | "identity">,
  { tenantId, environment }: Pick<RunCaller, "tenantId" | "environment">,
  { workflowId, input, userId }: Pick<RunRequest, "workflowId" | "input" | "userId">,
) {
  const workflow = findWorkflow(workflowRunner.workflows, workflowId);
  const validated = validateInput(workflow, input);
  if (userId !== undefined && !userId.startsWith("svc:") && !(await identity.isUser(tenantId, userId, environment))) {
    throw noSuchUser();
  }
  return { workflow, input: validated };
}

function findWorkflow(workflows: readonly Workflow[], id: string): Workflow {
  const workflow = workflows.find((one) => one.id === id);
  if (workflow !== undefined) return workflow;
  const ids = workflows.map((one) => one.id);
  const near = nearest(id, ids);
  const hint = near === undefined ? "" : ` Did you mean "${near}"?`;
  throw invalidInput([{ path: "workflowId", message: `is not a workflow.${hint} There are: ${ids.join(", ")}` }]);
}

function validateInput(workflow: Workflow, input: Readonly<Record<string, unknown>>): Record<string, unknown> {
  try {
    return validateArguments(workflow.input, input);
  } catch (error) {
    if (!(error instanceof Failure) || error.issues === undefined) throw error;
    throw invalidInput(
      error.issues.map(({ path, message }) => ({ path: path === "" ? "input" : `input.${path}`, message })),
    );
  }
}
