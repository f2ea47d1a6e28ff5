import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import type { GetMovementsAnswer, GetOrderAnswer, ReadBookingAnswer } from "../answers.ts";
import { api } from "../api.ts";
import { money } from "../format.ts";
import { MovementRows } from "../money/movement-rows.tsx";
import { ApiCall } from "../parts/api-call.tsx";
import { LIVE_MILLISECONDS } from "../parts/pages.tsx";
import { Empty, Panel, Problem, Rows } from "../parts/states.tsx";
import { sayDay, sayDays, When } from "../parts/time.tsx";
import { Flights } from "./flights.tsx";
import { OrderHistory } from "./order-history.tsx";
import { OrderInvoices } from "./order-invoices.tsx";
import { RouteMap } from "./route-map.tsx";
import { OrderStatus, sayRoute } from "./states.tsx";
import { Travelers } from "./travelers.tsx";

export function Order() {
  const { orderId } = useParams({ from: "/trips/orders/$orderId" });
  const path = `/api/orders/${encodeURIComponent(orderId)}`;
  const order = useQuery({
    queryKey: ["orders", "one", orderId],
    queryFn: ({ signal }) => api<GetOrderAnswer>(path, { signal }),
    refetchInterval: LIVE_MILLISECONDS,
  });
  return (
    <>
      <p className="crumbs">
        <Link to="/trips">Trips</Link>
      </p>
      {order.isPending && (
        <>
          <h1>Booking</h1>
          <Rows count={6} />
        </>
      )}
      {order.error !== null && (
        <>
          <h1>Booking</h1>
          <Problem error={order.error} retry={() => void order.refetch()} />
        </>
      )}
      {order.data !== undefined && <Whole order={order.data} />}
      <ApiCall calls={[{ method: "GET", path }]} />
    </>
  );
}

function Whole({ order }: { order: GetOrderAnswer }) {
  const { kind, stay, slices, pnr, travelers, documents } = order;
  const title =
    stay?.accommodationName ?? sayRoute(slices.map((slice) => `${slice.origin} to ${slice.destination}`).join(", "));
  return (
    <>
      <div className="page-head">
        <div>
          <h1>{title === "" ? (kind === "flight" ? "Flight" : "Stay") : title}</h1>
          <p className="facts">
            <OrderStatus {...order} />
            {pnr !== null && (
              <span>
                Reference <strong className="mono">{pnr}</strong>
              </span>
            )}
            <span className="quiet">
              Booked <When at={order.createdAt} />
            </span>
          </p>
        </div>
        <p className="figure page-side">
          {money(order.totalAmount)} {order.totalCurrency}
        </p>
      </div>
      <div className="columns">
        <div>
          <RouteMap orders={[order]} />
          {slices.length > 0 && (
            <Panel title="Flights">
              {order.scheduleChanges.length > 0 && (
                <p className="notice">
                  The airline has changed these flights. The change waits for an answer: accept it, or cancel the order.
                </p>
              )}
              <Flights slices={slices} zones={order.timeZones} isEnded={order.status !== "confirmed"} />
            </Panel>
          )}
          {stay !== null && (
            <Panel title="Stay">
              <ol className="route">
                <li className={order.status === "confirmed" ? "done" : "cut"}>
                  <strong>Check-in</strong>
                  <span>{sayDay(stay.checkInDate)}</span>
                </li>
                <li className={order.status === "confirmed" ? "done" : "cut"}>
                  <strong>Check-out</strong>
                  <span>{sayDay(stay.checkOutDate)}</span>
                </li>
              </ol>
              <p className="quiet">
                {sayDays(stay.checkInDate, stay.checkOutDate)}.{" "}
                {stay.refundable ? "It could be cancelled with a refund when it was booked." : "It is not refundable."}
              </p>
            </Panel>
          )}
          <OrderHistory events={order.events} />
        </div>
        <div>
          <OrderMoney order={order} />
          <Travelers travelers={travelers} />
          <Panel title="Documents">
            {documents.length > 0 && (
              <ul className="list plain-list">
                {documents.map((document) => (
                  <li key={JSON.stringify(document)}>
                    <span>{sayDocument(document.type)}</span>
                    <span className="mono">{String(document.number ?? document.uniqueIdentifier ?? "")}</span>
                  </li>
                ))}
              </ul>
            )}
            <OrderInvoices
              orderId={order.orderId}
              hasDocuments={documents.length > 0}
              isPaidDirectly={order.externalId === null && order.status !== "held"}
            />
          </Panel>
        </div>
      </div>
    </>
  );
}

function sayDocument(type: unknown): string {
  const words = String(type ?? "document").replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function OrderMoney({ order }: { order: GetOrderAnswer }) {
  const { orderId, externalId, rate, totalUsdc } = order;
  const movements = useQuery({
    queryKey: ["movements", "order", orderId],
    queryFn: ({ signal }) =>
      api<GetMovementsAnswer>(`/api/movements?limit=50&orderId=${encodeURIComponent(orderId)}`, { signal }),
  });
  const booking = useQuery({
    queryKey: ["escrow-booking", externalId],
    queryFn: ({ signal }) => api<ReadBookingAnswer>(`/api/bookings/${externalId}`, { signal }),
    enabled: externalId !== null,
  });
  const moved = movements.data?.movements ?? [];
  return (
    <Panel title="Money">
      {rate.from !== rate.to && totalUsdc !== null && rate.from !== "USD" && (
        <p>
          {money(totalUsdc)} USDC at {rate.value} USDC for one {rate.from}
          {rate.asOf === null ? "" : `, a rate of ${rate.asOf.slice(0, 10)}`} ({rate.source}).
        </p>
      )}
      {movements.isPending && <Rows count={2} />}
      {movements.error !== null && <Problem error={movements.error} retry={() => void movements.refetch()} />}
      <MovementRows movements={moved} />
      {booking.data !== undefined && (
        <p>
          Paid from escrow:{" "}
          <Link to="/trips/budgets/$tripId" params={{ tripId: booking.data.tripId }}>
            {money(booking.data.vendorPaidUsdc)} USDC of this trip’s budget
          </Link>
        </p>
      )}
      {movements.isSuccess && moved.length === 0 && externalId === null && (
        <Empty>{order.status === "held" ? "The airline holds it unpaid." : "No money has moved yet."}</Empty>
      )}
    </Panel>
  );
}
