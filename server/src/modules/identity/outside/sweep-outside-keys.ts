import type { Queryable } from "../../../platform/database/database.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { OutsideKeys } from "../../../ports/outside-keys.ts";
import { deleteIntent, listIntents, listToEnd, setEnded } from "./store-outside-keys.ts";

/** By then a request to make a key has arrived, or never will. */
const QUIET = { minutes: 1 };
const AT_ONCE = 50;

interface SweepParts {
  db: Queryable;
  clock: Clock;
  outsideKeys: OutsideKeys;
}

/** Ends at the provider what has ended here, and keys whose making was not heard of again. */
export async function sweepOutsideKeys({ db, clock, outsideKeys }: SweepParts): Promise<void> {
  for (const { id, outsideId } of await listToEnd(db, clock.now(), AT_ONCE)) {
    if (outsideId === null) continue;
    await outsideKeys.revoke(outsideId);
    await setEnded(db, id, clock.now());
  }
  for (const { keyId, organizationId } of await listIntents(db, clock.now().subtract(QUIET), AT_ONCE)) {
    const all = await outsideKeys.list(organizationId);
    for (const lost of all.filter((key) => key.keyId === keyId && key.isLive)) await outsideKeys.revoke(lost.id);
    await deleteIntent(db, keyId);
  }
}
