import { setTimeout as delay } from "node:timers/promises";
import type { Deployment } from "../deployment.ts";
import type { Random } from "../random.ts";
import { readUnderWay } from "./books.ts";
import type { ChainView } from "./chain-view.ts";

/** Where an order can be when a kill falls. */
const places = ["stored and not signed", "signed and in no block", "in a block and not in the books"] as const;
type Place = (typeof places)[number];

const PATIENCE_MILLISECONDS = 1_500;
const LOOK_MILLISECONDS = 10;

export function createMoments(deployment: Pick<Deployment, "query">, chain: Pick<ChainView, "isMined">) {
  const caught = new Map<Place, number>(places.map((place) => [place, 0]));
  const killedAt: number[] = [];

  async function look(): Promise<Place[]> {
    const rows = await readUnderWay(deployment);
    return await Promise.all(
      rows.map(async ({ state, hash }): Promise<Place> => {
        if (state === "queued" || hash === null) return "stored and not signed";
        return (await chain.isMined(hash)) ? "in a block and not in the books" : "signed and in no block";
      }),
    );
  }

  async function isThere(wanted: Place): Promise<boolean> {
    try {
      return (await look()).includes(wanted);
    } catch {
      return false;
    }
  }

  return {
    killedAt,

    /** Until some order is in the place that the seed has drawn. */
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
      return [`caught        orders right after a kill, as far as database and chain could be asked: ${list}`];
    },
  };
}
