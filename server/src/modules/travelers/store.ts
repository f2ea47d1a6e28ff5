import { sql } from "kysely";
import { Failure } from "../../domain/errors.ts";
import type { OpenDatabase, Queryable } from "../../platform/database/database.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Environment } from "../../ports/identity.ts";
import type { Vault } from "../../ports/vault.ts";
import { appendAudit, ensureUser, isTenantUser } from "../identity/index.ts";
import { openProfile, type SealedFor, sealProfile } from "./stored-profile.ts";
import type { TravelerProfile, Travelers } from "./traveler-profile.ts";

interface TravelersOptions {
  db: OpenDatabase["db"];
  vault: Vault;
  clock: Clock;
  /** The deployment's mode. */
  networkMode: Environment;
}

/** Users' profiles and their customer ids at the supplier. */
export function createTravelers(options: TravelersOptions): Travelers {
  return {
    findByLoyaltyAccounts: (tenantId, environment, accounts) =>
      findByLoyaltyAccounts(options, { tenantId, environment }, accounts),
    listByName: (tenantId, environment, names) => listByName(options.db, { tenantId, environment }, names),
    isUser: (tenantId, userId, environment) =>
      isTenantUser(options.db, { tenantId, environment, networkMode: options.networkMode }, userId),
    ...createProfiles(options),
    ...createCustomers(options),
  };
}

function createProfiles(options: TravelersOptions): Pick<Travelers, "get" | "put"> {
  const { db } = options;
  return {
    get: (tenantId, userId, environment) => getProfile(options, { tenantId, userId, environment }),

    put: (tenantId, userId, environment, profile, actor) =>
      db
        .transaction()
        .execute((transaction) =>
          putProfile({ ...options, db: transaction }, { tenantId, userId, environment }, profile, actor),
        ),
  };
}

export async function getProfile(
  { db, vault }: { db: Queryable; vault: Vault },
  owner: SealedFor,
): Promise<TravelerProfile | undefined> {
  const row = await db
    .selectFrom("travelerProfile")
    .select("profile")
    .where("tenantId", "=", owner.tenantId)
    .where("environment", "=", owner.environment)
    .where("userId", "=", owner.userId)
    .executeTakeFirst();
  return row === undefined ? undefined : openProfile(vault, row.profile, owner);
}

/** Runs in a transaction. True: the profile is new. */
export async function putProfile(
  { db, vault, clock, networkMode }: Omit<TravelersOptions, "db"> & { db: Queryable },
  owner: SealedFor,
  profile: TravelerProfile,
  actor: string,
): Promise<boolean> {
  const { tenantId, userId, environment } = owner;
  const values = { profile: JSON.stringify(sealProfile(vault, profile, owner)), updatedAt: clock.now().toString() };
  if (!(await ensureUser(db, { tenantId, environment, networkMode }, userId, clock.now()))) throw noSuchUser();
  const inserted = await db
    .insertInto("travelerProfile")
    .values({ ...owner, ...values })
    .onConflict((conflict) => conflict.doNothing())
    .returning("userId")
    .executeTakeFirst();
  const created = inserted !== undefined;
  if (!created) {
    await db
      .updateTable("travelerProfile")
      .set(values)
      .where("tenantId", "=", tenantId)
      .where("environment", "=", environment)
      .where("userId", "=", userId)
      .execute();
  }
  // The names of the fields, never their values.
  const details = { network: environment, created, fields: Object.keys(profile).toSorted() };
  await appendAudit(db, { tenantId, environment, actor, action: "traveler.put", subjectId: userId, details }, clock);
  return created;
}

/** Account numbers are encrypted: those of the tenant's users with this airline are decrypted and compared. */
const MOST_COMPARED = 1_000;

const MOST_NAMESAKES = 10;

async function listByName(
  db: TravelersOptions["db"],
  { tenantId, environment }: Omit<SealedFor, "userId">,
  { givenName, familyName }: { givenName: string; familyName: string },
): Promise<{ userId: string; email: string | undefined }[]> {
  const rows = await db
    .selectFrom("travelerProfile")
    .select(["userId", sql<string | null>`profile ->> 'email'`.as("email")])
    .where("tenantId", "=", tenantId)
    .where("environment", "=", environment)
    .where(sql<boolean>`lower(profile ->> 'givenName') = lower(${givenName})`)
    .where(sql<boolean>`lower(profile ->> 'familyName') = lower(${familyName})`)
    .orderBy("userId")
    .limit(MOST_NAMESAKES)
    .execute();
  return rows.map(({ userId, email }) => ({ userId, email: email ?? undefined }));
}

