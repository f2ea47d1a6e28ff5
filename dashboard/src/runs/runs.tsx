import { Link, useSearch } from "@tanstack/react-router";
import type { ListWorkflowRunsAnswer } from "../answers.ts";
import { withQuery } from "../api.ts";
import { sayDuration } from "../format.ts";
import { Choices } from "../parts/choices.tsx";
import { useRowKeys } from "../parts/keyboard.ts";
import { PagedList } from "../parts/paged-list.tsx";
import { useChangeSearch } from "../parts/search-state.ts";
import { Panel } from "../parts/states.tsx";
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
  const { status } = useSearch({ from: "/runs" });
  const change = useChangeSearch();
  useRowKeys();
  return (
    <>
      <h1>Runs</h1>
      <Choices
        label="Status"
        values={STATUSES}
        chosen={status ?? "all"}
        choose={(one) => change({ status: one === "all" ? undefined : one })}
      />
      <Panel title="Workflow runs">
        <PagedList
          queryKey={["runs", status ?? "all"]}
          path={withQuery("/api/workflows/runs", { limit: 50, status })}
          read={(page: ListWorkflowRunsAnswer) => page.runs}
          empty={
            status === undefined ? (
              <>
                No workflow has been run yet. A run books a whole trip and waits for people where it must.{" "}
                <a href="/docs/workflows">How it works</a>
              </>
            ) : (
              `No run is ${status}.`
            )
          }
        >
          {(runs) => (
            <ul className="list booked">
              {runs.map((run) => (
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
                    {run.endedAt === null
                      ? ""
                      : `took ${sayDuration(Date.parse(run.endedAt) - Date.parse(run.createdAt))}`}
                  </span>
                  <RunStatus status={run.status} />
                </li>
              ))}
            </ul>
          )}
        </PagedList>
      </Panel>
    </>
  );
}
