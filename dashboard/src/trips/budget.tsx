import { useMutation, useQueries, useQueryClient } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import type { GetOrderAnswer, GetTripAnswer } from "../answers.ts";
import { api } from "../api.ts";
import { money, shorten } from "../format.ts";
import { ApiCall } from "../parts/api-call.tsx";
import { Ask } from "../parts/ask.tsx";
import { More, usePages } from "../parts/pages.tsx";
import { Empty, Panel, Problem, Rows, Status } from "../parts/states.tsx";
import { sayDays, When } from "../parts/time.tsx";
import { BudgetBar, BudgetLegend } from "./budget-bar.tsx";
import { RouteMap } from "./route-map.tsx";
import { OrderStatus, sayRoute, TripState } from "./states.tsx";
import { TripRecord } from "./trip-record.tsx";

export function Budget() {
  const { tripId } = useParams({ from: "/trips/budgets/$tripId" });
  const path = `/api/trips/${encodeURIComponent(tripId)}`;
  const trip = usePages<GetTripAnswer>(["trips", "one", tripId], `${path}?limit=50`);
  const [whole] = trip.data?.pages ?? [];
  return (
    <>
      <p className="crumbs">
        <Link to="/trips" search={{ list: "budgets" }}>
          Budgets in escrow
        </Link>
      </p>
      {whole === undefined && <h1>Trip</h1>}
      {trip.isPending && <Rows count={6} />}
      {trip.error !== null && <Problem error={trip.error} retry={() => void trip.refetch()} />}
      {whole !== undefined && (
        <>
          <Head trip={whole} />
          <div className="columns side-first">
            <div>
              <OrdersOfTrip records={trip.data?.pages.flatMap(({ record }) => record) ?? []} />
              <Panel title="Record">
                <TripRecord entries={trip.data?.pages.flatMap(({ record }) => record) ?? []} />
                <More list={trip} />
              </Panel>
            </div>
            <div>
              <Panel title="Budget">
                <BudgetBar trip={whole} />
                <BudgetLegend trip={whole} />
                <p className="quiet">
                  Paid: {money(whole.vendorPaidUsdc)} to vendors, {money(whole.markupPaidUsdc)} markup,{" "}
                  {money(whole.serviceFeePaidUsdc)} service fee, {money(whole.actionFeePaidUsdc)} for agent actions.
                </p>
                <p className="quiet">
                  The escrow is <span className="mono">{shorten(whole.escrowAddress)}</span>; what is not spent returns
                  to <span className="mono">{shorten(whole.funder)}</span>.
                </p>
              </Panel>
              <EscrowBookings bookings={whole.bookings} />
              <Guest trip={whole} />
            </div>
          </div>
        </>
      )}
      <ApiCall calls={[{ method: "GET", path }]} />
    </>
  );
}

function Head({ trip }: { trip: GetTripAnswer }) {
  const { tripId, details, expiresAt, state } = trip;
  return (
    <div className="page-head">
      <div>
        <h1>{details.tripSummary ?? `Trip ${tripId.slice(2, 10)}`}</h1>
        <p className="facts">
          <TripState trip={trip} />
          <span className="quiet">
            {state === "funded" && !trip.isExpired ? "Expires " : "Expired or ended; expiry "}
            <When at={expiresAt} />
          </span>
          <span className="mono quiet">{shorten(tripId)}</span>
        </p>
      </div>
      <div className="page-side">
        <p className="figure">{money(trip.budgetUsdc)} USDC</p>
        {state === "funded" && <Close trip={trip} />}
      </div>
    </div>
  );
}

function Close({ trip: { tripId, freeUsdc } }: { trip: GetTripAnswer }) {
  const queries = useQueryClient();
  const path = `/api/trips/${tripId}/close`;
  const close = useMutation({
    mutationFn: () => api(path, { method: "POST" }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["trips"] }),
  });
  return (
    <Ask
      button="Close the trip"
      title="Close this trip?"
      says={`${money(freeUsdc)} USDC return to the wallet at once. Nothing new can be reserved, and no guest can claim it any more. Existing bookings continue.`}
      yes="Close it"
      error={close.error}
      run={() => close.mutateAsync()}
      call={{ method: "POST", path }}
    />
  );
}

const STEPS = ["reserve", "commit", "confirm", "settle"] as const;

