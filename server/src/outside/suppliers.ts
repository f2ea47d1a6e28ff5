import { createDuffel } from "../adapters/duffel/index.ts";
import type { Config } from "../config/config.ts";
import type { Embedded } from "../embedded/start-embedded.ts";
import type { ByEnvironment } from "../kernel/contracts/parts.ts";
import type { HttpClient } from "../platform/http-client/http-client.ts";
import { markedClient } from "../platform/http-client/marked-client.ts";
import type { Clock } from "../ports/clock.ts";
import type { Environment } from "../ports/identity.ts";
import type { Log } from "../ports/log.ts";
import type { Supplier } from "../ports/supplier/supplier.ts";
import type { Threads } from "../ports/threads.ts";

/** The suppliers of this deployment; both use the same protocol. */
export function openSuppliers(
  config: Config,
  embedded: Pick<Embedded, "supplier">,
  outside: { clock: Clock; http: HttpClient; log: Log; threads: Threads; publicPhotosUrl: string },
): ByEnvironment<Supplier> {
  const { supplier } = embedded;
  const { publicPhotosUrl, ...shared } = outside;
  const suppliers: { -readonly [Name in Environment]?: Supplier } = {};
  if (supplier !== undefined) {
    suppliers.sandbox = createDuffel({
      baseUrl: supplier.url,
      token: supplier.token,
      sandbox: true,
      sourceLevel: "embedded",
      ...shared,
      http: markedClient(shared.http),
      timeouts: {
        searchMilliseconds: config.supplierSearchTimeoutMilliseconds,
        commitMilliseconds: config.sandboxCommitTimeoutMilliseconds,
      },
      quietMilliseconds: config.sandboxQuietMilliseconds,
      publicPhotosUrl,
    });
  }
  if (config.supplierUrl !== undefined && config.supplierToken !== undefined) {
    suppliers.production = createDuffel({
      baseUrl: config.supplierUrl,
      token: config.supplierToken,
      sandbox: false,
      sourceLevel: "live",
      ...shared,
      timeouts: {
        searchMilliseconds: config.supplierSearchTimeoutMilliseconds,
        commitMilliseconds: config.supplierCommitTimeoutMilliseconds,
      },
      quietMilliseconds: config.supplierQuietMilliseconds,
    });
  }
  return suppliers;
}
