import { useQuery } from "@tanstack/react-query";
import type { GetExchangeRatesAnswer } from "../answers.ts";
import { api } from "../api.ts";
import { member } from "../boot.ts";
import { ApiCall } from "../parts/api-call.tsx";
import { Panel, Problem, Rows } from "../parts/states.tsx";
import { sayDay } from "../parts/time.tsx";

const FIRST = ["EUR", "GBP", "CHF", "JPY"];
const RATE_DECIMALS = 6;
const HOUR_MILLISECONDS = 3_600_000;

export function Rates() {
  const rates = useQuery({
    queryKey: ["rates"],
    queryFn: ({ signal }) => api<GetExchangeRatesAnswer>("/api/exchange-rates", { signal }),
    staleTime: HOUR_MILLISECONDS,
  });
  const { data } = rates;
  const first = data?.rates.filter(({ currency }) => FIRST.includes(currency)) ?? [];
  const others = data?.rates.filter(({ currency }) => !FIRST.includes(currency) && currency !== "USD") ?? [];
  return (
    <Panel title="Exchange rates">
      {rates.isPending && <Rows count={4} />}
      {rates.error !== null && <Problem error={rates.error} retry={() => void rates.refetch()} />}
      {data !== undefined && (
        <>
          <p className="quiet">
            Of {sayDay(data.asOf.slice(0, 10))}. {data.source}.
            {data.marginBps === 0 ? "" : ` Prices are sold with ${data.marginBps / 100} % on top.`}
          </p>
          {data.warning !== undefined && (
            <p className={member.environment === "sandbox" ? "quiet" : "notice"}>{data.warning}</p>
          )}
          <RateTable rates={first} />
          <details>
            <summary>{others.length} more currencies</summary>
            <RateTable rates={others} />
          </details>
        </>
      )}
      <ApiCall calls={[{ method: "GET", path: "/api/exchange-rates" }]} />
    </Panel>
  );
}

function RateTable({ rates }: { rates: GetExchangeRatesAnswer["rates"] }) {
  return (
    <table>
      <thead>
        <tr>
          <th>One</th>
          <th className="number">in USDC</th>
        </tr>
      </thead>
      <tbody>
        {rates.map(({ currency, usdc }) => (
          <tr key={currency}>
            <td>{currency}</td>
            <td className="number">{Number(usdc).toFixed(RATE_DECIMALS)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
