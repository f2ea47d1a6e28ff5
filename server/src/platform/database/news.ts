import type { Log } from "../../ports/log.ts";
import { type ChangeListener, listenForChanges } from "./change-listener.ts";

/** Triggers of tables with work notify it with `<topic> <text>`. */
const CHANNEL = "work_changed";

/** Notifications of the database about work, for every process. One that is lost delays work: timers find it too. */
export interface News {
  /** Calls `tell` with the text of each notification about the topic. Returns a function that ends that. */
  on(topic: string, tell: (text: string) => void): () => void;
  /** Calls `look` whenever notifications begin to arrive: earlier ones may have been missed. */
  onBegin(look: () => void): () => void;
  /** False while notifications may be missed. */
  isTold(): boolean;
  /** Aborted once the service begins to stop: whoever waits for news is answered with what there is. */
  readonly ending: AbortSignal;
  end(): void;
  close(): Promise<void>;
}

/** Listens on one connection, from the first interest on. */
export function createNews(options: { databaseUrl: string; log: Pick<Log, "warn"> }): News {
  const topics = new Map<string, Set<(text: string) => void>>();
  const looks = new Set<() => void>();
  let isTold = false;
  let listener: ChangeListener | undefined;
  const ending = new AbortController();

  function listen(): void {
    listener ??= listenForChanges({
      ...options,
      channel: CHANNEL,
      onChange(payload) {
        const space = payload.indexOf(" ");
        for (const tell of topics.get(payload.slice(0, space)) ?? []) tell(payload.slice(space + 1));
      },
      onListening(listening) {
        isTold = listening;
        if (listening) for (const look of looks) look();
      },
    });
  }

  return {
    on(topic, tell) {
      const tells = topics.get(topic) ?? new Set();
      topics.set(topic, tells.add(tell));
      listen();
      return () => tells.delete(tell);
    },
    onBegin(look) {
      looks.add(look);
      listen();
      return () => looks.delete(look);
    },
    isTold: () => isTold,
    ending: ending.signal,
    end: () => ending.abort(),
    async close() {
      await listener?.close();
    },
  };
}
