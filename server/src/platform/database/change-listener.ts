import pg from "pg";
import type { Log } from "../../ports/log.ts";

const FIRST_RETRY_MILLISECONDS = 100;
const LONGEST_RETRY_MILLISECONDS = 5_000;
const HEARTBEAT_MILLISECONDS = 10_000;
const ANSWER_TIMEOUT_MILLISECONDS = 5_000;

export interface ChangeListener {
  /** Resolves when listening has begun for the first time, or `close` was called before. */
  ready: Promise<void>;
  close(): Promise<void>;
}

/**
 * Listens to a channel on its own connection and reconnects when that breaks. Calls `onListening(false)` as soon as
 * notifications may be missed, and `onListening(true)` once they arrive again.
 */
export function listenForChanges(options: {
  databaseUrl: string;
  channel: string;
  onChange: (payload: string) => void;
  onListening: (listening: boolean) => void;
  log: Pick<Log, "warn">;
}): ChangeListener {
  const { databaseUrl, channel, onChange, onListening, log } = options;
  const first = Promise.withResolvers<void>();
  let client: pg.Client | undefined;
  let timer: NodeJS.Timeout | undefined;
  let retryMilliseconds = FIRST_RETRY_MILLISECONDS;
  let closed = false;
  let connecting: Promise<void> = Promise.resolve();

  async function connect(): Promise<void> {
    const next = new pg.Client({
      connectionString: databaseUrl,
      connectionTimeoutMillis: ANSWER_TIMEOUT_MILLISECONDS,
      query_timeout: ANSWER_TIMEOUT_MILLISECONDS,
      keepAlive: true,
      application_name: `listen ${channel}`,
    });
    client = next;
    next.on("error", (error) => lose(next, error));
    next.on("end", () => lose(next, new Error("The server ended the connection.")));
    next.on("notification", (message) => onChange(message.payload ?? ""));
    try {
      await next.connect();
      await next.query(`listen ${pg.escapeIdentifier(channel)}`);
    } catch (error) {
      lose(next, error);
      return;
    }
    if (client !== next || closed) return;
    retryMilliseconds = FIRST_RETRY_MILLISECONDS;
    onListening(true);
    first.resolve();
    beat(next);
  }

  /** A silently lost connection is noticed only when it is used. */
  function beat(current: pg.Client): void {
    timer = setTimeout(() => {
      current.query("select 1").then(
        () => {
          if (client === current) beat(current);
        },
        (error: unknown) => lose(current, error),
      );
    }, HEARTBEAT_MILLISECONDS);
    timer.unref();
  }

  function lose(lost: pg.Client, error: unknown): void {
    if (client !== lost || closed) return;
    client = undefined;
    clearTimeout(timer);
    onListening(false);
    log.warn({ err: error, channel, retryMilliseconds }, "listening for changes was interrupted");
    void lost.end().catch(() => undefined);
    timer = setTimeout(() => {
      connecting = connect();
    }, retryMilliseconds);
    timer.unref();
    retryMilliseconds = Math.min(retryMilliseconds * 2, LONGEST_RETRY_MILLISECONDS);
  }

  connecting = connect();
  return {
    ready: first.promise,
    async close() {
      closed = true;
      clearTimeout(timer);
      first.resolve();
      await connecting;
      await client?.end().catch(() => undefined);
      onListening(false);
    },
  };
}
