import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { GetTripsAnswer } from "../answers.ts";
import { api } from "../api.ts";
import { money } from "../format.ts";
import { Empty, Panel, Problem, Rows } from "../parts/states.tsx";
import { BudgetBar } from "../trips/budget-bar.tsx";

const SHOWN = 5;

/** The newest open budgets in escrow: money that has left the wallet and is not spent. */
export function EscrowSums() {
  const trips = useQuery({
    queryKey: ["trips", "newest"],
    queryFn: ({ signal }) => api<GetTripsAnswer>("/api/trips?limit=50", { signal }),
  });
  const open = trips.data?.trips.filter(({ state }) => state === "funded" || state === "funding") ?? [];
  return (
    <Panel
      title="In escrow"
      aside={
        <Link to="/trips" search={{ list: "budgets" }}>
          All budgets
        </Link>
      }
    >
      {trips.isPending && <Rows count={3} />}
      {trips.error !== null && <Problem error={trips.error} retry={() => void trips.refetch()} />}
      {trips.isSuccess && open.length === 0 && <Empty>No budget is in escrow.</Empty>}
      <ul className="list plain-list">
        {open.slice(0, SHOWN).map((trip) => (
          <li key={trip.tripId}>
            <span>
              <Link to="/trips/budgets/$tripId" params={{ tripId: trip.tripId }}>
                {trip.tripSummary ?? `Trip ${trip.tripId.slice(2, 10)}`}
              </Link>
              <BudgetBar trip={trip} />
            </span>
            <span className="amount">
              {money(String(Number(trip.freeUsdc) + Number(trip.heldUsdc)))} of {money(trip.budgetUsdc)} USDC
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
