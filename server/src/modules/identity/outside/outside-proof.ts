import type { RandomBytes } from "../../../domain/ids.ts";
import type { Queryable } from "../../../platform/database/database.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { StoredKey } from "../../../ports/identity.ts";
import type { OutsideKeys } from "../../../ports/outside-keys.ts";
import { hashSecret } from "../store-keys.ts";
import { joinKey } from "./map-key.ts";
import { findTenantOfOrganization, insertOutsideKeys, knowsHash, setHash, setScopes } from "./store-outside-keys.ts";

interface ProofOptions {
  db: Queryable;
  clock: Clock;
  random: RandomBytes;
  /** Undefined: no key of an outside identity provider proves anything. */
  outsideKeys: OutsideKeys | undefined;
}

/** Has keys of the outside identity provider confirmed by it. It fails with `unavailable` where that proves nothing. */
export class OutsideProof {
  readonly #options: ProofOptions;

  constructor(options: ProofOptions) {
    this.#options = options;
  }

  /** The hash of a key that the provider may have issued. Undefined: it has another form. */
  hashKey(secret: string): string | undefined {
    return this.#options.outsideKeys?.couldBe(secret) === true ? hashSecret(secret) : undefined;
  }

  /** The key as the provider allows it; keys of our own are returned as they are. Without its secret, it is asked for by id. */
  async prove(row: StoredKey, secret: string | undefined): Promise<StoredKey | undefined> {
    const { db, outsideKeys } = this.#options;
    if (row.outsideId === null) return row;
    if (outsideKeys === undefined) return undefined;
    const outside = await (secret === undefined ? outsideKeys.find(row.outsideId) : outsideKeys.verify(secret));
    const proved = joinKey(row, outside);
    if (proved !== undefined && proved.scopes.join() !== row.scopes.join()) await setScopes(db, proved);
    return proved;
  }

  /** Enters a key that was made at the provider and is used for the first time. True: it has a row now. */
  async enter(secret: string, keyHash: string): Promise<boolean> {
    const { db, clock, random, outsideKeys } = this.#options;
    if (outsideKeys === undefined || !outsideKeys.couldBe(secret)) return false;
    // A key that has ended here is not begun again.
    if (await knowsHash(db, keyHash)) return false;
    const outside = await outsideKeys.verify(secret);
    if (outside?.isLive !== true) return false;
    const tenantId = await findTenantOfOrganization(db, outside.organizationId);
    if (tenantId === undefined) return false;
    await insertOutsideKeys(db, tenantId, [outside], { at: clock.now(), random });
    await setHash(db, outside.id, keyHash);
    return true;
  }
}
