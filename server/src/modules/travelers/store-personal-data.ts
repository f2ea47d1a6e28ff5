import { sql } from "kysely";
import type { RandomBytes } from "../../domain/ids.ts";
import { GUEST_PREFIX } from "../../domain/user-ids.ts";
import type { Stores } from "../../kernel/stores.ts";
import type { OpenDatabase, Queryable } from "../../platform/database/database.ts";
import type { Log } from "../../ports/log.ts";
import type { PersonalData } from "./personal-data.ts";
import type { SealedFor } from "./stored-profile.ts";

interface Options {
  db: OpenDatabase["db"];
  stores: Stores;
  random: RandomBytes;
  log: Log;
}

const AT_ONCE = 100;
const RULES_LOGGED = 20;

interface Page {
  limit: number;
  offset: number;
}
type FindOld = (page: Page) => Promise<readonly SealedFor[]>;
type Kept = Pick<SealedFor, "tenantId" | "network"> & { rules: readonly string[] };

export function createPersonalData({ db, stores, random, log }: Options): PersonalData {
  /** What was logged last: the operator hears of it when it changes, and not with every run. */
  let logged = "[]";
  const erase: PersonalData["erase"] = (user, options) =>
    stores.transaction((aggregates) => aggregates.erasures.erase({ user, random, ...options }, aggregates));

  /** A batch of those whom nothing keeps. Answers those whom rules of the tenant name. */
  async function eraseBatch(find: FindOld): Promise<Kept[]> {
    const kept: Kept[] = [];
    let erased = 0;
    // Whom something keeps is found again every time, and must not take the place of the others.
    let passed = 0;
    while (erased < AT_ONCE) {
      const found = await find({ limit: AT_ONCE - erased, offset: passed });
      if (found.length === 0) break;
      for (const user of found) {
        const ended = await erase(user, { actor: "retention", confirmFutureBookings: false });
        if (ended.outcome === "erased") erased += 1;
        else passed += 1;
        if (ended.outcome === "ruled") kept.push({ ...user, rules: ended.rules });
      }
    }
    return kept;
  }

  function logKept(kept: readonly Kept[]): void {
    const lines = summarize(kept);
    const now = JSON.stringify(lines);
    if (now === logged) return;
    logged = now;
    if (lines.length === 0) return;
    log.warn(
      { kept: lines },
      "old travelers are not erased, as budgets or policies name them: a person with policy:administer takes them out",
    );
  }

  return {
    erase,
    async eraseOld({ guests, travelers }) {
      await eraseGuests(db, guests);
      const kept = await eraseBatch((page) => findOldGuests(db, guests, page));
      if (travelers !== undefined) kept.push(...(await eraseBatch((page) => findUnused(db, travelers, page))));
      logKept(kept);
    },
  };
}

/** By tenant and environment. Users' ids stay out of the log, where nobody could erase them. */
function summarize(kept: readonly Kept[]) {
  const owners = Map.groupBy(kept, ({ tenantId, network }) => `${tenantId} ${network}`);
  return [...owners.values()].flatMap((some) => {
    const [first] = some;
    if (first === undefined) return [];
    const rules = [...new Set(some.flatMap((one) => one.rules))].toSorted();
    const { tenantId, network: environment } = first;
    return [{ tenantId, environment, travelers: some.length, rules: rules.slice(0, RULES_LOGGED) }];
  });
}

async function eraseGuests(db: Queryable, before: Temporal.Instant): Promise<void> {
  await sql`
    update trip set encrypted_guest_email = null, details = details - 'guestName' - 'buyerName' - 'tripSummary'
    where (network, trip_id) in (
      select network, trip_id from trip
      where expires_at < ${before.toString()} and state in ('closed', 'failed', 'funded') and mail <> 'pending'
        and (encrypted_guest_email is not null or details ?| array['guestName', 'buyerName', 'tripSummary'])
      limit ${AT_ONCE})`.execute(db);
}

async function findOldGuests(
  db: Queryable,
  before: Temporal.Instant,
  { limit, offset }: Page,
): Promise<readonly SealedFor[]> {
  const { rows } = await sql<SealedFor>`
    select profile.tenant_id, profile.network, profile.user_id
    from traveler_profile profile join trip on trip.network = profile.network and trip.tenant_id = profile.tenant_id
      and trip.trip_id = '0x' || substr(profile.user_id, length(${GUEST_PREFIX}) + 1)
    where profile.user_id like ${`${GUEST_PREFIX.replace("_", "\\_")}%`} and trip.expires_at < ${before.toString()}
    order by trip.expires_at, profile.tenant_id, profile.network, profile.user_id
    limit ${limit} offset ${offset}`.execute(db);
  return rows;
}

async function findUnused(
  db: Queryable,
  before: Temporal.Instant,
  { limit, offset }: Page,
): Promise<readonly SealedFor[]> {
  const { rows } = await sql<SealedFor>`
    select tenant_id, network, user_id from traveler_profile profile
    where updated_at < ${before.toString()} and not exists (
      select 1 from person where person.tenant_id = profile.tenant_id and person.network = profile.network
        and person.id = profile.user_id and person.removed_at is null)
    and not exists (
      select 1 from booking where booking.tenant_id = profile.tenant_id and booking.network = profile.network
        and booking.created_at >= ${before.toString()}
        and (booking.user_id = profile.user_id
          or booking.travelers @> jsonb_build_array(jsonb_build_object('userId', profile.user_id))))
    order by updated_at, tenant_id, network, user_id limit ${limit} offset ${offset}`.execute(db);
  return rows;
}
