import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { GetOrdersAnswer } from "../answers.ts";
import { api } from "../api.ts";
import { member } from "../boot.ts";
import { Empty, Panel, Problem, Rows, Status } from "../parts/states.tsx";
import { sayDays } from "../parts/time.tsx";
import { sayRoute } from "../trips/states.tsx";

const MOST = 6;
const MAKERS_OF_KEYS = ["admin", "owner", "developer"];

/** The day by the viewer's calendar, as they read it. */
function today(): string {
  return new Date().toLocaleDateString("sv-SE");
}

/** Confirmed travel that is not over; the newest hundred bookings are looked at. */
export function useAhead() {
  const from = today();
  return useQuery({
    queryKey: ["orders", "ahead", from],
    queryFn: ({ signal }) => api<GetOrdersAnswer>(`/api/orders?status=confirmed&from=${from}&limit=100`, { signal }),
    refetchInterval: 30_000,
  });
}

/** Who leaves next, each as a line from the first place to the last. */
export function Departures() {
  const ahead = useAhead();
  const next = (ahead.data?.orders ?? [])
    .toSorted((one, other) => (one.startsOn ?? "").localeCompare(other.startsOn ?? ""))
    .slice(0, MOST);
  return (
    <Panel title="Next departures" aside={<Link to="/trips">Trips</Link>}>
      {ahead.isPending && <Rows count={3} />}
      {ahead.error !== null && <Problem error={ahead.error} retry={() => void ahead.refetch()} />}
      {ahead.isSuccess && next.length === 0 && (
        <Empty>
          No trip is coming up.{" "}
          {member.roles.some((role) => MAKERS_OF_KEYS.includes(role)) && <Link to="/settings/keys">Create a key</Link>}{" "}
          and let an agent book a trip.
        </Empty>
      )}
      <ul className="list departures">
        {next.map(({ orderId, kind, what, startsOn, endsOn, travelers, pnr, waitingChanges }) => (
          <li key={orderId}>
            <span>
              <Link to="/trips/orders/$orderId" params={{ orderId }} className="row-link">
                {what === null ? (kind === "flight" ? "Flight" : "Stay") : sayRoute(what)}
              </Link>
              <br />
              <span className="quiet">
                {travelers.map(({ givenName, familyName }) => `${givenName} ${familyName}`).join(", ")}
                {pnr !== null && <span className="mono"> {pnr}</span>}
              </span>
            </span>
            <span>{sayDays(startsOn, endsOn)}</span>
            {waitingChanges > 0 ? <Status kind="wait">changed by the airline</Status> : <span />}
          </li>
        ))}
      </ul>
    </Panel>
  );
}
