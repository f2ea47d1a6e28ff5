import { inTrace } from "../../domain/trace.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Environment } from "../../ports/identity.ts";
import type { Log } from "../../ports/log.ts";
import { backOff } from "../leased-queue/back-off.ts";
import type { Inbox, TakenItem } from "./store-inbox.ts";

/** Thrown for an item that must wait; the message says for what. */
export class NotYet extends Error {}

interface InboxWork<Item> {
  /** Used in log lines. */
  name: string;
  inbox: Inbox<Item>;
  environment: Environment;
  /**
   * Processes the item and returns the result, for the operator. Its effects must be stored once, however often it is
   * processed.
   */
  handle(item: TakenItem<Item>): Promise<string>;
  clock: Clock;
  log: Log;
}

const BATCH = 20;
/** How long others wait for an item of a dead process; longer than processing takes. */
const LEASE = { minutes: 2 };
const RETRY = { firstMilliseconds: 1_000, longestMilliseconds: 600_000 };
/** About an hour and a half. */
const MOST_ATTEMPTS = 18;

/** Processes every due item; returns how many. Safe to run concurrently. */
export async function workOnInbox<Item extends { id: string }>(work: InboxWork<Item>): Promise<number> {
  const { inbox, environment, clock } = work;
  for (let count = 0; ; ) {
    const items = await inbox.take(environment, BATCH, clock.now().add(LEASE));
    if (items.length === 0) return count;
    await Promise.all(items.map((item) => inTrace(undefined, () => workOn(work, item))));
    count += items.length;
  }
}

/** Never throws: an item that cannot be stored as finished stays leased, and is processed again afterwards. */
async function workOn<Item extends { id: string }>(work: InboxWork<Item>, item: TakenItem<Item>): Promise<void> {
  const { name, inbox, environment, handle, clock, log } = work;
  const { id, attempts } = item;
  const fields = { inbox: name, id, attempts };
  try {
    const outcome = await handle(item).catch(async (cause: unknown) => {
      const reason = cause instanceof Error ? cause.message : String(cause);
      if (attempts >= MOST_ATTEMPTS) {
        log.error({ ...fields, err: cause }, "an item of the inbox is given up");
        return `given up: ${reason}`;
      }
      if (cause instanceof NotYet) log.info({ ...fields, why: reason }, "an item of the inbox waits");
      else log.warn({ ...fields, err: cause }, "an item of the inbox is tried again later");
      await inbox.putBack(environment, id, reason, clock.now().add({ milliseconds: backOff(attempts, RETRY) }));
      return undefined;
    });
    if (outcome !== undefined) await inbox.done(environment, id, outcome);
  } catch (err) {
    log.error({ ...fields, err }, "the end of an item of the inbox could not be stored");
  }
}
