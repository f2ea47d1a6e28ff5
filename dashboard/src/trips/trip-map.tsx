import { useEffect, useRef, useState } from "react";
import type { Leg, StayDot, Stop } from "./list-legs.ts";
import { bringNear, drawArc, drawLand, drawLine, frame, measureKilometers, type Point, place } from "./map-geometry.ts";

const HEIGHT = 240;
const MARGIN = 44;

const locate = ({ longitude, latitude }: Pick<Stop, "longitude" | "latitude">): Point => [longitude, latitude];

/** The flights as the shortest ways over the globe, drawn here: nothing is loaded from elsewhere, and nobody pays for it. */
export default function TripMap(props: { legs: readonly Leg[]; stops: readonly Stop[]; stays: readonly StayDot[] }) {
  const { legs, stops, stays } = props;
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const { current } = box;
    if (current === null) return;
    const observer = new ResizeObserver(([entry]) => setWidth(Math.round(entry?.contentRect.width ?? 0)));
    observer.observe(current);
    return () => observer.disconnect();
  }, []);
  const byCode = new Map(stops.map((stop) => [stop.code, stop]));
  const ways = legs.flatMap((leg) => {
    const [from, to] = [byCode.get(leg.from), byCode.get(leg.to)];
    return from === undefined || to === undefined ? [] : [{ ...leg, from, to }];
  });
  // Each way once, whichever direction is flown first.
  const lines = [...new Map(ways.toReversed().map((way) => [nameWay(way), way])).values()].toReversed();
  return (
    <figure className="trip-map">
      <div ref={box}>{width > 0 && <Drawing ways={ways} stays={stays} width={width} />}</div>
      <figcaption className="quiet">
        {lines.map(({ id, from, to }) => (
          <span key={id}>
            {sayLine(from, to)}, {sayKilometers(measureKilometers(locate(from), locate(to)))}
          </span>
        ))}
        {stays.map(({ id, name }) => (
          <span key={id}>
            <span className="stay-mark" aria-hidden="true" /> {name}
          </span>
        ))}
        {legs.some(({ from, to }) => !byCode.has(from) || !byCode.has(to)) && (
          <span>Not on the map: {listUnknown(legs, byCode).join(", ")}, whose position is not known.</span>
        )}
      </figcaption>
    </figure>
  );
}

const nameWay = ({ from, to }: Pick<Way, "from" | "to">): string => [from.code, to.code].toSorted().join();
const sayLine = (from: Stop, to: Stop): string => `${from.cityName} (${from.code}) to ${to.cityName} (${to.code})`;

const sayKilometers = (kilometers: number): string => `${Math.round(kilometers).toLocaleString("en")} km`;

function listUnknown(legs: readonly Leg[], known: ReadonlyMap<string, Stop>): readonly string[] {
  const codes = new Set(legs.flatMap(({ from, to }) => [from, to]));
  return [...codes].filter((code) => !known.has(code));
}

function sayMap(ways: readonly Way[], stays: readonly StayDot[]): string {
  const flown = ways.map(({ from, to }) => sayLine(from, to)).join(", ");
  const names = stays.map(({ name }) => name).join(", ");
  if (flown === "") return `Map of the stay: ${names}`;
  return `Map of the route: ${flown}${names === "" ? "" : `; stay: ${names}`}`;
}

interface Way extends Omit<Leg, "from" | "to"> {
  from: Stop;
  to: Stop;
}

/** Each way begins where the one before has ended, also beyond the edge of the map. */
function followOn(ways: readonly Way[]): readonly (Way & { points: readonly Point[] })[] {
  let last: number | undefined;
  return ways.map((way) => {
    const points = drawArc(locate(way.from), locate(way.to));
    const shift = last === undefined ? 0 : 360 * Math.round((last - (points[0]?.[0] ?? 0)) / 360);
    const moved = points.map(([longitude, latitude]): Point => [longitude + shift, latitude]);
    last = moved.at(-1)?.[0];
    return { ...way, points: moved };
  });
}

function Drawing({ ways, stays, width }: { ways: readonly Way[]; stays: readonly StayDot[]; width: number }) {
  const followed = followOn(ways);
  const reached = followed.flatMap(({ points }) => points);
  const [middle = stays[0]?.longitude ?? 0] = reached[Math.floor(reached.length / 2)] ?? [];
  // On the same side of the map's edge as the flights.
  const placed = stays.map((stay) => ({ ...stay, point: [bringNear(stay.longitude, middle), stay.latitude] as const }));
  const size = { width, height: HEIGHT };
  const view = frame([...reached, ...placed.map(({ point }) => point)], { ...size, margin: MARGIN });
  const dots = new Map<string, { code: string; x: number; y: number }>();
  for (const { from, to, points } of followed) {
    for (const [stop, point] of [
      [from, points[0]],
      [to, points.at(-1)],
    ] as const) {
      if (point !== undefined) dots.set(stop.code, { code: stop.code, ...place(point, view) });
    }
  }
  return (
    <svg width={width} height={HEIGHT} role="img" aria-label={sayMap(ways, stays)}>
      <path className="land" d={drawLand(view, size)} />
      {followed.map(({ id, kind, points }) => (
        <path key={id} className={`way ${kind}`} d={drawLine(points, view)} />
      ))}
      {putLabels([...dots.values()], size).map(({ code, x, y, label }) => (
        <g key={code}>
          <circle className="dot" cx={x} cy={y} r="4" />
          <text className="code" x={label.x} y={label.y} textAnchor={label.anchor}>
            {code}
          </text>
        </g>
      ))}
      {placed.map(({ id, name, point }) => {
        const { x, y } = place(point, view);
        return (
          <rect key={id} className="stay" x={x - 5} y={y - 5} width="10" height="10" rx="2">
            <title>{name}</title>
          </rect>
        );
      })}
    </svg>
  );
}

interface Dot {
  code: string;
  x: number;
  y: number;
}

const CODE = { width: 30, height: 14 };
const SIDES = [
  { right: 0, down: -10, anchor: "middle" },
  { right: 0, down: 20, anchor: "middle" },
  { right: 9, down: 4, anchor: "start" },
  { right: -9, down: 4, anchor: "end" },
] as const;

/** Each label on the first side on which it covers no other label and no dot. */
function putLabels(dots: readonly Dot[], { width, height }: { width: number; height: number }) {
  const taken = dots.map(({ x, y }) => ({ left: x - 5, right: x + 5, top: y - 5, bottom: y + 5 }));
  return dots.map((dot) => {
    const sides = SIDES.map(({ right, down, anchor }) => {
      const [x, y] = [dot.x + right, dot.y + down];
      const left = anchor === "middle" ? x - CODE.width / 2 : anchor === "start" ? x : x - CODE.width;
      const area = { left, right: left + CODE.width, top: y - CODE.height + 3, bottom: y + 3 };
      return { label: { x, y, anchor }, area };
    });
    const isFree = ({ area }: (typeof sides)[number]) =>
      area.left >= 0 &&
      area.right <= width &&
      area.top >= 0 &&
      area.bottom <= height &&
      taken.every(
        (other) =>
          area.right <= other.left || area.left >= other.right || area.bottom <= other.top || area.top >= other.bottom,
      );
    const { label, area } = sides.find(isFree) ??
      sides[0] ?? { label: { x: dot.x, y: dot.y, anchor: "start" as const }, area: undefined };
    if (area !== undefined) taken.push(area);
    return { ...dot, label };
  });
}
