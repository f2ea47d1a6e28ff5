import { WorkerQueue } from "../../../platform/threads/worker-queue.ts";

const TIMEOUT_MILLISECONDS = 20_000;

/** The page in plain texts, as it crosses to the thread. */
export interface ItineraryPage {
  title: string;
  name: string;
  locale: string;
  /** Across the page. */
  mark: string | undefined;
  groups: readonly { heading: string | undefined; facts: readonly { label: string; values: readonly string[] }[] }[];
  note: string | undefined;
  made: Date;
}

/** No PDF was made: the queue is full, it took too long, or drawing failed. */
export class ItineraryNotDrawn extends Error {
  constructor(reason: string) {
    super(`No PDF was made: ${reason}.`);
    this.name = "ItineraryNotDrawn";
  }
}

/** Draws itineraries in a thread of its own. */
export class ItineraryRenderer {
  readonly #queue = new WorkerQueue<ItineraryPage, Uint8Array>({
    script: new URL("./itinerary-thread.ts", import.meta.url),
    timeoutMilliseconds: TIMEOUT_MILLISECONDS,
    failure: (reason) => new ItineraryNotDrawn(reason),
  });

  /** Throws `ItineraryNotDrawn`. */
  async render(page: ItineraryPage): Promise<Uint8Array> {
    return await this.#queue.run(page);
  }

  close(): void {
    this.#queue.stop("the service is stopping");
  }
}
