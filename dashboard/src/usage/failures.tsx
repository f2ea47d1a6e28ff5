import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { api, type FailedCall } from "../api.ts";
import { fromNow, sayReason, time, toolName } from "../format.ts";
import { ErrorCode } from "../parts/error-code.tsx";
import { Empty, Panel, Problem, Rows } from "../parts/states.tsx";

/** A preview that said that the call would be refused. */
const PREVIEW = "preview";

export function Failures() {
  const { call: chosen, code } = useSearch({ from: "/usage" });
  const navigate = useNavigate({ from: "/usage" });
  const failures = useQuery({
    queryKey: ["failures", code ?? ""],
    queryFn: () =>
      api<{ calls: readonly FailedCall[] }>(
        `/api/calls?limit=100${code === undefined ? "" : `&code=${encodeURIComponent(code)}`}`,
      ),
    refetchInterval: 15_000,
  });
  const calls = failures.data?.calls ?? [];
  const shown = calls.find(({ id }) => id === chosen);
  return (
    <Panel
      title="Failed calls"
      aside={
        code !== undefined && (
          <button
            type="button"
            className="plain small"
            onClick={() => void navigate({ search: ({ code: _code, ...others }) => others })}
          >
            Only {code}: show all
          </button>
        )
      }
    >
      {failures.isPending && <Rows count={5} />}
      {failures.error !== null && <Problem error={failures.error} retry={() => void failures.refetch()} />}
      {failures.isSuccess && calls.length === 0 && (
        <Empty>{code === undefined ? "No call has failed lately." : "No call has failed with this code."}</Empty>
      )}
      <ul className="list calls">
        {calls.map(({ id, tool, code: failed, detail, createdAt, keyName, surface }) => (
          <li key={id} aria-current={id === chosen}>
            <button
              type="button"
              className="link"
              aria-expanded={id === chosen}
              onClick={() =>
                void navigate({
                  search: ({ call: _former, ...others }) => (id === chosen ? others : { ...others, call: id }),
                  replace: true,
                })
              }
            >
              {surface === PREVIEW ? "Preview: " : ""}
              {tool === null ? "Unknown tool" : toolName(tool)}
            </button>
            <ErrorCode code={failed} />
            <time className="quiet" dateTime={createdAt} title={time(createdAt)}>
              {fromNow(createdAt)}
              {keyName === null ? "" : `, ${keyName}`}
            </time>
            {id === chosen && shown !== undefined ? (
              <FailureDetails call={shown} />
            ) : (
              detail !== null && <span className="quiet reason">{sayReason(detail)}</span>
            )}
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function FailureDetails({ call }: { call: FailedCall }) {
  const [approvalId] = /\bapr_[0-9A-Z]{26}\b/.exec(call.detail ?? "") ?? [];
  return (
    <dl className="details">
      <dt>Reason</dt>
      <dd>{call.detail === null ? "None was given." : sayReason(call.detail)}</dd>
      {approvalId !== undefined && (
        <>
          <dt>Approval</dt>
          <dd>
            <Link to="/approvals" search={{ id: approvalId }}>
              Open the request
            </Link>
          </dd>
        </>
      )}
      {call.issuePaths.length > 0 && (
        <>
          <dt>Arguments</dt>
          <dd className="mono">{call.issuePaths.join(", ")}</dd>
        </>
      )}
      <dt>Code</dt>
      <dd>
        <a href={`/docs/errors/${call.code}`}>{call.code}</a>
      </dd>
      <dt>Trace</dt>
      <dd className="mono">{call.traceId}</dd>
      <dt>When</dt>
      <dd>
        {time(call.createdAt)}, {call.surface === PREVIEW ? "in a preview" : `by ${call.surface}`}
      </dd>
      {call.tool !== null && (
        <>
          <dt>Again</dt>
          <dd>
            <Link
              to="/playground"
              search={{
                tool: call.tool,
                ...(call.issuePaths.length === 0 ? {} : { refused: call.issuePaths.join(",") }),
              }}
            >
              Open in the playground
            </Link>
          </dd>
        </>
      )}
    </dl>
  );
}