function EscrowBookings({ bookings }: { bookings: GetTripAnswer["bookings"] }) {
  return (
    <Panel title="Paid from this budget">
      {bookings.length === 0 && <Empty>Nothing has been reserved from the budget yet.</Empty>}
      {bookings.map((booking) => {
        const taken = new Map(booking.transactions.map((transaction) => [transaction.step, transaction]));
        const isOver = booking.state === "cancelled" || booking.state === "failed";
        return (
          <div className="flight" key={booking.bookingId}>
            <p>
              <strong>
                {money(booking.vendorAmountUsdc === "0.00" ? booking.reservedUsdc : booking.vendorAmountUsdc)} USDC
              </strong>{" "}
              <Status kind={booking.state === "settled" ? "done" : isOver ? "quiet" : "money"}>{booking.state}</Status>
            </p>
            <ol className="route small-route">
              {STEPS.map((step) => {
                const done = taken.get(step);
                const kind =
                  done !== undefined ? "done" : isOver ? "cut" : step === booking.pendingStep ? "wait" : "ahead";
                return (
                  <li key={step} className={kind}>
                    <span>{step}</span>
                    {done !== undefined && (
                      <span className="mono quiet" title={done.txHash}>
                        {done.txHash.slice(0, 8)}
                      </span>
                    )}
                  </li>
                );
              })}
            </ol>
            <p className="quiet">
              Reserved {money(booking.reservedUsdc)}, paid {money(booking.vendorPaidUsdc)}, returned to the wallet{" "}
              {money(booking.refundedUsdc)}, back in the budget {money(booking.returnedToTripUsdc)}.
            </p>
          </div>
        );
      })}
    </Panel>
  );
}

function Guest({ trip: { claim, guestEmail, mail, guestWallet } }: { trip: GetTripAnswer }) {
  return (
    <Panel title="Guest">
      <p>
        {guestWallet === null ? "Nobody has claimed the trip yet." : "Claimed "}
        {claim.claimedAt !== null && <When at={claim.claimedAt} />}
        {guestWallet !== null && (
          <>
            {" by "}
            <span className="mono">{shorten(guestWallet)}</span>
          </>
        )}
      </p>
      {claim.isLocked && (
        <p className="notice">
          The claim is locked after five wrong codes. Unlock it once you have spoken with the guest.
        </p>
      )}
      {guestEmail !== null && (
        <p className="quiet">
          Invitation to {guestEmail}: {mail === "kept" ? "kept here, not delivered" : mail}.
        </p>
      )}
    </Panel>
  );
}

const MOST_ORDERS = 10;

/** The orders that the record names, and where they go. */
function OrdersOfTrip({ records }: { records: GetTripAnswer["record"] }) {
  const named = records.flatMap(({ details }) => (typeof details.orderId === "string" ? [details.orderId] : []));
  const orderIds = [...new Set(named)].slice(0, MOST_ORDERS);
  const orders = useQueries({
    queries: orderIds.map((orderId) => ({
      queryKey: ["orders", "one", orderId],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        api<GetOrderAnswer>(`/api/orders/${encodeURIComponent(orderId)}`, { signal }),
    })),
  });
  return (
    <>
      <RouteMap
        orders={orders.flatMap(({ data }) => data ?? [])}
        isLoading={orders.some(({ isPending }) => isPending)}
      />
      <Panel title="Flights and stays">
        {orderIds.length === 0 && <Empty>Nothing has been booked for this trip yet.</Empty>}
        <ul className="list plain-list">
          {orders.map(({ data, error }, at) => (
            <li key={orderIds[at]}>
              {data === undefined ? error === null ? <Rows count={1} /> : error.message : <OrderRow order={data} />}
            </li>
          ))}
        </ul>
      </Panel>
    </>
  );
}

function OrderRow({ order: { orderId, stay, slices, pnr, ...rest } }: { order: GetOrderAnswer }) {
  const route = sayRoute(slices.map((slice) => `${slice.origin} to ${slice.destination}`).join(", "));
  const first = slices[0]?.departingAt?.slice(0, 10) ?? null;
  const last = slices.at(-1)?.departingAt?.slice(0, 10) ?? null;
  return (
    <>
      <span>
        <Link to="/trips/orders/$orderId" params={{ orderId }} className="row-link">
          {stay?.accommodationName ?? route}
        </Link>
        <br />
        <span className="quiet">
          {stay === null ? sayDays(first, last) : sayDays(stay.checkInDate, stay.checkOutDate)}{" "}
          <span className="mono">{pnr}</span>
        </span>
      </span>
      <OrderStatus {...rest} />
    </>
  );
}
