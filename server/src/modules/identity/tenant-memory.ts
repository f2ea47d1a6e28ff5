import { type ChangeListener, listenForChanges } from "../../platform/database/change-listener.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Environment } from "../../ports/identity.ts";
import type { Log } from "../../ports/log.ts";

/** Triggers of cached tables notify it with the owner of a changed row: `<environment> <tenant id>`. */
const CHANNEL = "tenant_settings_changed";
/** The longest time for which a change is missed if the notifying connection died silently. */
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
 * Caches data of a tenant that many calls read and few change. An entry is dropped when the database notifies a change, so that
 * another process sees it at once; nothing is cached while there are no notifications.
 */
export class TenantMemory {
  readonly #options: TenantMemoryOptions;
  readonly #remembered: Remembered[] = [];
  #listener: ChangeListener | undefined;
  #isTold = false;
  /** Data read before a change is not cached after it. */
  #generation = 0;

  constructor(options: TenantMemoryOptions) {
    this.#options = options;
  }

  /** Caches `read`, whose tables must notify their changes on the channel. */
  remember<Value>(read: (owner: TenantOwner) => Promise<Value>): (owner: TenantOwner) => Promise<Value> {
    const entries = new Map<string, Entry<Value>>();
    this.#remembered.push({ forget: (key) => entries.delete(key), clear: () => entries.clear() });
    return async (owner) => {
      const key = ownerKey(owner);
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

  /** Called after a change is stored: this process sees it at once. */
  forget(owner: TenantOwner): void {
    this.#forget(ownerKey(owner));
  }

  /** Resolves when caching may begin. Nothing needs to wait for it: until then the database is read each time. */
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

  /** Starts with the first read: a command without one needs no such connection. */
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

/** For maps and batched queries; the queries split it at the space. */
export function ownerKey({ tenantId, environment }: TenantOwner): string {
  return `${environment} ${tenantId}`;
}
