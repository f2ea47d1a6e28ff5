import { type ChangeListener, listenForChanges } from "../../platform/database/change-listener.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Environment } from "../../ports/identity.ts";
import type { Log } from "../../ports/log.ts";

/** Triggers of the tables that are remembered name on it whose rows changed: `<environment> <tenant id>`. */
const CHANNEL = "tenant_settings_changed";
/** So long at most it lasts that a change is not seen here, where the connection that tells of it died without a word. */
const LIFE_MILLISECONDS = 15_000;
const MOST_TENANTS = 10_000;

export interface TenantOwner {
  tenantId: string;
  environment: Environment;
}

export interface TenantMemoryOptions {
  databaseUrl: string;
  clock: Clock;
  log: Pick<Log, "warn">;
}

interface Entry<Value> {
  value: Value;
  untilMilliseconds: number;
}

interface Remembered {
  forget(key: string): void;
  clear(): void;
}

/**
 * What many calls read of a tenant and few change. It is forgotten when the database tells that it changed, so that another
 * process sees a change as soon as it hears of it; while nobody would tell, nothing is remembered.
 */
export class TenantMemory {
  readonly #options: TenantMemoryOptions;
  readonly #remembered: Remembered[] = [];
  #listener: ChangeListener | undefined;
  #isTold = false;
  /** What was read before a change is not remembered after it. */
  #generation = 0;

  constructor(options: TenantMemoryOptions) {
    this.#options = options;
  }

  /** `read` as it answers a moment later, too. Its tables tell of their changes on the channel. */
  remember<Value>(read: (owner: TenantOwner) => Promise<Value>): (owner: TenantOwner) => Promise<Value> {
    const entries = new Map<string, Entry<Value>>();
    this.#remembered.push({ forget: (key) => entries.delete(key), clear: () => entries.clear() });
    return async (owner) => {
      const key = keyOf(owner);
      const known = entries.get(key);
      if (known !== undefined && this.#now() < known.untilMilliseconds) return known.value;
      this.#listen();
      const asked = this.#generation;
      const value = await read(owner);
      if (!this.#isTold || asked !== this.#generation) return value;
      if (entries.size >= MOST_TENANTS) entries.clear();
      entries.set(key, { value, untilMilliseconds: this.#now() + LIFE_MILLISECONDS });
      return value;
    };
  }

  /** By who has changed it, when that is stored: this process sees it at once. */
  forget(owner: TenantOwner): void {
    this.#forget(keyOf(owner));
  }

  /** Resolves when something may be remembered. Nothing has to wait for it: until then the database is asked each time. */
  ready(): Promise<void> {
    return this.#listen().ready;
  }

  async close(): Promise<void> {
    await this.#listener?.close();
  }

  #now(): number {
    return this.#options.clock.now().epochMilliseconds;
  }

  #forget(key: string): void {
    this.#generation += 1;
    for (const one of this.#remembered) one.forget(key);
  }

  /** Begins with the first question: a command that asks none needs no such connection. */
  #listen(): ChangeListener {
    const { databaseUrl, log } = this.#options;
    this.#listener ??= listenForChanges({
      databaseUrl,
      channel: CHANNEL,
      log,
      onChange: (key) => this.#forget(key),
      onListening: (isTold) => {
        this.#generation += 1;
        this.#isTold = isTold;
        for (const one of this.#remembered) one.clear();
      },
    });
    return this.#listener;
  }
}

function keyOf({ tenantId, environment }: TenantOwner): string {
  return `${environment} ${tenantId}`;
}
