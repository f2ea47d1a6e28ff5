import { lazy, Suspense } from "react";
import type { GetOrderAnswer } from "../answers.ts";
import { Panel } from "../parts/states.tsx";
import { listLegs } from "./list-legs.ts";

/** The outlines of the land come with it, and only pages with a map load them. */
const TripMap = lazy(() => import("./trip-map.tsx"));

const SPACE = <div className="trip-map-space" aria-busy="true" />;

/** Where the flights go. Stays are listed: the service does not know where they are. */
export function RouteMap({ orders, isLoading = false }: { orders: readonly GetOrderAnswer[]; isLoading?: boolean }) {
  const { legs, stops } = listLegs(orders);
  if (isLoading) return <Panel title="Map">{SPACE}</Panel>;
  if (!legs.some(({ from, to }) => [from, to].every((code) => stops.some((stop) => stop.code === code)))) return null;
  const stays = orders.flatMap(({ stay }) => stay?.accommodationName ?? []);
  return (
    <Panel title="Map">
      <Suspense fallback={SPACE}>
        <TripMap legs={legs} stops={stops} />
      </Suspense>
      {stays.length > 0 && <p className="quiet">Without a position: {stays.join(", ")}.</p>}
    </Panel>
  );
}
