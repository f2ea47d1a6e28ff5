import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { api, type FailedCall, type UsagePage, type UsageSums } from "../api.ts";
import { fromNow, sayMonth, time, toolName, usdc } from "../format.ts";
import { ErrorCode } from "../parts/error-code.tsx";
import { Empty, Panel, Problem, Rows } from "../parts/states.tsx";
import { Departures } from "./departures.tsx";
import { NeedsSomebody } from "./needs-somebody.tsx";
import { ANY_ORDER, StartHere } from "./start-here.tsx";
import { Wallet } from "./wallet.tsx";

const LIVE = { refetchInterval: 15_000 } as const;

export function Home() {
  const { isPending } = useQuery(ANY_ORDER);
  return (
    <>
      <h1>Home</h1>
      <StartHere />
      {isPending && <Rows count={3} />}
      {/* What is below would jump when the first steps appear. */}
      <div className="columns" hidden={isPending}>
        <div>
          <NeedsSomebody />
          <Departures />
        </div>
        <div>
          <Spending />
          <Wallet />
          <LatestFailures />
        </div>
      </div>
    </>
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
            of {usdc(totals.capMicroUsdc)} USDC in {sayMonth(totals.period)}. <CallsToday />
          </p>
        </>
      )}
    </Panel>
  );
}

/** By days in UTC, as the sums are. */
function CallsToday() {
  const sums = useQuery({
    queryKey: ["usage", "today"],
    queryFn: () => api<UsageSums>("/api/usage/sums?by=day&limit=1"),
    ...LIVE,
  });
  const [latest] = sums.data?.sums ?? [];
  if (sums.data === undefined) return null;
  const calls = latest?.beginsAt.slice(0, 10) === new Date().toISOString().slice(0, 10) ? latest.calls : 0;
  return `${calls} ${calls === 1 ? "call" : "calls"} today.`;
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
      <ul className="list calls">
        {calls.map(({ id, tool, code, createdAt }) => (
          <li key={id}>
            <Link to="/usage" search={{ call: id }}>
              {tool === null ? "Unknown tool" : toolName(tool)}
            </Link>
            <ErrorCode code={code} />
            <time className="quiet" dateTime={createdAt} title={time(createdAt)}>
              {fromNow(createdAt)}
            </time>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
