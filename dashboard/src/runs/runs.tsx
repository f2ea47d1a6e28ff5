import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import type { ListWorkflowRunsAnswer } from "../answers.ts";
import { sayDuration } from "../format.ts";
import { ApiCall } from "../parts/api-call.tsx";
import { Choices } from "../parts/choices.tsx";
import { useRowKeys } from "../parts/keyboard.ts";
import { More, usePages } from "../parts/pages.tsx";
import { Empty, Panel, Problem, Rows } from "../parts/states.tsx";
import { When } from "../parts/time.tsx";
import { RunStatus, sayWorkflow } from "./run-status.tsx";

const STATUSES = [
  ["all", "All"],
  ["running", "Running"],
  ["paused", "Paused"],
  ["completed", "Completed"],
  ["failed", "Failed"],
] as const;

export function Runs() {
  const { status = "all" } = useSearch({ from: "/runs" });
  const navigate = useNavigate({ from: "/runs" });
  useRowKeys();
  const path = `/api/workflows/runs?limit=50${status === "all" ? "" : `&status=${status}`}`;
  const runs = usePages<ListWorkflowRunsAnswer>(["runs", status], path);
  const shown = runs.data?.pages.flatMap((page) => page.runs) ?? [];
  return (
    <>
      <h1>Runs</h1>
      <Choices
        label="Status"
        values={STATUSES}
        chosen={status}
        choose={(one) => void navigate({ search: one === "all" ? {} : { status: one } })}
      />
      <Panel title="Workflow runs">
        {runs.isPending && <Rows count={5} />}
        {runs.error !== null && <Problem error={runs.error} retry={() => void runs.refetch()} />}
        {runs.isSuccess && shown.length === 0 && (
          <Empty>
            {status === "all" ? (
              <>
                No workflow has been run yet. A run books a whole trip and waits for people where it must.{" "}
                <a href="/docs/workflows">How it works</a>
              </>
            ) : (
              `No run is ${status}.`
            )}
          </Empty>
        )}
        <ul className="list booked">
          {shown.map((run) => (
            <li key={run.runId}>
              <span>
                <Link data-row to="/runs/$runId" params={{ runId: run.runId }} className="row-link">
                  {sayWorkflow(run.workflowId)}
                </Link>
                <br />
                <span className="quiet mono">{run.runId}</span>
              </span>
              <span className="quiet wide">
                started <When at={run.createdAt} />
              </span>
              <span className="quiet amount">
                {run.endedAt === null ? "" : `took ${sayDuration(Date.parse(run.endedAt) - Date.parse(run.createdAt))}`}
              </span>
              <RunStatus status={run.status} />
            </li>
          ))}
        </ul>
        <More list={runs} />
        <ApiCall calls={[{ method: "GET", path }]} />
      </Panel>
    </>
  );
}
