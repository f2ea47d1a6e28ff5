import { setTimeout as delay } from "node:timers/promises";
import type { Deployment } from "../deployment.ts";
import type { Random } from "../random.ts";
import { readUnderWay } from "./books.ts";

/** Where a booking or an action can be when a kill falls. */
const places = [
  "booking ordering",
  "booking paying",
  "flight_cancellation sent",
  "flight_change paying",
  "flight_change sent",
  "stay_cancellation sent",
] as const;

const PATIENCE_MILLISECONDS = 1_500;
const LOOK_MILLISECONDS = 10;

export function createMoments(deployment: Pick<Deployment, "query">) {
  const caught = new Map<string, number>();

  return {
    /** Until something is in the place that the seed has drawn. */
    async next(random: Random, signal: AbortSignal): Promise<void> {
      const wanted: string = random.pick(places);
      const deadline = performance.now() + PATIENCE_MILLISECONDS;
      while (performance.now() < deadline && !signal.aborted) {
        const there = await readUnderWay(deployment).catch((): string[] => []);
        if (there.includes(wanted)) return;
        await delay(LOOK_MILLISECONDS, undefined, { signal });
      }
    },

    /** Whatever can still be asked after a kill. */
    async witness(): Promise<void> {
      for (const place of await readUnderWay(deployment)) caught.set(place, (caught.get(place) ?? 0) + 1);
    },

    notes(): string[] {
      const list = [...caught].map(([place, count]) => `${place} ${count}`).join(", ");
      return [`caught        right after a kill, as far as the database could be asked: ${list || "nothing"}`];
    },
  };
}
