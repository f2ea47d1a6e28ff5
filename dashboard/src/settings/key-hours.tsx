import { useQuery } from "@tanstack/react-query";
import type { ReadKeyHoursAnswer } from "../answers.ts";
import { api } from "../api.ts";

/** The calls of every key by the hour, read again as often as `every` says. */
export const useKeyHours = (every: (hours: ReadKeyHoursAnswer | undefined) => number | false) =>
  useQuery({
    queryKey: ["usage", "key-hours"],
    queryFn: ({ signal }) => api<ReadKeyHoursAnswer>("/api/usage/key-hours", { signal }),
    refetchInterval: ({ state }) => every(state.data),
    retry: false,
  });

export const hasCalled = (hours: ReadKeyHoursAnswer | undefined, keyId: string): boolean =>
  hours?.keys.some((one) => one.keyId === keyId) ?? false;

const HOURS = 24;
const [WIDTH, HEIGHT, GAP] = [5, 20, 1];

/** A bar for each hour. Where not every call was counted, there are none: a short bar must not look like few calls. */
export function KeyHours({ hours, keyId }: { hours: ReadKeyHoursAnswer | undefined; keyId: string }) {
  if (hours === undefined || !hours.isComplete) return <span className="key-hours" />;
  const calls = hours.keys.find((one) => one.keyId === keyId)?.calls ?? [];
  const all = calls.reduce((sum, count) => sum + count, 0);
  // The same for every key, so that rows can be compared.
  const most = Math.max(1, ...hours.keys.flatMap((one) => one.calls));
  const says = `${all.toLocaleString("en")} ${all === 1 ? "call" : "calls"} in 24 hours`;
  return (
    <span className="key-hours">
      <svg width={HOURS * (WIDTH + GAP)} height={HEIGHT} aria-hidden="true">
        {Array.from({ length: HOURS }, (_none, hour) => {
          const height = Math.max(1, Math.round(((calls[hour] ?? 0) / most) * HEIGHT));
          const kind = (calls[hour] ?? 0) === 0 ? "none" : "";
          const x = hour * (WIDTH + GAP);
          // biome-ignore lint/suspicious/noArrayIndexKey: an hour is its place.
          return <rect key={hour} className={kind} x={x} y={HEIGHT - height} width={WIDTH} height={height} />;
        })}
      </svg>
      <span className="quiet">{says}</span>
    </span>
  );
}
