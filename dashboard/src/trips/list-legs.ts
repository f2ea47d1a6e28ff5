import type { GetOrderAnswer } from "../answers.ts";

type Order = Pick<GetOrderAnswer, "slices" | "airports" | "status">;

export interface Leg {
  id: string;
  from: string;
  to: string;
  kind: "done" | "wait" | "cut";
}

export interface Stop {
  code: string;
  cityName: string;
  latitude: number;
  longitude: number;
}

/** A stay whose position was kept with its booking. */
export interface StayDot {
  id: string;
  name: string;
  latitude: number;
  longitude: number;
}

/** The stays of some orders: those that can be drawn, and the names of the others. */
export function listStays(orders: readonly Pick<GetOrderAnswer, "orderId" | "stay">[]) {
  const stays = orders.flatMap(({ orderId, stay }) => (stay === null ? [] : [{ id: orderId, ...stay }]));
  return {
    dots: stays.flatMap(({ id, accommodationName: name, position }): StayDot[] =>
      position === null ? [] : [{ id, name, ...position }],
    ),
    unplaced: stays.flatMap(({ accommodationName, position }) => (position === null ? [accommodationName] : [])),
  };
}

const KINDS = { confirmed: "done", held: "wait" } as const;

/** The flights of some orders, and the airports between which they go, as far as it is known where these are. */
export function listLegs(orders: readonly Order[]): { legs: readonly Leg[]; stops: readonly Stop[] } {
  const legs = orders.flatMap(({ slices, status }) =>
    slices.flatMap(({ id, segments }) =>
      segments.map(({ origin: from, destination: to, departingAt }): Leg => {
        const kind = status === "confirmed" || status === "held" ? KINDS[status] : "cut";
        return { id: `${id} ${departingAt}`, from, to, kind };
      }),
    ),
  );
  // The last answer of each: they all say the same.
  const stops = new Map(
    orders.flatMap(({ airports }) => airports.map(({ iataCode, ...rest }) => [iataCode, { code: iataCode, ...rest }])),
  );
  return { legs, stops: [...stops.values()] };
}
