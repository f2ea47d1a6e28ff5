import type { Kysely } from "kysely";
import { Failure } from "../../domain/errors.ts";
import type { Database } from "../../platform/database/database.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Vault } from "../../ports/vault.ts";
import { appendAudit } from "../identity/store-audit.ts";
import { ensureUser, isUserOf } from "../identity/store-users.ts";
import type { TravelerProfile, Travelers } from "./traveler-profile.ts";

/** Users' profiles and their customer ids at the supplier. */
export function createTravelers(options: { db: Kysely<Database>; vault: Vault; clock: Clock }): Travelers {
  const { db, vault, clock } = options;

  return {
    isUser: (tenantId, userId) => isUserOf(db, tenantId, userId),

    async get(tenantId, userId) {
      const row = await db
        .selectFrom("traveler_profile")
        .select("profile")
        .where("tenant_id", "=", tenantId)
        .where("user_id", "=", userId)
        .executeTakeFirst();
      if (row === undefined) return undefined;
      return mapNumbers(row.profile, (text, field) => vault.decrypt(text, contextOf(field, tenantId, userId)));
    },

    async put(tenantId, userId, profile, actor) {
      const sealed = mapNumbers(profile, (text, field) => vault.encrypt(text, contextOf(field, tenantId, userId)));
      const values = { profile: JSON.stringify(sealed), updated_at: clock.now().toString() };
      return await db.transaction().execute(async (transaction) => {
        if (!(await ensureUser(transaction, tenantId, userId, clock.now()))) throw noSuchUser();
        const inserted = await transaction
          .insertInto("traveler_profile")
          .values({ tenant_id: tenantId, user_id: userId, ...values })
          .onConflict((conflict) => conflict.doNothing())
          .returning("user_id")
          .executeTakeFirst();
        const created = inserted !== undefined;
        if (!created) {
          await transaction
            .updateTable("traveler_profile")
            .set(values)
            .where("tenant_id", "=", tenantId)
            .where("user_id", "=", userId)
            .execute();
        }
        // Which fields, never what is in them.
        const details = { created, fields: Object.keys(profile).toSorted() };
        await appendAudit(transaction, { tenantId, actor, action: "traveler.put", subjectId: userId, details }, clock);
        return created;
      });
    },

    async findCustomerUserId(tenantId, userId, network) {
      const row = await db
        .selectFrom("traveler_customer")
        .select("customer_user_id")
        .where("tenant_id", "=", tenantId)
        .where("user_id", "=", userId)
        .where("network", "=", network)
        .executeTakeFirst();
      return row?.customer_user_id;
    },

    async findUserByCustomerId(tenantId, customerUserId, network) {
      const row = await db
        .selectFrom("traveler_customer")
        .select("user_id")
        .where("tenant_id", "=", tenantId)
        .where("network", "=", network)
        .where("customer_user_id", "=", customerUserId)
        .executeTakeFirst();
      return row?.user_id;
    },

    async listCustomerUserIds(tenantId, network) {
      const rows = await db
        .selectFrom("traveler_customer")
        .select("customer_user_id")
        .where("tenant_id", "=", tenantId)
        .where("network", "=", network)
        .orderBy("created_at", "desc")
        .execute();
      return rows.map(({ customer_user_id }) => customer_user_id);
    },

    async linkCustomer(tenantId, userId, network, customerUserId) {
      await db.transaction().execute(async (transaction) => {
        if (!(await ensureUser(transaction, tenantId, userId, clock.now()))) throw noSuchUser();
        const created_at = clock.now().toString();
        const taken = await transaction
          .selectFrom("traveler_customer")
          .select("user_id")
          .where("tenant_id", "=", tenantId)
          .where("network", "=", network)
          .where("customer_user_id", "=", customerUserId)
          .where("user_id", "!=", userId)
          .executeTakeFirst();
        if (taken !== undefined) {
          throw new Failure("conflict", { detail: "Another user of this tenant has this supplier customer already." });
        }
        await transaction
          .insertInto("traveler_customer")
          .values({ tenant_id: tenantId, user_id: userId, network, customer_user_id: customerUserId, created_at })
          .onConflict((conflict) =>
            conflict.columns(["tenant_id", "user_id", "network"]).doUpdateSet({ customer_user_id: customerUserId }),
          )
          .execute();
      });
    },
  };
}

type NumberField = "passport" | "loyalty_account";

function contextOf(field: NumberField, tenantId: string, userId: string): string {
  return `${field}:${tenantId}:${userId}`;
}

/** The same profile with its document and account numbers passed through `change`. */
function mapNumbers(profile: TravelerProfile, change: (text: string, field: NumberField) => string): TravelerProfile {
  return {
    ...profile,
    passports: profile.passports.map((passport) => ({ ...passport, number: change(passport.number, "passport") })),
    loyaltyProgrammeAccounts: profile.loyaltyProgrammeAccounts.map((account) => ({
      ...account,
      accountNumber: change(account.accountNumber, "loyalty_account"),
    })),
  };
}

function noSuchUser(): Failure {
  return new Failure("not_found", { detail: "This tenant has no such user. A service account needs a key in force." });
}
