// Faults that are armed for the next calls. Kept in the database, so that a restart between arming and calling loses none.
import { z } from "zod";
import { newId } from "../ids.ts";
import { BUSINESS_FAULTS, type Fault, type FaultKind, TRANSPORT_FAULTS } from "../sandbox.ts";
import type { Database } from "../storage/database.ts";

export const ScenarioBody = z.strictObject({
  match: z.strictObject({
    path: z.string().startsWith("/"),
    method: z.string().toUpperCase().optional(),
    /** Only requests with this `x-sandbox-tenant`. */
    tenant: z.string().min(1).max(100).optional(),
  }),
  fault: z.enum([...TRANSPORT_FAULTS, ...BUSINESS_FAULTS]),
  times: z.number().int().min(1).max(10_000).default(1),
  delayMs: z.number().int().min(0).max(3_600_000).default(0),
});
export type ScenarioBody = z.infer<typeof ScenarioBody>;

type ScenarioRow = {
  id: string;
  seq: string;
  method: string | null;
  path: string;
  tenant: string | null;
  fault: FaultKind;
  remaining: number;
  delay_ms: number;
};

type Scenario = {
  id: string;
  match: { path: string; method?: string; tenant?: string };
  fault: FaultKind;
  remaining: number;
  delayMs: number;
};

export type Scenarios = {
  load(): Promise<void>;
  arm(body: ScenarioBody, nowMs: number): Promise<Scenario>;
  list(): Promise<Scenario[]>;
  /** With a tenant, only those that are armed for it. */
  clear(tenant?: string): Promise<number>;
  /** The fault that the next call of this method and path meets, if one is armed; it is used up once. */
  take(method: string, path: string, tenant: string | undefined): Promise<Fault | undefined>;
};

/** A pattern matches its own path and those below it; `{name}` stands for one segment, and then only the whole path matches. */
function matchesPath(pattern: string, path: string): boolean {
  const wanted = pattern.split("/").filter((segment) => segment !== "");
  const given = path.split("/").filter((segment) => segment !== "");
  const hasPlaceholder = wanted.some((segment) => segment.startsWith("{"));
  if (hasPlaceholder ? wanted.length !== given.length : wanted.length > given.length) return false;
  return wanted.every((segment, index) => segment.startsWith("{") || segment === given[index]);
}

function toScenario(row: ScenarioRow): Scenario {
  return {
    id: row.id,
    match: {
      path: row.path,
      ...(row.method === null ? {} : { method: row.method }),
      ...(row.tenant === null ? {} : { tenant: row.tenant }),
    },
    fault: row.fault,
    remaining: row.remaining,
    delayMs: row.delay_ms,
  };
}

export function createScenarios(db: Database): Scenarios {
  // Calls ask the database only while something is armed. This process is the only one that arms.
  let armed: ScenarioRow[] = [];

  async function load(): Promise<void> {
    armed = (await db.query<ScenarioRow>("SELECT * FROM scenarios WHERE remaining > 0 ORDER BY seq")).rows;
  }

  return {
    load,
    async arm(body, nowMs) {
      const { rows } = await db.query<ScenarioRow>(
        `INSERT INTO scenarios (id, method, path, tenant, fault, remaining, delay_ms, created_ms)
         VALUES ($1,$2,$3,$4,$5,$6,$7,$8) RETURNING *`,
        [
          newId("scn"),
          body.match.method ?? null,
          body.match.path,
          body.match.tenant ?? null,
          body.fault,
          body.times,
          body.delayMs,
          nowMs,
        ],
      );
      await load();
      const [row] = rows;
      if (row === undefined) throw new Error("the new scenario was not returned");
      return toScenario(row);
    },
    async list() {
      await load();
      return armed.map(toScenario);
    },
    async clear(tenant) {
      const { rowCount } = await db.query("DELETE FROM scenarios WHERE $1::text IS NULL OR tenant = $1", [
        tenant ?? null,
      ]);
      await load();
      return rowCount ?? 0;
    },
    async take(method, path, tenant) {
      const matching = armed.filter(
        (row) =>
          (row.method === null || row.method === method) &&
          (row.tenant === null || row.tenant === tenant) &&
          matchesPath(row.path, path),
      );
      for (const candidate of matching) {
        const { rows } = await db.query<ScenarioRow>(
          "UPDATE scenarios SET remaining = remaining - 1 WHERE id = $1 AND remaining > 0 RETURNING *",
          [candidate.id],
        );
        const [row] = rows;
        if (row === undefined || row.remaining === 0) armed = armed.filter((other) => other.id !== candidate.id);
        if (row !== undefined) return { kind: row.fault, delayMs: row.delay_ms };
      }
      return undefined;
    },
  };
}
