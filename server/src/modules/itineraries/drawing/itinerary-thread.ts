import { parentPort } from "node:worker_threads";
import type { ThreadAnswer, ThreadTask } from "../../../platform/threads/worker-queue.ts";
import { drawItinerary } from "./draw-itinerary.ts";
import type { ItineraryPage } from "./itinerary-renderer.ts";

/** The thread of an `ItineraryRenderer`. */
parentPort?.on("message", async ({ id, input }: ThreadTask<ItineraryPage>) => {
  const post = (answer: ThreadAnswer<Uint8Array>) => parentPort?.postMessage(answer);
  try {
    post({ id, output: await drawItinerary(input) });
  } catch (error) {
    post({ id, error: String(error) });
  }
});
