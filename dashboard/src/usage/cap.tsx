import { useQuery } from "@tanstack/react-query";
import { api, type UsagePage } from "../api.ts";
import { sayMonth, usdc } from "../format.ts";
import { LIVE_MILLISECONDS } from "../parts/pages.tsx";
import { Panel, Problem, Rows } from "../parts/states.tsx";

/** The month’s price of all calls, and the rest of the cap. */
export function Cap() {
  const usage = useQuery({
    queryKey: ["usage", "totals"],
    queryFn: ({ signal }) => api<UsagePage>("/api/usage?limit=1", { signal }),
    refetchInterval: LIVE_MILLISECONDS,
  });
  const totals = usage.data?.totals;
  const [spent, cap] = [Number(totals?.spentMicroUsdc ?? 0), Number(totals?.capMicroUsdc ?? 0)];
  return (
    <Panel title="This month">
      {usage.isPending && <Rows count={2} />}
      {usage.error !== null && <Problem error={usage.error} retry={() => void usage.refetch()} />}
      {totals !== undefined && (
        <>
          <p className="figure">
            {usdc(spent)} USDC <small>of {usdc(cap)}</small>
          </p>
          <progress
            value={cap === 0 ? 0 : Math.min(1, spent / cap)}
            aria-label="Part of the monthly cap that is spent"
          />
          <p className="quiet">
            {usdc(Math.max(0, cap - spent))} USDC are left until the end of {sayMonth(totals.period)} (UTC). At the cap,
            calls that cost something are refused.
          </p>
        </>
      )}
    </Panel>
  );
}
