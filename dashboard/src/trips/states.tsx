import type { GetOrdersAnswer, GetTripsAnswer } from "../answers.ts";
import { fromNow } from "../format.ts";
import { Status } from "../parts/states.tsx";

type Order = GetOrdersAnswer["orders"][number];
type Trip = GetTripsAnswer["trips"][number];

/** List and detail say the same of an order. */
export function OrderStatus({ status, ticketing, holdUntil }: Pick<Order, "status" | "ticketing" | "holdUntil">) {
  if (status === "held")
    return <Status kind="wait">Held{holdUntil === null ? "" : `, ends ${fromNow(holdUntil)}`}</Status>;
  if (status === "confirmed" && ticketing === "pending") return <Status kind="wait">Tickets pending</Status>;
  if (status === "confirmed") return <Status kind="done">{ticketing === "ticketed" ? "Ticketed" : "Confirmed"}</Status>;
  return <Status kind="quiet">{status === "cancelled" ? "Cancelled" : "Lapsed"}</Status>;
}

export function TripState({ trip: { state, isExpired } }: { trip: Pick<Trip, "state" | "isExpired"> }) {
  if (state === "funding") return <Status kind="money">Being funded</Status>;
  if (state === "failed") return <Status kind="fail">Not funded</Status>;
  if (state === "closed") return <Status kind="quiet">Closed</Status>;
  return isExpired ? <Status kind="quiet">Expired</Status> : <Status kind="done">Funded</Status>;
}

/** "LHR to CDG, CDG to LHR" is "LHR to CDG and back". */
export function sayRoute(what: string): string {
  const [, from, to, fromAgain, toAgain] = /^([A-Z]{3}) to ([A-Z]{3}), ([A-Z]{3}) to ([A-Z]{3})$/.exec(what) ?? [];
  return from !== undefined && from === toAgain && to === fromAgain ? `${from} to ${to} and back` : what;
}
