import type { GetOrderAnswer } from "../answers.ts";
import { PlaceTime } from "../parts/time.tsx";

type Slice = GetOrderAnswer["slices"][number];

/** Each flight as a line between two stops, by the clocks of both places. */
export function Flights(props: {
  slices: readonly Slice[];
  zones: Readonly<Record<string, string>>;
  isEnded: boolean;
}) {
  const { slices, zones, isEnded } = props;
  const flown = slices.flatMap(({ id, segments }) =>
    segments.map((segment) => ({ ...segment, id: `${id} ${segment.flightNumber} ${segment.departingAt}` })),
  );
  return (
    <>
      {flown.map(({ id, flightNumber, origin, destination, departingAt, arrivingAt }) => (
        <div className="flight" key={id}>
          <ol className="route">
            <li className={isEnded ? "cut" : "done"}>
              <strong>{origin}</strong>
              <PlaceTime local={departingAt} zone={zones[origin]} />
            </li>
            <li className="between">
              <span className="mono">{flightNumber}</span>
            </li>
            <li className={isEnded ? "cut" : "done"}>
              <strong>{destination}</strong>
              <PlaceTime local={arrivingAt} zone={zones[destination]} />
            </li>
          </ol>
        </div>
      ))}
    </>
  );
}
