import { lazy, Suspense } from "react";
import type { GetOrderAnswer } from "../answers.ts";
import { Panel } from "../parts/states.tsx";
import { listLegs, listStays } from "./list-legs.ts";

/** The outlines of the land come with it, and only pages with a map load them. */
const TripMap = lazy(() => import("./trip-map.tsx"));

const SPACE = <div className="trip-map-space" aria-busy="true" />;

/** Where the flights go, and where the stays are as far as that was kept with their bookings. */
export function RouteMap({ orders, isLoading = false }: { orders: readonly GetOrderAnswer[]; isLoading?: boolean }) {
  const { legs, stops } = listLegs(orders);
  const { dots, unplaced } = listStays(orders);
  if (isLoading) return <Panel title="Map">{SPACE}</Panel>;
  const hasLeg = legs.some(({ from, to }) => [from, to].every((code) => stops.some((stop) => stop.code === code)));
  if (!hasLeg && dots.length === 0) return null;
  return (
    <Panel title="Map">
      <Suspense fallback={SPACE}>
        <TripMap legs={legs} stops={stops} stays={dots} />
      </Suspense>
      {unplaced.length > 0 && <p className="quiet">Without a position: {unplaced.join(", ")}.</p>}
    </Panel>
  );
}
