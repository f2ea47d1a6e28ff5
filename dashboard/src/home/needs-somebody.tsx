import { type UseQueryResult, useQueries, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { GetAccountAnswer, ListChannelRecordsAnswer, ListEventEndpointsAnswer } from "../answers.ts";
import { ApiError, type Approval, api, type FailedCall, type Run } from "../api.ts";
import { sayBought, sayUnit } from "../approvals/evidence.ts";
import { sayForWhom } from "../approvals/for-whom.ts";
import { fromNow, money, toolName } from "../format.ts";
import { Empty, Panel, Problem, Rows, Status } from "../parts/states.tsx";
import { sayRoute } from "../trips/states.tsx";
import { useAhead } from "./departures.tsx";

const SOON = { refetchInterval: 15_000 } as const;
const SOMETIMES = { refetchInterval: 60_000 } as const;
const DAY = 86_400_000;
/** Rounded to the hour, so that the question stays the same. */
const since = (days: number): string =>
  new Date(Math.floor((Date.now() - days * DAY) / 3_600_000) * 3_600_000).toISOString();

interface Matter {
  id: string;
  what: ReactNode;
  amount?: ReactNode;
  state: ReactNode;
}

const isRefused = ({ error }: Pick<UseQueryResult, "error">): boolean =>
  error instanceof ApiError && error.code === "missing_scope";

/** Whatever goes on, or is put right, only once a person has acted. A part that the roles do not include is left out. */
export function NeedsSomebody() {
  const parts = [
    useApprovals(),
    usePausedRuns(),
    useAirlineChanges(),
    useFailedMessages(),
    useOpenOutcomes(),
    useRefusedInvoices(),
    useFailingEndpoints(),
    useExpiringCredits(),
  ].filter((part) => !isRefused(part));
  const matters = parts.flatMap((part) => part.matters);
  const failed = parts.find(({ error }) => error !== null);
  return (
    <Panel title="Needs attention">
      {parts.some(({ isPending }) => isPending) && matters.length === 0 && <Rows count={2} />}
      {failed?.error != null && <Problem error={failed.error} retry={failed.retry} />}
      {parts.every(({ isSuccess }) => isSuccess) && matters.length === 0 && (
        <Empty>Nothing needs your attention.</Empty>
      )}
      <ul className="list">
        {matters.map(({ id, what, amount, state }) => (
          <li key={id}>
            <span>{what}</span>
            <span className="amount">{amount}</span>
            {state}
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function join<Data>(query: UseQueryResult<Data>, describe: (data: Data) => readonly Matter[]) {
  const { error, isPending, isSuccess, data, refetch } = query;
  return {
    error,
    isPending,
    isSuccess,
    retry: () => void refetch(),
    matters: data === undefined ? [] : describe(data),
  };
}

function useApprovals() {
  const query = useQuery({
    queryKey: ["approvals", "pending", "home"],
    queryFn: () => api<{ approvals: readonly Approval[] }>("/api/approvals?limit=5"),
    ...SOON,
  });
  return join(query, ({ approvals }) =>
    approvals
      .filter(({ state }) => state === "pending")
      .map((approval) => ({ approval, ...approval, id: approval.approvalId }))
      .map(({ id, approval, tool, amount, expiresAt, evidence }) => ({
        id,
        what: (
          <Link to="/approvals" search={{ id }}>
            {evidence?.bought == null ? `${toolName(tool)},` : sayBought(evidence.bought)} {sayForWhom(approval)}
          </Link>
        ),
        amount: amount === null ? "" : `${money(amount)} ${sayUnit(evidence)}`,
        state: <Status kind="wait">Decide {fromNow(expiresAt)}</Status>,
      })),
  );
}

function usePausedRuns() {
  const query = useQuery({
    queryKey: ["runs", "paused"],
    queryFn: () => api<{ runs: readonly Run[] }>("/api/workflows/runs?status=paused&limit=5"),
    ...SOON,
  });
  return join(query, ({ runs }) =>
    runs.map(({ runId, workflowId, updatedAt }) => ({
      id: runId,
      what: (
        <Link to="/runs/$runId" params={{ runId }}>
          {toolName(workflowId.replace("service.", ""))}
        </Link>
      ),
      amount: <span className="mono quiet">{runId.slice(-8)}</span>,
      state: <Status kind="wait">Paused {fromNow(updatedAt)}</Status>,
    })),
  );
}

function useAirlineChanges() {
  return join(useAhead(), ({ orders }) =>
    orders
      .filter(({ waitingChanges }) => waitingChanges > 0)
      .map(({ orderId, what, startsOn }) => ({
        id: `change ${orderId}`,
        what: (
          <Link to="/trips/orders/$orderId" params={{ orderId }}>
            {what === null ? "Flight" : sayRoute(what)}
          </Link>
        ),
        amount: <span className="quiet">{startsOn}</span>,
        state: <Status kind="wait">Changed by the airline</Status>,
      })),
  );
}

const MESSENGERS = ["email", "slack", "whatsapp"] as const;

function useFailedMessages() {
  const from = since(7);
  const queries = useQueries({
    queries: MESSENGERS.map((channel) => ({
      queryKey: ["channel-records", channel, "failed", from],
      queryFn: () =>
        api<ListChannelRecordsAnswer>(`/api/channels/${channel}/records?state=failed&limit=3&from=${from}`),
      ...SOMETIMES,
    })),
  });
  return {
    error: queries.find(({ error }) => error !== null)?.error ?? null,
    isPending: queries.some(({ isPending }) => isPending),
    isSuccess: queries.every(({ isSuccess }) => isSuccess),
    retry: () => {
      for (const query of queries) void query.refetch();
    },
    matters: MESSENGERS.flatMap((channel, at) =>
      (queries[at]?.data?.records ?? []).map(({ id, what, createdAt }) => ({
        id,
        what: (
          <Link to="/channels" search={{ channel, state: "failed", record: id }}>
            Message not sent: {what}
          </Link>
        ),
        amount: <span className="quiet">{channel}</span>,
        state: <Status kind="fail">Failed {fromNow(createdAt)}</Status>,
      })),
    ),
  };
}

function useFailedCalls(code: string, days: number) {
  const path = `/api/calls?limit=3&code=${code}&from=${since(days)}`;
  return useQuery({
    queryKey: ["failures", path],
    queryFn: () => api<{ calls: readonly FailedCall[] }>(path),
    ...SOMETIMES,
  });
}

/** The supplier or the chain did not say whether it was done. */
function useOpenOutcomes() {
  return join(useFailedCalls("outcome_unknown", 1), ({ calls }) =>
    calls.map(({ id, tool, createdAt }) => ({
      id,
      what: (
        <Link to="/usage" search={{ call: id }}>
          {tool === null ? "A call" : toolName(tool)}: its outcome was not known
        </Link>
      ),
      state: <Status kind="fail">{fromNow(createdAt)}</Status>,
    })),
  );
}

function useRefusedInvoices() {
  return join(useFailedCalls("e_invoice_refused", 30), ({ calls }) =>
    calls.map(({ id, createdAt }) => ({
      id,
      what: (
        <Link to="/usage" search={{ call: id }}>
          An invoice could not be issued
        </Link>
      ),
      state: <Status kind="fail">{fromNow(createdAt)}</Status>,
    })),
  );
}

function useFailingEndpoints() {
  const query = useQuery({
    queryKey: ["endpoints"],
    queryFn: () => api<ListEventEndpointsAnswer>("/api/event-endpoints"),
    ...SOMETIMES,
  });
  return join(query, ({ endpoints }) =>
    endpoints.flatMap(({ id, url, failingSince, state }) =>
      failingSince === null || state === "off"
        ? []
        : [
            {
              id,
              what: (
                <Link to="/channels" search={{ list: "events", endpoint: id }}>
                  Events do not arrive at {new URL(url).host}
                </Link>
              ),
              state: <Status kind="fail">since {fromNow(failingSince)}</Status>,
            },
          ],
    ),
  );
}

function useExpiringCredits() {
  const query = useQuery({
    queryKey: ["account"],
    queryFn: () => api<GetAccountAnswer>("/api/account"),
    ...SOMETIMES,
  });
  return join(query, ({ expiringAirlineCredits }) =>
    expiringAirlineCredits.map(({ airlineCreditId: id, airlineIataCode, amount, currency, expiresAt }) => ({
      id,
      what: (
        <Link to="/playground" search={{ tool: "search_flights" }}>
          Airline credit of {airlineIataCode}: use it in a search
        </Link>
      ),
      amount: `${money(amount)} ${currency}`,
      state: <Status kind="wait">Expires {fromNow(expiresAt)}</Status>,
    })),
  );
}
