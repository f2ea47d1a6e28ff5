import { useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { useMemo } from "react";
import { api, type UsageSums } from "../api.ts";
import { time, toolName, usdcColumn } from "../format.ts";
import { Empty, Panel, Problem } from "../parts/states.tsx";
import { Chart, DAY_SECONDS, type Day } from "./chart.tsx";

const SHOWN_DAYS = 30;
/** The service sums this often. */
const SUM_MILLISECONDS = 60_000;

/** Days without calls are days too. */
function fillDays(sums: UsageSums["sums"]): Day[] {
  const today = Math.floor(Date.now() / 1_000 / DAY_SECONDS) * DAY_SECONDS;
  const known = new Map(sums.map((sum) => [Date.parse(sum.beginsAt) / 1_000, sum]));
  return Array.from({ length: SHOWN_DAYS }, (_none, back) => {
    const at = today - (SHOWN_DAYS - 1 - back) * DAY_SECONDS;
    const sum = known.get(at);
    return { at, calls: sum?.calls ?? 0, micro: Number(sum?.priceMicroUsdc ?? 0) };
  });
}

export function Days() {
  const { tool } = useSearch({ from: "/usage" });
  const days = useQuery({
    queryKey: ["usage", "days", tool ?? ""],
    queryFn: ({ signal }) => {
      const query = tool === undefined ? "" : `&tool=${encodeURIComponent(tool)}`;
      return api<UsageSums>(`/api/usage/sums?by=day&limit=${SHOWN_DAYS}${query}`, { signal });
    },
    refetchInterval: SUM_MILLISECONDS,
  });
  const sums = days.data?.sums;
  const say = usdcColumn(sums?.map(({ priceMicroUsdc }) => priceMicroUsdc) ?? []);
  const filled = useMemo(() => fillDays(sums ?? []), [sums]);
  return (
    <Panel title={tool === undefined ? "By day (UTC)" : `${toolName(tool)} by day (UTC)`}>
      {days.isPending && <div className="chart" aria-busy="true" />}
      {days.error !== null && <Problem error={days.error} retry={() => void days.refetch()} />}
      {sums?.length === 0 && <Empty>No call of the last days has been summed yet; it takes a minute.</Empty>}
      <p className="quiet">
        {days.data?.summedUntil == null ? "\u00a0" : `Counted until ${time(days.data.summedUntil)}.`}
      </p>
      {sums !== undefined && sums.length > 0 && (
        <>
          <Chart days={filled} />
          <details>
            <summary>As a table</summary>
            <table>
              <thead>
                <tr>
                  <th>Day</th>
                  <th className="number">Calls</th>
                  <th className="number">USDC</th>
                </tr>
              </thead>
              <tbody>
                {sums.map(({ beginsAt, calls, priceMicroUsdc }) => (
                  <tr key={beginsAt}>
                    <td>{beginsAt.slice(0, 10)}</td>
                    <td className="number">{calls}</td>
                    <td className="number">{say(priceMicroUsdc)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </details>
        </>
      )}
    </Panel>
  );
}
