import { Resolver } from "node:dns/promises";
import type { SsrfGuardOptions } from "./ssrf-guard.ts";

const TRY_MILLISECONDS = 2_000;
const TRIES = 2;

/**
 * Asks the name servers directly. The system's look-up would occupy one of the process's few threads for as long as a
 * stranger's name server takes to answer; files such as `/etc/hosts` are ignored.
 */
export const resolveByDns: NonNullable<SsrfGuardOptions["resolve"]> = (host, _options, done) => {
  const resolver = new Resolver({ timeout: TRY_MILLISECONDS, tries: TRIES });
  void Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]).then(([four, six]) => {
    const found = [
      ...(four.status === "fulfilled" ? four.value.map((address) => ({ address, family: 4 })) : []),
      ...(six.status === "fulfilled" ? six.value.map((address) => ({ address, family: 6 })) : []),
    ];
    if (found.length > 0) done(null, found);
    else done(new Error("The name leads nowhere."), []);
  });
};
