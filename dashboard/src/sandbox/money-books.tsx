import { useQuery } from "@tanstack/react-query";
import type { GetTreasuryAnswer } from "../answers.ts";
import { api } from "../api.ts";
import { money, sayChain } from "../format.ts";
import { LIVE_MILLISECONDS } from "../parts/pages.tsx";
import { Panel, Problem, Rows, Status } from "../parts/states.tsx";
import { Wide } from "../parts/wide.tsx";

const TOKENS = ["USDC", "EURC"] as const;
const MICRO_DIGITS = 6;

/** Amounts are compared as whole micro-units: a fraction of a cent is a difference, too. */
function toMicro(decimal: string): bigint {
  const [whole = "0", part = ""] = decimal.split(".");
  return BigInt(`${whole}${part.padEnd(MICRO_DIGITS, "0").slice(0, MICRO_DIGITS)}`);
}

function toDecimal(micro: bigint): string {
  const digits = micro.toString().padStart(MICRO_DIGITS + 1, "0");
  return `${digits.slice(0, -MICRO_DIGITS)}.${digits.slice(-MICRO_DIGITS)}`.replace(/0{1,4}$/, "");
}

/** The wallet as the service's ledger and as the development chain have it. */
export function MoneyBooks() {
  const treasury = useQuery({
    queryKey: ["treasury"],
    queryFn: ({ signal }) => api<GetTreasuryAnswer>("/api/treasury", { signal }),
    refetchInterval: LIVE_MILLISECONDS,
  });
  const { data } = treasury;
  return (
    <Panel title="Money in both books">
      {treasury.isPending && <Rows count={2} />}
      {treasury.error !== null && <Problem error={treasury.error} retry={() => void treasury.refetch()} />}
      {data !== undefined && (
        <Wide label="Money in both books">
          <table className="both-books">
            <thead>
              <tr>
                <th scope="col">Wallet</th>
                <th scope="col">The service’s ledger</th>
                <th scope="col">The chain</th>
                <th scope="col">Compared</th>
              </tr>
            </thead>
            <tbody>
              {TOKENS.map((token) => {
                const parts = [data.available[token], data.held[token], data.outgoing[token]].map(toMicro);
                const ours = parts.reduce((sum, part) => sum + part, 0n);
                const theirs = toMicro(data.balances[token]);
                const difference = ours - theirs;
                return (
                  <tr key={token} className={difference === 0n ? "" : "differs"}>
                    <th scope="row">
                      {token} <span className="quiet">{sayChain(`eip155:${data.chainId}`)}</span>
                    </th>
                    <td className="amount">{money(toDecimal(ours))}</td>
                    <td className="amount">{money(toDecimal(theirs))}</td>
                    <td>
                      {difference === 0n ? (
                        <Status kind="quiet">same</Status>
                      ) : (
                        <Status kind="wait">{toDecimal(difference < 0n ? -difference : difference)} differs</Status>
                      )}
                    </td>
                  </tr>
                );
              })}
            </tbody>
          </table>
        </Wide>
      )}
      <p className="quiet">
        The ledger counts what is free, held and on its way out. While a transaction is confirmed, the two differ for a
        moment.
      </p>
    </Panel>
  );
}
