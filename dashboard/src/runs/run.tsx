import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import type { ReadWorkflowRunAnswer } from "../answers.ts";
import { ApiError, api } from "../api.ts";
import { fromNow, sayDuration, usdc } from "../format.ts";
import { AnswerTree } from "../parts/answer-tree.tsx";
import { ApiCall } from "../parts/api-call.tsx";
import { Ask } from "../parts/ask.tsx";
import type { JsonSchema } from "../parts/json-schema.ts";
import { useRowKeys } from "../parts/keyboard.ts";
import { SchemaForm } from "../parts/schema-form.tsx";
import { Panel, Problem, Rows } from "../parts/states.tsx";
import { When } from "../parts/time.tsx";
import { RunStatus, sayWorkflow } from "./run-status.tsx";
import { readStep, sayAnswer, sayStep } from "./say-step.ts";
import { sayWait } from "./say-wait.ts";
import { Waterfall } from "./waterfall.tsx";

const FAST_MILLISECONDS = 2_000;
const SLOW_MILLISECONDS = 10_000;

export function Run() {
  const { runId } = useParams({ from: "/runs/$runId" });
  useRowKeys();
  const path = `/api/workflows/runs/${encodeURIComponent(runId)}`;
  const run = useQuery({
    queryKey: ["runs", "one", runId],
    queryFn: ({ signal }) => api<ReadWorkflowRunAnswer>(path, { signal }),
    refetchInterval: ({ state }) => {
      if (state.data?.endedAt != null) return false;
      return state.data?.status === "running" ? FAST_MILLISECONDS : SLOW_MILLISECONDS;
    },
  });
  return (
    <>
      <p className="crumbs">
        <Link to="/runs">Runs</Link>
      </p>
      {run.data === undefined && <h1>Run</h1>}
      {run.isPending && <Rows count={6} />}
      {run.error !== null && <Problem error={run.error} retry={() => void run.refetch()} />}
      {run.data !== undefined && <Whole run={run.data} />}
      <ApiCall calls={[{ method: "GET", path }]} />
    </>
  );
}

function Whole({ run }: { run: ReadWorkflowRunAnswer }) {
  const { result, failure, shown, steps } = run;
  return (
    <>
      <div className="page-head">
        <div>
          <h1>{sayWorkflow(run.workflowId)}</h1>
          <p className="facts">
            <RunStatus status={run.status} />
            <span className="quiet">
              Started <When at={run.createdAt} />
            </span>
            <span className="quiet">Its calls cost {usdc(run.totalPriceMicroUsdc)} USDC</span>
            {run.tripId !== null && (
              <Link to="/trips/budgets/$tripId" params={{ tripId: run.tripId }}>
                The trip that pays
              </Link>
            )}
          </p>
        </div>
        {run.endedAt === null && <Cancel run={run} />}
      </div>
      <p className="sentence">{saySentence(run)}</p>
      {run.status === "paused" && <Pause key={run.sessionId} run={run} />}
      {isThere(failure) && (
        <Panel title="Why it failed">
          <AnswerTree value={failure} />
        </Panel>
      )}
      <Panel title="Steps">
        <Waterfall steps={steps} />
      </Panel>
      {isThere(shown) && run.status === "paused" && (
        <Panel title="What to decide about">
          <AnswerTree value={shown} />
        </Panel>
      )}
      {isThere(result) && (
        <Panel title="Result">
          <AnswerTree value={result} />
        </Panel>
      )}
    </>
  );
}

const isThere = (value: unknown): boolean => value !== null && value !== undefined;

/** The run in a sentence: what it waits for, who ends the wait, until when. */
function saySentence(run: ReadWorkflowRunAnswer): ReactNode {
  const { status, nextStepId, endedAt, createdAt, steps } = run;
  if (status === "running") return `It is at “${sayStep(steps.at(-1)?.step ?? "start")}”.`;
  if (status === "paused") return `It waits at “${sayStep(nextStepId ?? "")}”. ${sayWait(run)}`;
  const took = endedAt === null ? "" : ` after ${sayDuration(Date.parse(endedAt) - Date.parse(createdAt))}`;
  return status === "completed" ? `It was completed${took}.` : `It failed${took}.`;
}

const DECIDERS = {
  caller: "Whoever started the run can continue it, and so can you.",
  person: "A person who may decide approvals ends the wait.",
  service: "It continues by itself once that has happened.",
} as const;

