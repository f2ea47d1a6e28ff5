import type { OutsideCall, WaitingCalls } from "../../ports/outside-calls.ts";

const MOST_OF_ALL = 5_000;
/** So that one tenant's flood leaves room for the others. */
const MOST_OF_TENANT = 1_000;

/** Keeps ended calls in memory until a job stores them. */
export function createWaitingCalls(): WaitingCalls {
  let waiting: OutsideCall[] = [];
  const byTenant = new Map<string, number>();
  let dropped = 0;

  function count(tenantId: string, change: number): void {
    const left = (byTenant.get(tenantId) ?? 0) + change;
    if (left === 0) byTenant.delete(tenantId);
    else byTenant.set(tenantId, left);
  }

  function hasRoom({ tenantId }: OutsideCall): boolean {
    if (waiting.length < MOST_OF_ALL && (byTenant.get(tenantId) ?? 0) < MOST_OF_TENANT) return true;
    dropped += 1;
    return false;
  }

  return {
    record(call) {
      if (!hasRoom(call)) return;
      waiting.push(call);
      count(call.tenantId, 1);
    },
    take(most) {
      const taken = waiting.slice(0, most);
      waiting = waiting.slice(most);
      for (const { tenantId } of taken) count(tenantId, -1);
      return taken;
    },
    putBack(calls) {
      const kept = calls.filter((call) => {
        if (!hasRoom(call)) return false;
        count(call.tenantId, 1);
        return true;
      });
      waiting = [...kept, ...waiting];
    },
    get dropped() {
      return dropped;
    },
  };
}
