// The supplier's capabilities beyond the strict minimum. Stored in the database like armed faults.
import { z } from "zod";
import type { Database, Queryable } from "../storage/database.ts";

const KEYS = { services_on_hold: "capability_services_on_hold" } as const;

export const CapabilitiesBody = z.strictObject({ services_on_hold: z.boolean() });
export type Capabilities = z.infer<typeof CapabilitiesBody>;

/** Off unless switched on: the supplier's documentation says that held orders have no services. */
export async function servicesMayBeHeld(db: Queryable): Promise<boolean> {
  const { rows } = await db.query<{ value: string }>("SELECT value FROM settings WHERE key = $1", [
    KEYS.services_on_hold,
  ]);
  return rows[0]?.value === "1";
}

export async function readCapabilities(db: Queryable): Promise<Capabilities> {
  return { services_on_hold: await servicesMayBeHeld(db) };
}

export async function setCapabilities(db: Database, wanted: Capabilities): Promise<Capabilities> {
  await db.query(
    "INSERT INTO settings (key, value) VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET value = EXCLUDED.value",
    [KEYS.services_on_hold, wanted.services_on_hold ? 1 : 0],
  );
  return readCapabilities(db);
}