function Pause({ run }: { run: ReadWorkflowRunAnswer }) {
  const { decidedBy, expiresAt, onTimeout, expects, shown, sessionId, nextStepId } = run;
  return (
    <Panel title="The wait">
      <p>
        {decidedBy !== null && DECIDERS[decidedBy]}{" "}
        {expiresAt !== null && (
          <>
            It ends <When at={expiresAt} />
            {onTimeout === null
              ? "."
              : `, and then counts as “${onTimeout.status}”: ${sayAnswer(nextStepId ?? "", `${onTimeout.status}`)}.`}
          </>
        )}
      </p>
      <Helpful shown={shown} nextStepId={nextStepId} />
      {typeof shown?.approvalId === "string" ? (
        <Link className="button" to="/approvals" search={{ id: shown.approvalId }}>
          Decide under Approvals
        </Link>
      ) : (
        decidedBy === "caller" &&
        expects !== null &&
        sessionId !== null && <Resume expects={expects} sessionId={sessionId} runId={run.runId} />
      )}
    </Panel>
  );
}

/** Where to look, or to do what is missing, before the run is continued. */
function Helpful({ shown, nextStepId }: Pick<ReadWorkflowRunAnswer, "shown" | "nextStepId">) {
  const orderIds = Array.isArray(shown?.orderIds) ? shown.orderIds.map(String) : [];
  const lacksProfile = readStep(nextStepId ?? "").step === "traveler_profile";
  if (orderIds.length === 0 && !lacksProfile) return null;
  return (
    <p className="facts">
      {orderIds.map((orderId) => (
        <Link key={orderId} to="/trips/orders/$orderId" params={{ orderId }}>
          The other booking
        </Link>
      ))}
      {lacksProfile && (
        <Link to="/playground" search={{ tool: "save_traveler" }}>
          Complete a profile
        </Link>
      )}
    </p>
  );
}

/** Required members that have a default are sent with it. */
function listDefaults({ properties = {}, required = [] }: JsonSchema): Readonly<Record<string, unknown>> {
  const known = required.filter((name) => properties[name]?.default !== undefined);
  return Object.fromEntries(known.map((name) => [name, properties[name]?.default]));
}

function Resume({ expects, sessionId, runId }: { expects: JsonSchema; sessionId: string; runId: string }) {
  const queries = useQueryClient();
  const [resolution, setResolution] = useState(() => listDefaults(expects));
  const body = { sessionId, resolution };
  const resume = useMutation({
    mutationFn: () => api<ReadWorkflowRunAnswer>("/api/workflows/resume", { method: "POST", body }),
    onSuccess: (run) => queries.setQueryData(["runs", "one", runId], run),
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        resume.mutate();
      }}
    >
      <SchemaForm schema={expects} value={resolution} change={setResolution} />
      {resume.error !== null && <Problem error={resume.error} />}
      <div className="buttons">
        <button type="submit" disabled={resume.isPending}>
          Continue the run
        </button>
      </div>
      <ApiCall calls={[{ method: "POST", path: "/api/workflows/resume", body }]} />
    </form>
  );
}

/** If it would lose money, the service says how much, and the person is asked once more. */
function Cancel({ run: { runId, expiresAt } }: { run: ReadWorkflowRunAnswer }) {
  const queries = useQueryClient();
  const [loss, setLoss] = useState<string>();
  const path = `/api/workflows/runs/${runId}/cancel`;
  const body = loss === undefined ? {} : { acceptLoss: true };
  const cancel = useMutation({
    mutationFn: () => api<ReadWorkflowRunAnswer>(path, { method: "POST", body }),
    onSuccess: (run) => queries.setQueryData(["runs", "one", runId], run),
    onError: (error) => {
      if (error instanceof ApiError && error.code === "loss_not_accepted") setLoss(error.message);
    },
  });
  return (
    <Ask
      button="Cancel the run"
      title="Cancel this run?"
      says={
        loss ??
        `Its steps are undone, in reverse order. If that would lose money, nothing happens and you are asked again.${
          expiresAt === null ? "" : ` Left alone, its wait ends ${fromNow(expiresAt)}.`
        }`
      }
      yes={loss === undefined ? "Cancel the run" : "Cancel it, and accept the loss"}
      no="Let it go on"
      error={cancel.error}
      run={() => cancel.mutateAsync()}
      call={{ method: "POST", path, body }}
    />
  );
}
