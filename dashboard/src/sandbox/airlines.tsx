import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { CloseSandboxAirportAnswer, GetOrdersAnswer } from "../answers.ts";
import { api } from "../api.ts";
import { ApiCall } from "../parts/api-call.tsx";
import { Empty, Panel, Problem } from "../parts/states.tsx";

/** Changes by airlines, of this tenant's bookings only. */
export function Airlines() {
  return (
    <Panel title="Airlines">
      <MoveFlight />
      <CloseAirport />
    </Panel>
  );
}

const SHIFTS = [
  ["50", "leaves 50 minutes later"],
  ["95", "leaves 95 minutes later"],
  ["360", "leaves 6 hours later"],
  ["-60", "leaves an hour earlier"],
  ["none", "is cancelled"],
] as const;

function MoveFlight() {
  const queries = useQueryClient();
  const [chosen, setChosen] = useState("");
  const [shift, setShift] = useState<string>("95");
  const orders = useQuery({
    queryKey: ["orders", "to move"],
    queryFn: ({ signal }) => api<GetOrdersAnswer>("/api/orders?limit=50", { signal }),
  });
  const flights = (orders.data?.orders ?? []).filter(
    ({ kind, status }) => kind === "flight" && (status === "confirmed" || status === "held"),
  );
  const order = flights.find(({ orderId }) => orderId === chosen) ?? flights[0];
  const path = `/api/sandbox/orders/${order?.orderId ?? ""}/schedule-change`;
  const body = { slice: 0, shiftMinutes: shift === "none" ? null : Number(shift) };
  const move = useMutation({
    mutationFn: () => api(path, { method: "POST", body }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["orders"] }),
  });
  if (orders.isSuccess && order === undefined) {
    return <Empty>There is no booked flight to move. Book one in the playground.</Empty>;
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        move.mutate();
      }}
    >
      <label htmlFor="moved-order">The first flight of</label>
      <select id="moved-order" value={order?.orderId ?? ""} onChange={({ target }) => setChosen(target.value)}>
        {flights.map(({ orderId, what, startsOn, pnr }) => (
          <option key={orderId} value={orderId}>
            {what ?? "Flight"}
            {startsOn === null ? "" : `, ${startsOn}`}
            {pnr === null ? "" : `, ${pnr}`}
          </option>
        ))}
      </select>
      <label htmlFor="moved-by">Its airline says that it</label>
      <select id="moved-by" value={shift} onChange={({ target }) => setShift(target.value)}>
        {SHIFTS.map(([minutes, words]) => (
          <option key={minutes} value={minutes}>
            {words}
          </option>
        ))}
      </select>
      {orders.error !== null && <Problem error={orders.error} retry={() => void orders.refetch()} />}
      {move.error !== null && <Problem error={move.error} />}
      {move.isSuccess && order !== undefined && (
        <p role="status">
          The airline has told. It is on{" "}
          <Link to="/trips/orders/$orderId" params={{ orderId: order.orderId }}>
            the booking
          </Link>{" "}
          in a moment.
        </p>
      )}
      <div className="buttons">
        <button type="submit" className="plain" disabled={order === undefined || move.isPending}>
          Tell it
        </button>
      </div>
      {order !== undefined && <ApiCall calls={[{ method: "POST", path, body }]} />}
    </form>
  );
}

function CloseAirport() {
  const queries = useQueryClient();
  const [airport, setAirport] = useState("");
  const [until, setUntil] = useState("");
  const path = "/api/sandbox/airport-closures";
  const body = { airport: airport.toUpperCase(), ...(until === "" ? {} : { until }) };
  const close = useMutation({
    mutationFn: () => api<CloseSandboxAirportAnswer>(path, { method: "POST", body }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["orders"] }),
  });
  const hit = close.data?.orderIds ?? [];
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        close.mutate();
      }}
    >
      <div className="pairs">
        <label>
          Close the airport
          <input
            required
            pattern="[A-Za-z]{3}"
            maxLength={3}
            placeholder="JFK"
            value={airport}
            onChange={({ target }) => setAirport(target.value)}
          />
        </label>
        <label>
          Until, local day
          <input type="date" value={until} onChange={({ target }) => setUntil(target.value)} />
        </label>
      </div>
      {close.error !== null && <Problem error={close.error} />}
      {close.isSuccess && (
        <p role="status">
          {hit.length === 0
            ? "None of your bookings uses it in this time."
            : `Its airlines have cancelled the flights of ${hit.length} ${hit.length === 1 ? "booking" : "bookings"} of yours.`}
        </p>
      )}
      <div className="buttons">
        <button type="submit" className="plain" disabled={close.isPending}>
          Close the airport
        </button>
      </div>
      <ApiCall calls={[{ method: "POST", path, body }]} />
    </form>
  );
}
