import { setImmediate as nextTurn } from "node:timers/promises";
import type { Parts } from "./context.ts";
import type { TenantEvent, TenantEvents } from "./events.ts";

/**
 * Reads of events that are asked for at the same moment, as all the open pages of a tenant do after a notification, are one. It begins
 * after everybody who shares it has asked, so nobody gets an older state than alone.
 */
export class SharedEvents {
  readonly #reads: Parts["reads"];
  readonly #beginning = new Map<string, Promise<readonly TenantEvent[]>>();

  constructor(reads: Parts["reads"]) {
    this.#reads = reads;
  }

  list(...[owner, page]: Parameters<TenantEvents["list"]>): Promise<readonly TenantEvent[]> {
    const { tenantId, environment } = owner;
    const name = JSON.stringify([tenantId, environment, page.after, page.types, page.limit]);
    const shared = this.#beginning.get(name);
    if (shared !== undefined) return shared;
    const begun = nextTurn().then(() => {
      this.#beginning.delete(name);
      return this.#reads(tenantId, ({ tenantEvents }) => tenantEvents.list(owner, page));
    });
    this.#beginning.set(name, begun);
    return begun;
  }
}
