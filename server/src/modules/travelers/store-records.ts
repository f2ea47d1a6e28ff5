import { type RawBuilder, sql } from "kysely";
import { findKeyId } from "../../domain/user-ids.ts";
import type { BesideStores } from "../../kernel/contracts/beside-stores.ts";
import type { StoreParts } from "../../kernel/contracts/stores.ts";
import type { Queryable } from "../../platform/database/database.ts";
import type { Environment } from "../../ports/identity.ts";
import type { HeldData } from "./personal-data.ts";
import { getProfile, putProfile } from "./store.ts";
import { openProfile, type SealedFor } from "./stored-profile.ts";
import type { TravelerProfile } from "./traveler-profile.ts";

declare module "../../kernel/contracts/stores.ts" {
  interface ModuleStores {
    "travelers.travelerRecords": TravelerRecords;
  }
}

type Options = StoreParts & Pick<BesideStores, "personRecords"> & { db: Queryable };

export function createTravelerRecords(options: Options) {
  const { db, vault } = options;
  return {
    get: (tenantId: string, userId: string, environment: Environment): Promise<TravelerProfile | undefined> =>
      getProfile(options, { tenantId, userId, environment }),

    /** Runs in a transaction. Replaces the profile and creates a new user; refuses service accounts. */
    async put(
      tenantId: string,
      userId: string,
      environment: Environment,
      profile: TravelerProfile,
      actor: string,
    ): Promise<void> {
      // Only service accounts depend on the deployment's mode.
      await putProfile({ ...options, networkMode: environment }, { tenantId, userId, environment }, profile, actor);
    },

    /** Users with a profile, ordered by id, with their customer ids, after `after`. */
    async list(
      tenantId: string,
      environment: Environment,
      { after, limit }: { after: string | undefined; limit: number },
    ): Promise<readonly { userId: string; customerUserId: string | undefined; profile: TravelerProfile }[]> {
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

    /**
     * Protects users from erasure until the end of the transaction. Returns those already erased; a service account never is.
     * With `isAlone`, other transactions that ask for it with one of these users wait.
     */
    async keep(
      tenantId: string,
      environment: Environment,
      userIds: readonly string[],
      { isAlone = false }: { isAlone?: boolean } = {},
    ): Promise<readonly string[]> {
      const named = withoutServiceAccounts(userIds);
      if (named.length === 0) return [];
      const { rows } = await keepUsers({ tenantId, environment }, named, { isAlone }).execute(db);
      const ids = new Set(rows.map(({ id }) => id));
      return named.filter((id) => !ids.has(id));
    },

    /** Everything held about a user. Undefined: there is no such user. */
    async held(tenantId: string, userId: string, environment: Environment): Promise<HeldData | undefined> {
      const user = { tenantId, userId, environment };
      return (await isHeld(db, user)) ? await readHeld(options, user) : undefined;
    },
  };
}

const withoutServiceAccounts = (userIds: readonly string[]): string[] =>
  [...new Set(userIds)].filter((id) => findKeyId(id) === undefined);

/** Returns the statement that selects these users and protects them from erasure. It may be part of a larger statement. */
export function keepUsers(
  { tenantId, environment }: { tenantId: string; environment: Environment },
  userIds: readonly string[],
  { isAlone = false }: { isAlone?: boolean } = {},
): RawBuilder<{ id: string }> {
  return sql<{ id: string }>`
    select id from app_user where tenant_id = ${tenantId} and network = ${environment}
      and id = any (${withoutServiceAccounts(userIds)}::text[])
    order by id for ${isAlone ? sql`no key update` : sql`key share`}`;
}

/** Reads of many records at once, and profile changes together with other records. */
type TravelerRecords = ReturnType<typeof createTravelerRecords>;

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
