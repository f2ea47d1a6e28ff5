import { sql } from "kysely";
import { keyIdOf } from "../../domain/user-ids.ts";
import type { BesideStores } from "../../kernel/beside-stores.ts";
import type { StoreParts } from "../../kernel/stores.ts";
import type { Queryable } from "../../platform/database/database.ts";
import type { HeldData } from "./personal-data.ts";
import { getProfile, putProfile } from "./store.ts";
import { openProfile, type SealedFor } from "./stored-profile.ts";
import type { TravelerRecords } from "./traveler-records.ts";

type Options = StoreParts & Pick<BesideStores, "personRecords"> & { db: Queryable };

export function createTravelerRecords(options: Options): TravelerRecords {
  const { db, vault } = options;
  return {
    get: (tenantId, userId, environment) => getProfile(options, { tenantId, userId, environment }),

    async put(tenantId, userId, environment, profile, actor) {
      // Only service accounts depend on the mode of the deployment.
      await putProfile({ ...options, networkMode: environment }, { tenantId, userId, environment }, profile, actor);
    },

    async list(tenantId, environment, { after, limit }) {
      const rows = await db
        .selectFrom("travelerProfile as traveler")
        .leftJoin("travelerCustomer as customer", (join) =>
          join
            .onRef("customer.tenantId", "=", "traveler.tenantId")
            .onRef("customer.userId", "=", "traveler.userId")
            .onRef("customer.environment", "=", "traveler.environment"),
        )
        .select(["traveler.userId", "traveler.profile", "customer.customerUserId"])
        .where("traveler.tenantId", "=", tenantId)
        .where("traveler.environment", "=", environment)
        .where("traveler.userId", ">", after ?? "")
        .orderBy("traveler.userId")
        .limit(limit)
        .execute();
      return rows.map(({ userId, customerUserId, profile }) => ({
        userId,
        customerUserId: customerUserId ?? undefined,
        profile: openProfile(vault, profile, { tenantId, userId, environment }),
      }));
    },

    async keep(tenantId, environment, userIds) {
      const named = [...new Set(userIds)].filter((id) => keyIdOf(id) === undefined).toSorted();
      if (named.length === 0) return [];
      const found = await db
        .selectFrom("appUser")
        .select("id")
        .where("tenantId", "=", tenantId)
        .where("environment", "=", environment)
        .where("id", "in", named)
        .orderBy("id")
        .forKeyShare()
        .execute();
      const ids = new Set(found.map(({ id }) => id));
      return named.filter((id) => !ids.has(id));
    },

    async held(tenantId, userId, environment) {
      const user = { tenantId, userId, environment };
      return (await isHeld(db, user)) ? await readHeld(options, user) : undefined;
    },
  };
}

async function isHeld(db: Queryable, { tenantId, userId, environment }: SealedFor): Promise<boolean> {
  const user = await db
    .selectFrom("appUser")
    .select("id")
    .where("tenantId", "=", tenantId)
    .where("environment", "=", environment)
    .where("id", "=", userId)
    .executeTakeFirst();
  return user !== undefined;
}

async function readHeld({ db, vault, personRecords }: Options, user: SealedFor): Promise<HeldData> {
  const { tenantId, userId, environment } = user;
  const own = sql`tenant_id = ${tenantId} and network = ${environment} and user_id = ${userId}`;
  const customers = await sql<{ customerUserId: string }>`
    select customer_user_id from traveler_customer where ${own}`.execute(db);
  const profiles = await sql<{ profile: unknown }>`select profile from traveler_profile where ${own}`.execute(db);
  const [profile] = profiles.rows.map(({ profile: stored }) => openProfile(vault, stored, user));
  const records = [];
  for (const one of personRecords()) records.push((await one.held?.(user)) ?? {});
  return {
    profile,
    customerUserIds: customers.rows.map(({ customerUserId }) => customerUserId),
    records: Object.assign({}, ...records),
  };
}
