import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { GetTreasuryAnswer } from "../answers.ts";
import { api } from "../api.ts";
import { money } from "../format.ts";
import { Panel, Problem, Rows } from "../parts/states.tsx";

/** The wallet of the home chain. */
export function Wallet() {
  const treasury = useQuery({
    queryKey: ["treasury"],
    queryFn: ({ signal }) => api<GetTreasuryAnswer>("/api/treasury", { signal }),
    refetchInterval: 30_000,
  });
  const { data } = treasury;
  const others = data?.otherChains?.length ?? 0;
  return (
    <Panel title="Wallet" aside={<Link to="/money">Money</Link>}>
      {treasury.isPending && <Rows count={2} />}
      {treasury.error !== null && <Problem error={treasury.error} retry={() => void treasury.refetch()} />}
      {data !== undefined && (
        <>
          <p className="figure">{money(data.available.USDC)} USDC</p>
          <p className="quiet">
            free to spend, and {money(data.available.EURC)} EURC
            {Number(data.held.USDC) > 0 && `; ${money(data.held.USDC)} USDC held`}
            {others > 0 && `; more on ${others} further ${others === 1 ? "chain" : "chains"}`}
          </p>
        </>
      )}
    </Panel>
  );
}
