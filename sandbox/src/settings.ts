import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { z } from "zod";
import { isKnownCurrency } from "./currencies.ts";

const Secrets = z.object({ token: z.string().min(1), databaseUrl: z.string().min(1) });

const Settings = z.object({
  port: z.coerce.number().int().min(0).max(65_535),
  host: z.string(),
  staysIn: z.enum(["local", "account"], { error: "--stays-in is local or account" }),
  seed: z.string().min(1),
  currency: z.string().refine(isKnownCurrency, { error: "--currency is a code such as EUR" }),
  randomSeed: z.string().min(1).optional(),
  standStillAt: z.iso.datetime({ error: "--stand-still-at is an instant such as 2026-06-01T09:00:00Z" }).optional(),
  token: z.string({ error: "--token or --secrets-file is required" }).min(1),
  databaseUrl: z.string({ error: "--database-url or --secrets-file is required" }).min(1),
});
export type Settings = z.infer<typeof Settings>;

/** Arguments only, never the environment. A secrets file keeps the token and the database password out of the process list. */
export function readSettings(args: readonly string[]): Settings {
  const { values } = parseArgs({
    args: [...args],
    options: {
      port: { type: "string", default: "0" },
      host: { type: "string", default: "127.0.0.1" },
      currency: { type: "string", default: "USD" },
      "stays-in": { type: "string", default: "local" },
      seed: { type: "string", default: "wayfare" },
      // For runs that repeat: identifiers follow from the seed, and time moves by ticks only.
      "random-seed": { type: "string" },
      "stand-still-at": { type: "string" },
      token: { type: "string" },
      "database-url": { type: "string" },
      "secrets-file": { type: "string" },
    },
  });
  const file = values["secrets-file"];
  const secrets = file === undefined ? undefined : Secrets.parse(JSON.parse(readFileSync(file, "utf8")));
  const settings = Settings.safeParse({
    port: values.port,
    host: values.host,
    currency: values.currency,
    staysIn: values["stays-in"],
    seed: values.seed,
    randomSeed: values["random-seed"],
    standStillAt: values["stand-still-at"],
    token: secrets?.token ?? values.token,
    databaseUrl: secrets?.databaseUrl ?? values["database-url"],
  });
  if (!settings.success) throw new Error(z.prettifyError(settings.error).replaceAll("\n", " "));
  return settings.data;
}
