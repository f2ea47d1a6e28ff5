import { createClerkKeys } from "../../adapters/clerk/index.ts";
import type { Config } from "../../config/config.ts";
import type { HttpClient } from "../../platform/http-client/http-client.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import type { OutsideKeys } from "../../ports/outside-keys.ts";

/** Undefined: keys are issued and verified here only. */
export function openOutsideKeys(
  { clerkSecretKey: secretKey, clerkApiUrl: url }: Pick<Config, "clerkSecretKey" | "clerkApiUrl">,
  options: { http: HttpClient; clock: Clock; log: Pick<Log, "warn"> },
): OutsideKeys | undefined {
  return secretKey === undefined || url === undefined ? undefined : createClerkKeys({ url, secretKey, ...options });
}
