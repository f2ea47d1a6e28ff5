import { Link, useSearch } from "@tanstack/react-router";
import type { GetOrdersAnswer, GetTripsAnswer } from "../answers.ts";
import { withQuery } from "../api.ts";
import { money } from "../format.ts";
import { Choices } from "../parts/choices.tsx";
import { useRowKeys } from "../parts/keyboard.ts";
import { PagedList } from "../parts/paged-list.tsx";
import { useChangeSearch } from "../parts/search-state.ts";
import { Panel } from "../parts/states.tsx";
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
  const change = useChangeSearch();
  useRowKeys();
  return (
    <>
      <h1>Trips</h1>
      <Choices
        label="List"
        values={LISTS}
        chosen={list}
        choose={(one) => change({ list: one === "budgets" ? one : undefined, status: undefined })}
      />
      {list === "bookings" ? <Bookings /> : <Budgets />}
    </>
  );
}

function Bookings() {
  const { status } = useSearch({ from: "/trips" });
  const change = useChangeSearch();
  return (
    <Panel
      title="Flights and stays"
      aside={
        <Choices
          label="Status"
          values={STATUSES}
          chosen={status ?? "all"}
          choose={(one) => change({ status: one === "all" ? undefined : one })}
        />
      }
    >
      <PagedList
        queryKey={["orders", status ?? "all"]}
        path={withQuery("/api/orders", { limit: 50, status })}
        read={(page: GetOrdersAnswer) => page.orders}
        empty={
          status === undefined
            ? "Nothing has been booked yet. A booking that an agent makes appears here."
            : `No booking is ${status}.`
        }
      >
        {(orders) => (
          <ul className="list booked">
            {orders.map(({ orderId, kind, what, startsOn, endsOn, travelers, pnr, status: state, ...order }) => (
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
        )}
      </PagedList>
    </Panel>
  );
}

export function sayTravelers(travelers: GetOrdersAnswer["orders"][number]["travelers"]): string {
  const [first, ...others] = travelers;
  if (first === undefined) return "";
  return `${first.givenName} ${first.familyName}${others.length === 0 ? "" : ` and ${others.length} more`}`;
}

function Budgets() {
  return (
    <Panel title="Budgets in escrow">
      <PagedList
        queryKey={["trips"]}
        path="/api/trips?limit=50"
        read={(page: GetTripsAnswer) => page.trips}
        empty={
          <>
            No trip has been funded yet. With prefund_trip, a budget goes into escrow, and bookings are paid from it.{" "}
            <a href="/docs/escrow">How it works</a>
          </>
        }
      >
        {(trips) => (
          <ul className="list booked">
            {trips.map((trip) => (
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
        )}
      </PagedList>
    </Panel>
  );
}
