import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type Approval, api, type FailedCall, type Order, type Run, type UsagePage } from "../api.ts";
import { member } from "../boot.ts";
import { fromNow, time, toolName, usdc } from "../format.ts";
import { Empty, Panel, Problem, Rows, Status } from "../parts/states.tsx";

const LIVE = { refetchInterval: 15_000 } as const;

export function Home() {
  return (
    <>
      <h1>Home</h1>
      <div className="columns">
        <div>
          <NeedsSomebody />
          <LatestOrders />
        </div>
        <div>
          <Spending />
          <LatestFailures />
        </div>
      </div>
    </>
  );
}

/** Approvals and paused runs: what goes on only once a person has acted. */
function NeedsSomebody() {
  const approvals = useQuery({
    queryKey: ["approvals", "pending"],
    queryFn: () => api<{ approvals: readonly Approval[] }>("/api/approvals?limit=5"),
    ...LIVE,
  });
  const runs = useQuery({
    queryKey: ["runs", "paused"],
    queryFn: () => api<{ runs: readonly Run[] }>("/api/workflows/runs?status=paused&limit=5"),
    ...LIVE,
  });
  const waiting = approvals.data?.approvals ?? [];
  const paused = runs.data?.runs ?? [];
  return (
    <Panel title="Needs somebody">
      {approvals.isPending || runs.isPending ? <Rows count={2} /> : null}
      {approvals.error !== null && <Problem error={approvals.error} retry={() => void approvals.refetch()} />}
      {runs.error !== null && <Problem error={runs.error} retry={() => void runs.refetch()} />}
      {approvals.isSuccess && runs.isSuccess && waiting.length + paused.length === 0 && (
        <Empty>Nothing waits for a person.</Empty>
      )}
      <ul className="list">
        {waiting.map(({ approvalId, tool, amount, expiresAt, travelerId }) => (
          <li key={approvalId}>
            <Link to="/approvals" search={{}}>
              {toolName(tool)} for {travelerId}
            </Link>
            <span className="amount">{amount === null ? "" : `${amount} USD`}</span>
            <Status kind="wait">Decide {fromNow(expiresAt)}</Status>
          </li>
        ))}
        {paused.map(({ runId, workflowId, updatedAt }) => (
          <li key={runId}>
            <Link to="/runs/$runId" params={{ runId }}>
              {toolName(workflowId.replace("service.", ""))}
            </Link>
            <span className="mono quiet">{runId.slice(-8)}</span>
            <Status kind="wait">Paused {fromNow(updatedAt)}</Status>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function Spending() {
  const usage = useQuery({
    queryKey: ["usage", "totals"],
    queryFn: () => api<UsagePage>("/api/usage?limit=1"),
    ...LIVE,
  });
  const { totals } = usage.data ?? {};
  const part =
    totals === undefined || totals.capMicroUsdc === "0"
      ? 0
      : Number(totals.spentMicroUsdc) / Number(totals.capMicroUsdc);
  return (
    <Panel title="Spending on calls" aside={<Link to="/usage">Usage</Link>}>
      {usage.isPending && <Rows count={2} />}
      {usage.error !== null && <Problem error={usage.error} retry={() => void usage.refetch()} />}
      {totals !== undefined && (
        <>
          <p className="figure">{usdc(totals.spentMicroUsdc)} USDC</p>
          <progress max={1} value={part} aria-label="Part of the monthly cap that is spent" />
          <p className="quiet">
            of {usdc(totals.capMicroUsdc)} USDC in {totals.period}
          </p>
        </>
      )}
    </Panel>
  );
}

function LatestFailures() {
  const failures = useQuery({
    queryKey: ["failures", "latest"],
    queryFn: () => api<{ calls: readonly FailedCall[] }>("/api/calls?limit=5"),
    ...LIVE,
  });
  const calls = failures.data?.calls ?? [];
  return (
    <Panel title="Failed calls" aside={<Link to="/usage">All</Link>}>
      {failures.isPending && <Rows count={3} />}
      {failures.error !== null && <Problem error={failures.error} retry={() => void failures.refetch()} />}
      {failures.isSuccess && calls.length === 0 && <Empty>No call has failed lately.</Empty>}
      <ul className="list">
        {calls.map(({ id, tool, code, createdAt }) => (
          <li key={id}>
            <Link to="/usage" search={{ call: id }}>
              {tool === null ? "Unknown tool" : toolName(tool)}
            </Link>
            <span className="mono">{code}</span>
            <time className="quiet" dateTime={createdAt} title={time(createdAt)}>
              {fromNow(createdAt)}
            </time>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function LatestOrders() {
  const orders = useQuery({
    queryKey: ["orders", "latest"],
    queryFn: () => api<{ orders: readonly Order[] }>("/api/orders?limit=5"),
    ...LIVE,
  });
  const latest = orders.data?.orders ?? [];
  return (
    <Panel title="Latest orders" aside={<Link to="/trips">Trips</Link>}>
      {orders.isPending && <Rows count={3} />}
      {orders.error !== null && <Problem error={orders.error} retry={() => void orders.refetch()} />}
      {orders.isSuccess && latest.length === 0 && (
        <Empty>
          Nothing is booked yet.{" "}
          {member.roles.some((role) => ["admin", "owner", "developer"].includes(role)) && (
            <Link to="/settings/keys">Make a key</Link>
          )}{" "}
          and let an agent book its first trip.
        </Empty>
      )}
      <ul className="list">
        {latest.map(({ orderId, kind, what, status, pnr, totalAmount, totalCurrency, createdAt }) => (
          <li key={orderId}>
            <span>
              <Link to="/trips/orders/$orderId" params={{ orderId }}>
                {what ?? (kind === "flight" ? "Flight" : "Stay")}
              </Link>{" "}
              {pnr !== null && <span className="mono quiet">{pnr}</span>}
            </span>
            <span className="amount">
              {totalAmount} {totalCurrency}
            </span>
            <Status kind={status === "confirmed" ? "done" : "quiet"}>
              {status}, {fromNow(createdAt)}
            </Status>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
