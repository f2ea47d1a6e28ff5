import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReadSandboxBooksAnswer } from "../answers.ts";
import { api } from "../api.ts";
import { money } from "../format.ts";
import { ApiCall } from "../parts/api-call.tsx";
import { LIVE_MILLISECONDS } from "../parts/pages.tsx";
import { Empty, Panel, Problem, Rows, Status } from "../parts/states.tsx";
import { Wide } from "../parts/wide.tsx";

type Booking = ReadSandboxBooksAnswer["bookings"][number];

const PATH = "/api/sandbox/books";
const DIFFERENCES: Readonly<Record<Booking["differences"][number], string>> = {
  missing_there: "The supplier has no such order",
  missing_here: "The service does not know the supplier’s order",
  twice: "The supplier has several orders",
  state: "Other states",
  total: "Other totals",
  not_paid: "The supplier is not paid",
};

/** Each booking as both sides have it. */
export function Books() {
  const books = useQuery({
    queryKey: ["sandbox", "books"],
    queryFn: ({ signal }) => api<ReadSandboxBooksAnswer>(PATH, { signal }),
    refetchInterval: LIVE_MILLISECONDS,
  });
  const shown = books.data?.bookings ?? [];
  const differing = shown.filter(({ differences }) => differences.length > 0).length;
  return (
    <Panel
      title="Orders in both books"
      aside={
        books.isSuccess &&
        shown.length > 0 &&
        (differing === 0 ? (
          <Status kind="done">They agree</Status>
        ) : (
          <Status kind="fail">
            {differing} {differing === 1 ? "difference" : "differences"}
          </Status>
        ))
      }
    >
      {books.isPending && <Rows count={4} />}
      {books.error !== null && <Problem error={books.error} retry={() => void books.refetch()} />}
      {books.isSuccess && shown.length === 0 && <Empty>Nothing has been booked yet.</Empty>}
      {shown.length > 0 && (
        <Wide label="Orders in both books">
          <table className="both-books">
            <thead>
              <tr>
                <th scope="col">Booking</th>
                <th scope="col">The service</th>
                <th scope="col">The supplier</th>
                <th scope="col">Compared</th>
              </tr>
            </thead>
            <tbody>
              {shown.map((booking) => (
                <Row key={booking.bookingId} booking={booking} />
              ))}
            </tbody>
          </table>
        </Wide>
      )}
      <ApiCall calls={[{ method: "GET", path: PATH }]} />
    </Panel>
  );
}

const STATUSES: Readonly<Record<string, string>> = { booking: "outcome is open", failed: "nothing was bought" };

function Row({ booking }: { booking: Booking }) {
  const { bookingId, kind, orderId, status, totalAmount, totalCurrency, theirs, differences } = booking;
  return (
    <tr className={differences.length > 0 ? "differs" : ""}>
      <th scope="row">
        {orderId === null ? (
          <span className="mono">{bookingId.slice(-8)}</span>
        ) : (
          <Link to="/trips/orders/$orderId" params={{ orderId }} className="mono">
            {orderId.slice(-8)}
          </Link>
        )}{" "}
        <span className="quiet">{kind}</span>
      </th>
      <td>
        {STATUSES[status] ?? status}
        <br />
        <span className="amount">
          {money(totalAmount)} {totalCurrency}
        </span>
      </td>
      <td>
        {theirs.length === 0 && <span className="quiet">no order</span>}
        {theirs.map(({ orderId: id, state, totalAmount: total, paidAmount, refundedAmount, currency }) => (
          <div key={id}>
            {state}
            {theirs.length > 1 && <span className="mono quiet"> {id.slice(-8)}</span>}
            <br />
            <span className="amount">
              {money(total)} {currency}
            </span>{" "}
            <span className="quiet">
              paid {money(paidAmount)}
              {Number(refundedAmount) > 0 && `, refunded ${money(refundedAmount)}`}
            </span>
          </div>
        ))}
      </td>
      <td>
        {differences.length === 0 ? (
          <Status kind="quiet">same</Status>
        ) : (
          differences.map((difference) => (
            <Status key={difference} kind="fail">
              {DIFFERENCES[difference]}
            </Status>
          ))
        )}
      </td>
    </tr>
  );
}
