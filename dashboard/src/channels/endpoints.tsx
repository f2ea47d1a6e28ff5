import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import type { ListEventDeliveriesAnswer, ListEventEndpointsAnswer } from "../answers.ts";
import { api } from "../api.ts";
import { ApiCall } from "../parts/api-call.tsx";
import { LIVE_MILLISECONDS, More, usePages } from "../parts/pages.tsx";
import { Empty, Panel, Problem, Rows, Status } from "../parts/states.tsx";
import { When } from "../parts/time.tsx";

type Endpoint = ListEventEndpointsAnswer["endpoints"][number];

/** Where events are sent, and how their deliveries went. */
export function Endpoints() {
  const { endpoint: chosen } = useSearch({ from: "/channels" });
  const navigate = useNavigate({ from: "/channels" });
  const endpoints = useQuery({
    queryKey: ["endpoints"],
    queryFn: ({ signal }) => api<ListEventEndpointsAnswer>("/api/event-endpoints", { signal }),
    refetchInterval: LIVE_MILLISECONDS,
  });
  const shown = endpoints.data?.endpoints ?? [];
  const open = shown.find(({ id }) => id === chosen);
  return (
    <>
      <Panel title="Event endpoints">
        {endpoints.isPending && <Rows count={3} />}
        {endpoints.error !== null && <Problem error={endpoints.error} retry={() => void endpoints.refetch()} />}
        {endpoints.isSuccess && shown.length === 0 && (
          <Empty>
            Events are sent nowhere yet. <a href="/docs/events">How to receive them</a>
          </Empty>
        )}
        <ul className="list records">
          {shown.map((endpoint) => (
            <li key={endpoint.id}>
              <button
                type="button"
                className="link"
                data-row
                aria-expanded={endpoint.id === chosen}
                onClick={() =>
                  void navigate({
                    search: { list: "events", ...(endpoint.id === chosen ? {} : { endpoint: endpoint.id }) },
                    replace: true,
                  })
                }
              >
                <span className="mono">{endpoint.url}</span>
              </button>
              <span className="quiet">
                {endpoint.description === "" ? "" : `${endpoint.description}, `}
                {endpoint.types.length === 0 ? "every type" : endpoint.types.join(", ")}
              </span>
              <EndpointState endpoint={endpoint} />
            </li>
          ))}
        </ul>
        <ApiCall calls={[{ method: "GET", path: "/api/event-endpoints" }]} />
      </Panel>
      {open !== undefined && <Deliveries key={open.id} endpoint={open} />}
    </>
  );
}

function EndpointState({ endpoint: { state, failingSince, offBecause } }: { endpoint: Endpoint }) {
  if (state === "off") return <Status kind="quiet">Off{offBecause === null ? "" : `: ${offBecause}`}</Status>;
  if (failingSince === null) return <Status kind="done">On</Status>;
  return (
    <Status kind="fail">
      Failing since <When at={failingSince} />
    </Status>
  );
}

const KINDS = { waiting: "wait", delivered: "done", failed: "fail" } as const;

function Deliveries({ endpoint: { id, url, description, types, state: endpointState } }: { endpoint: Endpoint }) {
  const queries = useQueryClient();
  const path = `/api/event-endpoints/${id}/deliveries?limit=50`;
  const deliveries = usePages<ListEventDeliveriesAnswer>(["deliveries", id], path);
  const shown = deliveries.data?.pages.flatMap((page) => page.deliveries) ?? [];
  const refresh = () => queries.invalidateQueries({ queryKey: ["deliveries", id] });
  const test = useMutation({
    mutationFn: () => api(`/api/event-endpoints/${id}/test`, { method: "POST", body: {} }),
    onSuccess: refresh,
  });
  const replay = useMutation({
    mutationFn: (eventId: string) =>
      api(`/api/event-endpoints/${id}/replay`, { method: "POST", body: { eventIds: [eventId] } }),
    onSuccess: refresh,
  });
  const switchOn = useMutation({
    mutationFn: () =>
      api(`/api/event-endpoints/${id}`, { method: "POST", body: { url, description, types, state: "on" } }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["endpoints"] }),
  });
  const problem = test.error ?? replay.error ?? switchOn.error;
  return (
    <Panel
      title={`Deliveries to ${url}`}
      aside={
        endpointState === "off" ? (
          <button type="button" className="plain small" disabled={switchOn.isPending} onClick={() => switchOn.mutate()}>
            Switch on again
          </button>
        ) : (
          <button type="button" className="plain small" disabled={test.isPending} onClick={() => test.mutate()}>
            Send a test event
          </button>
        )
      }
    >
      {deliveries.isPending && <Rows count={4} />}
      {deliveries.error !== null && <Problem error={deliveries.error} retry={() => void deliveries.refetch()} />}
      {problem !== null && <Problem error={problem} />}
      {deliveries.isSuccess && shown.length === 0 && <Empty>Nothing has been sent there yet.</Empty>}
      <ul className="list records">
        {shown.map(({ eventId, type, state, attempts, lastAttemptAt, lastStatus, lastProblem, nextAttemptAt }) => (
          <li key={eventId}>
            <span>
              {type} <span className="mono quiet">{eventId.slice(-8)}</span>
            </span>
            <span className="quiet">
              {attempts} {attempts === 1 ? "attempt" : "attempts"}
              {lastAttemptAt !== null && (
                <>
                  , last <When at={lastAttemptAt} />
                </>
              )}
              {lastStatus === null ? "" : `, answered ${lastStatus}`}
              {lastProblem === null ? "" : `, ${lastProblem}`}
              {nextAttemptAt !== null && (
                <>
                  , next <When at={nextAttemptAt} />
                </>
              )}
            </span>
            <span className="buttons">
              <Status kind={KINDS[state]}>{state}</Status>
              {state !== "waiting" && (
                <button
                  type="button"
                  className="plain small"
                  disabled={replay.isPending}
                  onClick={() => replay.mutate(eventId)}
                >
                  Send again
                </button>
              )}
            </span>
          </li>
        ))}
      </ul>
      <More list={deliveries} />
      <ApiCall calls={[{ method: "GET", path }]} />
    </Panel>
  );
}