async function findByLoyaltyAccounts(
  { db, vault }: TravelersOptions,
  { tenantId, environment }: Omit<SealedFor, "userId">,
  accounts: TravelerProfile["loyaltyProgrammeAccounts"],
): Promise<TravelerProfile | undefined> {
  for (const { airlineIataCode, accountNumber } of accounts) {
    const airline = JSON.stringify([{ airlineIataCode: airlineIataCode.toUpperCase() }]);
    const rows = await db
      .selectFrom("travelerProfile")
      .select(["userId", "profile"])
      .where("tenantId", "=", tenantId)
      .where("environment", "=", environment)
      .where(sql<boolean>`profile -> 'loyaltyProgrammeAccounts' @> ${airline}::jsonb`)
      .orderBy("userId")
      .limit(MOST_COMPARED)
      .execute();
    for (const { userId, profile: sealed } of rows) {
      const profile = openProfile(vault, sealed, { tenantId, userId, environment });
      const hasIt = profile.loyaltyProgrammeAccounts.some(
        (own) => own.airlineIataCode === airlineIataCode.toUpperCase() && own.accountNumber === accountNumber,
      );
      if (hasIt) return profile;
    }
  }
  return undefined;
}

function createCustomers({
  db,
  clock,
  networkMode,
}: TravelersOptions): Pick<
  Travelers,
  "findCustomerUserId" | "findUserByCustomerId" | "listCustomerUserIds" | "linkCustomer"
> {
  return {
    async findCustomerUserId(tenantId, userId, environment) {
      const row = await db
        .selectFrom("travelerCustomer")
        .select("customerUserId")
        .where("tenantId", "=", tenantId)
        .where("userId", "=", userId)
        .where("environment", "=", environment)
        .executeTakeFirst();
      return row?.customerUserId;
    },

    async findUserByCustomerId(tenantId, customerUserId, environment) {
      const row = await db
        .selectFrom("travelerCustomer")
        .select("userId")
        .where("tenantId", "=", tenantId)
        .where("environment", "=", environment)
        .where("customerUserId", "=", customerUserId)
        .executeTakeFirst();
      return row?.userId;
    },

    async listCustomerUserIds(tenantId, environment) {
      const rows = await db
        .selectFrom("travelerCustomer")
        .select("customerUserId")
        .where("tenantId", "=", tenantId)
        .where("environment", "=", environment)
        .orderBy("createdAt", "desc")
        .execute();
      return rows.map(({ customerUserId }) => customerUserId);
    },

    async linkCustomer(tenantId, userId, environment, customerUserId) {
      await db.transaction().execute(async (transaction) => {
        if (!(await ensureUser(transaction, { tenantId, environment, networkMode }, userId, clock.now())))
          throw noSuchUser();
        const createdAt = clock.now().toString();
        const taken = await transaction
          .selectFrom("travelerCustomer")
          .select("userId")
          .where("tenantId", "=", tenantId)
          .where("environment", "=", environment)
          .where("customerUserId", "=", customerUserId)
          .where("userId", "!=", userId)
          .executeTakeFirst();
        if (taken !== undefined) {
          throw new Failure("conflict", { detail: "Another user of this tenant has this supplier customer already." });
        }
        await transaction
          .insertInto("travelerCustomer")
          .values({ tenantId, userId, environment, customerUserId, createdAt })
          .onConflict((conflict) =>
            conflict.columns(["tenantId", "userId", "environment"]).doUpdateSet({ customerUserId }),
          )
          .execute();
      });
    },
  };
}

export async function countProfiles(db: OpenDatabase["db"], environment: Environment): Promise<number> {
  const { count } = await db
    .selectFrom("travelerProfile")
    .select((row) => row.fn.countAll<bigint>().as("count"))
    .where("environment", "=", environment)
    .executeTakeFirstOrThrow();
  return Number(count);
}

function noSuchUser(): Failure {
  return new Failure("not_found", { detail: "This tenant has no such user. A service account needs a key in force." });
}
