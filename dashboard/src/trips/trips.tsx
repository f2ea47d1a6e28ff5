import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import type { GetOrdersAnswer, GetTripsAnswer } from "../answers.ts";
import { money } from "../format.ts";
import { Choices } from "../parts/choices.tsx";
import { useRowKeys } from "../parts/keyboard.ts";
import { More, usePages } from "../parts/pages.tsx";
import { Empty, Panel, Problem, Rows } from "../parts/states.tsx";
import { sayDays, When } from "../parts/time.tsx";
import { BudgetBar } from "./budget-bar.tsx";
import { OrderStatus, sayRoute, TripState } from "./states.tsx";

const LISTS = [
  ["bookings", "Bookings"],
  ["budgets", "Budgets in escrow"],
] as const;

const STATUSES = [
  ["all", "All"],
  ["confirmed", "Confirmed"],
  ["held", "Held"],
  ["cancelled", "Cancelled"],
] as const;

export function Trips() {
  const { list = "bookings" } = useSearch({ from: "/trips" });
  const navigate = useNavigate({ from: "/trips" });
  useRowKeys();
  return (
    <>
      <h1>Trips</h1>
      <Choices
        label="List"
        values={LISTS}
        chosen={list}
        choose={(one) => void navigate({ search: one === "budgets" ? { list: one } : {} })}
      />
      {list === "bookings" ? <Bookings /> : <Budgets />}
    </>
  );
}

function Bookings() {
  const { status } = useSearch({ from: "/trips" });
  const navigate = useNavigate({ from: "/trips" });
  const orders = usePages<GetOrdersAnswer>(
    ["orders", status ?? "all"],
    `/api/orders?limit=50${status === undefined ? "" : `&status=${status}`}`,
  );
  const shown = orders.data?.pages.flatMap((page) => page.orders) ?? [];
  return (
    <Panel
      title="Flights and stays"
      aside={
        <Choices
          label="Status"
          values={STATUSES}
          chosen={status ?? "all"}
          choose={(one) => void navigate({ search: one === "all" ? {} : { status: one } })}
        />
      }
    >
      {orders.isPending && <Rows count={5} />}
      {orders.error !== null && <Problem error={orders.error} retry={() => void orders.refetch()} />}
      {orders.isSuccess && shown.length === 0 && (
        <Empty>
          {status === undefined
            ? "Nothing has been booked yet. A booking that an agent makes appears here."
            : `No booking is ${status}.`}
        </Empty>
      )}
      <ul className="list booked">
        {shown.map(({ orderId, kind, what, startsOn, endsOn, travelers, pnr, status: state, ...order }) => (
          <li key={orderId}>
            <span>
              <Link data-row to="/trips/orders/$orderId" params={{ orderId }} className="row-link">
                {what === null ? (kind === "flight" ? "Flight" : "Stay") : sayRoute(what)}
              </Link>
              <br />
              <span className="quiet">
                {sayDays(startsOn, endsOn)}
                {pnr === null ? "" : ", "}
                <span className="mono">{pnr}</span>
              </span>
            </span>
            <span className="quiet wide">{sayTravelers(travelers)}</span>
            <span className="amount">
              {money(order.totalAmount)} {order.totalCurrency}
            </span>
            <OrderStatus status={state} ticketing={order.ticketing} holdUntil={order.holdUntil} />
          </li>
        ))}
      </ul>
      <More list={orders} />
    </Panel>
  );
}

export function sayTravelers(travelers: GetOrdersAnswer["orders"][number]["travelers"]): string {
  const [first, ...others] = travelers;
  if (first === undefined) return "";
  return `${first.givenName} ${first.familyName}${others.length === 0 ? "" : ` and ${others.length} more`}`;
}

function Budgets() {
  const trips = usePages<GetTripsAnswer>(["trips"], "/api/trips?limit=50");
  const shown = trips.data?.pages.flatMap((page) => page.trips) ?? [];
  return (
    <Panel title="Budgets in escrow">
      {trips.isPending && <Rows count={5} />}
      {trips.error !== null && <Problem error={trips.error} retry={() => void trips.refetch()} />}
      {trips.isSuccess && shown.length === 0 && (
        <Empty>
          No trip has been funded yet. With prefund_trip, a budget goes into escrow, and bookings are paid from it.{" "}
          <a href="/docs/escrow">How it works</a>
        </Empty>
      )}
      <ul className="list booked">
        {shown.map((trip) => (
          <li key={trip.tripId}>
            <span>
              <Link data-row to="/trips/budgets/$tripId" params={{ tripId: trip.tripId }} className="row-link">
                {trip.tripSummary ?? `Trip ${trip.tripId.slice(2, 10)}`}
              </Link>
              <br />
              <span className="quiet">
                Funded <When at={trip.createdAt} />
                {trip.guestWallet === null ? ", not claimed yet" : ""}
              </span>
            </span>
            <span className="wide">
              <BudgetBar trip={trip} />
            </span>
            <span className="amount">{money(trip.budgetUsdc)} USDC</span>
            <TripState trip={trip} />
          </li>
        ))}
      </ul>
      <More list={trips} />
    </Panel>
  );
}
