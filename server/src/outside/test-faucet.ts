import { createCircleFaucet } from "../adapters/circle-faucet/index.ts";
import { type Config, ConfigError } from "../config/config.ts";
import type { HttpClient } from "../platform/http-client/http-client.ts";
import type { TestFaucetByEnvironment } from "../ports/test-faucet.ts";

/** For production keys only: the development chains have their own faucet. */
export function openTestFaucet(
  { faucetUrl: url, faucetApiKey: apiKey }: Pick<Config, "faucetUrl" | "faucetApiKey">,
  http: HttpClient,
): TestFaucetByEnvironment {
  if ((url === undefined) !== (apiKey === undefined)) {
    throw new ConfigError("Not started: the faucet of the test networks needs both FAUCET_API_URL and FAUCET_API_KEY.");
  }
  const production = url === undefined || apiKey === undefined ? undefined : createCircleFaucet({ url, apiKey, http });
  return { of: (environment) => (environment === "production" ? production : undefined) };
}
