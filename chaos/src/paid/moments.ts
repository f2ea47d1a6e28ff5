import { setTimeout as delay } from "node:timers/promises";
import type { Deployment } from "../deployment.ts";
import type { Random } from "../random.ts";
import { readMoments } from "./books.ts";

/** Where a paid call can be when a kill falls; after its answer is a place too, and the nemesis knows that one. */
const places = ["claimed and running", "earned and not sent", "earned and sent"] as const;
type Place = (typeof places)[number];

const PATIENCE_MILLISECONDS = 1_500;
const LOOK_MILLISECONDS = 10;

export function createMoments(deployment: Pick<Deployment, "query" | "querySupplier">) {
  const caught = new Map<Place, number>(places.map((place) => [place, 0]));
  const killedAt: number[] = [];

  async function look(): Promise<Place[]> {
    const rows = await readMoments(deployment);
    return rows.map(({ state, fetched }): Place => {
      if (state === "claimed") return "claimed and running";
      return fetched === null || fetched === "queued" ? "earned and not sent" : "earned and sent";
    });
  }

  async function isThere(wanted: Place): Promise<boolean> {
    try {
      return (await look()).includes(wanted);
    } catch {
      return false;
    }
  }

  return {
    /** Milliseconds of the epoch. */
    killedAt,

    /** Until some paid call is in the place that the seed has drawn. */
    async next(random: Random, signal: AbortSignal): Promise<void> {
      const wanted = random.pick(places);
      const deadline = performance.now() + PATIENCE_MILLISECONDS;
      while (performance.now() < deadline && !signal.aborted) {
        if (await isThere(wanted)) return;
        await delay(LOOK_MILLISECONDS, undefined, { signal });
      }
    },

    /** Whatever can still be asked after a kill. */
    async witness(): Promise<void> {
      killedAt.push(Date.now());
      for (const place of await look()) caught.set(place, (caught.get(place) ?? 0) + 1);
    },

    notes(): string[] {
      const list = [...caught].map(([place, count]) => `${count} ${place}`).join(", ");
      return [`caught        paid calls right after a kill, as far as the database could be asked: ${list}`];
    },
  };
}
