import { sql } from "kysely";
import { newId } from "../../domain/ids.ts";
import type { Queryable } from "../../platform/database/database.ts";
import { pruneRows } from "../../platform/database/prune.ts";
import type { Clock } from "../../ports/clock.ts";
import { appendAudit } from "../identity/index.ts";
import type { LinkRecord, MemberId, NewLink, SessionRecord, SignIns, StartedSession } from "./sign-ins.ts";

const MOST_TRIES = 5;
const MOST_CODES_AN_HOUR = 5;
const SEEN_EVERY = { minutes: 1 };
/** Ended rows are kept this long, for the list of sessions and for whoever looks into an attack. */
const KEPT = { hours: 24 };

const sessionColumns = [
  "id",
  "tenantId",
  "environment",
  "personId",
  "provesAddress",
  "createdAt",
  "provedAt",
  "seenAt",
  "expiresAt",
  "browser",
  "address",
] as const;

export function createSignIns(db: Queryable, clock: Clock): SignIns {
  return { ...createCodes(db, clock), ...createLinks(db, clock), ...createSessions(db, clock) };
}

type Codes = Pick<SignIns, "insertCode" | "tryCode" | "useCode">;
type Links = Pick<SignIns, "insertLink" | "endLinks" | "findLink" | "useLink">;

function createCodes(db: Queryable, clock: Clock): Codes {
  const now = () => clock.now().toString();
  return {
    async insertCode({ visitHash, email, codeHash, expiresAt }) {
      const at = clock.now();
      const { asked } = await db
        .selectFrom("signInCode")
        .select(({ fn }) => fn.countAll<bigint>().as("asked"))
        .where("email", "=", email)
        .where("createdAt", ">", instant(at.subtract({ hours: 1 }).toString()))
        .executeTakeFirstOrThrow();
      if (Number(asked) >= MOST_CODES_AN_HOUR) return false;
      await db
        .insertInto("signInCode")
        .values({
          id: newId("sic_", at.epochMilliseconds),
          visitHash,
          email,
          codeHash,
          createdAt: at.toString(),
          expiresAt: expiresAt.toString(),
        })
        .execute();
      return true;
    },

    async tryCode(visitHash) {
      const latest = db
        .selectFrom("signInCode")
        .select("id")
        .where("visitHash", "=", visitHash)
        .orderBy("createdAt", "desc")
        .orderBy("id", "desc")
        .limit(1);
      return await db
        .updateTable("signInCode")
        .set(({ eb }) => ({ tries: eb("tries", "+", 1) }))
        .where("id", "=", latest)
        .where("usedAt", "is", null)
        .where("tries", "<", MOST_TRIES)
        .where("expiresAt", ">", instant(now()))
        .returning(["id", "email", "codeHash"])
        .executeTakeFirst();
    },

    async useCode(id) {
      const { numUpdatedRows } = await db
        .updateTable("signInCode")
        .set({ usedAt: now() })
        .where("id", "=", id)
        .where("usedAt", "is", null)
        .executeTakeFirstOrThrow();
      return numUpdatedRows > 0n;
    },
  };
}

function createLinks(db: Queryable, clock: Clock): Links {
  const now = () => clock.now().toString();
  return {
    async insertLink({ expiresAt, ...link }: NewLink) {
      const at = clock.now();
      const id = newId("sil_", at.epochMilliseconds);
      await db
        .insertInto("signInLink")
        .values({ id, ...link, createdAt: at.toString(), expiresAt: expiresAt.toString() })
        .execute();
    },

    async endLinks({ tenantId, environment, personId }, kind) {
      await db
        .updateTable("signInLink")
        .set({ usedAt: now() })
        .where("tenantId", "=", tenantId)
        .where("environment", "=", environment)
        .where("personId", "=", personId)
        .where("kind", "=", kind)
        .where("usedAt", "is", null)
        .execute();
    },

    async findLink(tokenHash): Promise<LinkRecord | undefined> {
      return await db
        .selectFrom("signInLink")
        .select(["id", "tenantId", "environment", "personId", "kind", "provesAddress"])
        .where("tokenHash", "=", tokenHash)
        .where("usedAt", "is", null)
        .where("expiresAt", ">", instant(now()))
        .executeTakeFirst();
    },

    async useLink(id) {
      const { numUpdatedRows } = await db
        .updateTable("signInLink")
        .set({ usedAt: now() })
        .where("id", "=", id)
        .where("usedAt", "is", null)
        .where("expiresAt", ">", instant(now()))
        .executeTakeFirstOrThrow();
      return numUpdatedRows > 0n;
    },
  };
}

function createSessions(db: Queryable, clock: Clock): Omit<SignIns, keyof Codes | keyof Links> {
  const now = () => clock.now().toString();

  const live = () =>
    db.selectFrom("signInSession").where("endedAt", "is", null).where("expiresAt", ">", instant(now()));

  return {
    async insertSession({ expiresAt, ...session }: StartedSession) {
      const at = clock.now();
      const id = newId("sgn_", at.epochMilliseconds);
      const times = { createdAt: at.toString(), provedAt: at.toString(), seenAt: at.toString() };
      await within(db, async (transaction) => {
        await transaction
          .insertInto("signInSession")
          .values({ id, ...session, ...times, expiresAt: expiresAt.toString() })
          .execute();
        const { tenantId, environment, personId, address, browser } = session;
        const origin = { address, program: browser };
        const entry = { tenantId, environment, actor: personId, action: "session.begin", subjectId: id, origin };
        await appendAudit(transaction, entry, clock);
      });
    },

    async findSession(tokenHash): Promise<SessionRecord | undefined> {
      return await live().select(sessionColumns).where("tokenHash", "=", tokenHash).executeTakeFirst();
    },

    async sawSession({ id, seenAt }) {
      const at = clock.now();
      if (Temporal.Instant.compare(seenAt, at.subtract(SEEN_EVERY)) > 0) return;
      await db.updateTable("signInSession").set({ seenAt: at.toString() }).where("id", "=", id).execute();
    },

    async listSessions({ tenantId, environment, personId }: MemberId) {
      return await live()
        .select(sessionColumns)
        .where("tenantId", "=", tenantId)
        .where("environment", "=", environment)
        .where("personId", "=", personId)
        .orderBy("createdAt", "desc")
        .limit(100)
        .execute();
    },

    async endSession(id, { tenantId, environment, personId }: MemberId) {
      return await within(db, async (transaction) => {
        const { numUpdatedRows } = await transaction
          .updateTable("signInSession")
          .set({ endedAt: now() })
          .where("id", "=", id)
          .where("tenantId", "=", tenantId)
          .where("environment", "=", environment)
          .where("personId", "=", personId)
          .where("endedAt", "is", null)
          .executeTakeFirstOrThrow();
        if (numUpdatedRows === 0n) return false;
        const entry = { tenantId, environment, actor: personId, action: "session.end", subjectId: id };
        await appendAudit(transaction, entry, clock);
        return true;
      });
    },

    async prune() {
      const before = clock.now().subtract(KEPT).toString();
      for (const table of ["sign_in_session", "sign_in_link", "sign_in_code", "passkey_challenge"]) {
        await pruneRows(db, table, sql`expires_at < ${before}::timestamptz`);
      }
    },
  };
}

const within = <Result>(db: Queryable, work: (transaction: Queryable) => Promise<Result>): Promise<Result> =>
  db.isTransaction ? work(db) : db.transaction().execute(work);

const instant = (text: string) => sql<Temporal.Instant>`${text}::timestamptz`;
