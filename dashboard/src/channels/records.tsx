import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import type { ListChannelRecordsAnswer } from "../answers.ts";
import { api } from "../api.ts";
import { sayDuration, time } from "../format.ts";
import { ApiCall } from "../parts/api-call.tsx";
import { Choices } from "../parts/choices.tsx";
import { Fact } from "../parts/fact.tsx";
import { More, usePages } from "../parts/pages.tsx";
import { Empty, Panel, Problem, Rows, Status } from "../parts/states.tsx";
import { When } from "../parts/time.tsx";

const CHANNELS = [
  ["email", "Email"],
  ["slack", "Slack"],
  ["whatsapp", "WhatsApp"],
  ["supplier", "Supplier"],
  ["chain", "Chain"],
  ["web", "HTTP"],
  ["mcp", "MCP"],
  ["maps", "Maps"],
  ["fx", "Rates"],
  ["facilitator", "Payments"],
  ["model", "Model"],
] as const;

const STATES = [
  ["all", "All"],
  ["waiting", "Waiting"],
  ["done", "Done"],
  ["refused", "Refused"],
  ["failed", "Failed"],
  ["unknown", "Unknown"],
  ["kept", "Kept"],
] as const;

const KINDS = {
  waiting: "wait",
  done: "done",
  refused: "fail",
  failed: "fail",
  unknown: "wait",
  kept: "quiet",
} as const;
const WAYS = { in: "came in", out: "went out", call: "was asked" } as const;

type Channel = (typeof CHANNELS)[number][0];
type Entry = ListChannelRecordsAnswer["records"][number];

/** Whatever came in, went out or was asked of third parties, without its contents. */
export function Records() {
  const search = useSearch({ from: "/channels" });
  const navigate = useNavigate({ from: "/channels" });
  const channel = CHANNELS.find(([one]) => one === search.channel)?.[0] ?? "email";
  const state = STATES.find(([one]) => one === search.state)?.[0] ?? "all";
  const path = `/api/channels/${channel}/records?limit=50${state === "all" ? "" : `&state=${state}`}`;
  const records = usePages<ListChannelRecordsAnswer>(["channel-records", channel, state], path);
  const shown = records.data?.pages.flatMap((page) => page.records) ?? [];
  return (
    <Panel title="Records">
      <Choices
        label="Channel"
        values={CHANNELS}
        chosen={channel}
        choose={(one) => void navigate({ search: ({ record: _record, ...was }) => ({ ...was, channel: one }) })}
      />
      <Choices
        label="State"
        values={STATES}
        chosen={state}
        choose={(one) =>
          void navigate({
            search: ({ state: _former, record: _record, ...was }) => (one === "all" ? was : { ...was, state: one }),
          })
        }
      />
      {records.isPending && <Rows count={6} />}
      {records.error !== null && <Problem error={records.error} retry={() => void records.refetch()} />}
      {records.isSuccess && shown.length === 0 && (
        <Empty>{state === "all" ? "This channel has no record yet." : `No record of this channel is ${state}.`}</Empty>
      )}
      <ul className="list records">
        {shown.map((record) => (
          <Row key={record.id} entry={record} channel={channel} isOpen={record.id === search.record} />
        ))}
      </ul>
      <More list={records} />
      <ApiCall calls={[{ method: "GET", path }]} />
    </Panel>
  );
}

function Row({ entry, channel, isOpen }: { entry: Entry; channel: Channel; isOpen: boolean }) {
  const navigate = useNavigate({ from: "/channels" });
  const { id, what, state, direction, problem, latencyMilliseconds, createdAt } = entry;
  return (
    <li>
      <button
        type="button"
        className="link"
        data-row
        aria-expanded={isOpen}
        onClick={() =>
          void navigate({
            search: ({ record: _former, ...was }) => (isOpen ? was : { ...was, record: id }),
            replace: true,
            resetScroll: false,
          })
        }
      >
        <span className="mono">{what}</span>
      </button>
      <span className="quiet">
        {WAYS[direction]} <When at={createdAt} />
        {latencyMilliseconds === null ? "" : `, ${sayDuration(latencyMilliseconds)}`}
      </span>
      <span>
        <Status kind={KINDS[state]}>{state}</Status>
        {problem !== null && <span className="quiet"> {problem}</span>}
      </span>
      {isOpen && <Details entry={entry} channel={channel} />}
    </li>
  );
}

function Details({ entry, channel }: { entry: Entry; channel: Channel }) {
  const { id, attempts, status, remoteId, traceId, tripId, runId, orderId, approvalId, canResend, createdAt } = entry;
  return (
    <dl className="details">
      <Fact name="When">{time(createdAt)}</Fact>
      <Fact name="Attempts">{status === null ? attempts : `${attempts}, answered with ${status}`}</Fact>
      <Fact name="Their id" className="mono">
        {remoteId}
      </Fact>
      <Fact name="Trace" className="mono">
        {traceId}
      </Fact>
      {(tripId !== null || runId !== null || orderId !== null || approvalId !== null) && (
        <Fact name="Belongs to" className="facts-line">
          {tripId !== null && (
            <Link to="/trips/budgets/$tripId" params={{ tripId }}>
              a trip
            </Link>
          )}
          {runId !== null && (
            <Link to="/runs/$runId" params={{ runId }}>
              a run
            </Link>
          )}
          {orderId !== null && (
            <Link to="/trips/orders/$orderId" params={{ orderId }}>
              a booking
            </Link>
          )}
          {approvalId !== null && (
            <Link to="/approvals" search={{}}>
              an approval
            </Link>
          )}
        </Fact>
      )}
      {canResend && (
        <Fact name="Again">
          <Resend channel={channel} recordId={id} />
        </Fact>
      )}
    </dl>
  );
}

function Resend({ channel, recordId }: { channel: Channel; recordId: string }) {
  const queries = useQueryClient();
  const path = `/api/channels/${channel}/records/${encodeURIComponent(recordId)}/resend`;
  const resend = useMutation({
    mutationFn: () => api(path, { method: "POST" }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["channel-records"] }),
  });
  if (resend.isSuccess) return <span role="status">It is sent again in a moment.</span>;
  return (
    <>
      {resend.error !== null && <Problem error={resend.error} />}
      <button type="button" className="plain small" disabled={resend.isPending} onClick={() => resend.mutate()}>
        Send it again
      </button>
      <ApiCall calls={[{ method: "POST", path }]} />
    </>
  );
}
