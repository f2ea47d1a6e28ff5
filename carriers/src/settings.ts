import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { z } from "zod";

const Settings = z.object({
  port: z.coerce.number().int().min(0).max(65_535),
  /** Proves that a request of the control routes comes from the product. */
  controlToken: z.string().min(32),
});
export type Settings = z.infer<typeof Settings>;

/** Arguments only, never the environment. The secrets file keeps the token out of the process list. */
export function readSettings(args: readonly string[]): Settings {
  const { values } = parseArgs({
    args: [...args],
    options: {
      port: { type: "string", default: "0" },
      // The product gives every part a folder. This one keeps nothing there.
      folder: { type: "string", default: "" },
      "secrets-file": { type: "string", default: "" },
    },
  });
  const secrets = z
    .object({ controlToken: z.string() })
    .parse(JSON.parse(readFileSync(values["secrets-file"], "utf8")));
  const settings = Settings.safeParse({ ...values, ...secrets });
  if (!settings.success) throw new Error(z.prettifyError(settings.error).replaceAll("\n", " "));
  return settings.data;
}
