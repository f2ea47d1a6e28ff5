import type { Times, TimeWindow } from "../reading/limits.ts";
import { toClock } from "./clock-times.ts";
import type { Speaker } from "./speaker.ts";

const WAYS = ["departs", "arrives", "returnDeparts", "returnArrives"] as const;
type Way = (typeof WAYS)[number];
const END_OF_DAY = 24 * 60 - 1;

/** "Times: outbound departure at 10:00 or later."; nothing where no time was asked for. */
export function sayTimes(times: Times, isReturning: boolean, speaker: Speaker): string {
  const kept = WAYS.flatMap((way) => (way.startsWith("return") && !isReturning ? [] : sayTime(times, way, speaker)));
  return kept.length === 0 ? "" : speaker.say("timesKept", { times: kept.join("; ") });
}

export function sayTime(times: Times, way: Way, speaker: Speaker): readonly string[] {
  const window = times[way] === undefined ? undefined : sayWindow(times[way], speaker);
  return window === undefined ? [] : [speaker.say(way, { window })];
}

function sayWindow({ from = 0, until = END_OF_DAY }: TimeWindow, { say, time }: Speaker): string | undefined {
  const clock = (minute: number) => time(`2000-01-01T${toClock(minute)}`);
  const isUntil = until < END_OF_DAY;
  if (from > 0 && isUntil) return say("timeBetween", { from: clock(from), until: clock(until) });
  if (from > 0) return say("timeFrom", { from: clock(from) });
  return isUntil ? say("timeUntil", { until: clock(until) }) : undefined;
}
