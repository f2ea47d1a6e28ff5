import type { RandomBytes } from "../../domain/ids.ts";
import type { PersonPage } from "../../kernel/contracts/person-records.ts";
import type { Log } from "../../ports/log.ts";
import type { Stores } from "./context.ts";
import type { PersonalData } from "./personal-data.ts";
import type { SealedFor } from "./stored-profile.ts";

interface Options {
  stores: Stores;
  random: RandomBytes;
  log: Log;
}

const AT_ONCE = 100;
const RULES_LOGGED = 20;

type FindOld = (page: PersonPage) => Promise<readonly SealedFor[]>;
type Kept = Pick<SealedFor, "tenantId" | "environment"> & { rules: readonly string[] };

export function createPersonalData({ stores, random, log }: Options): PersonalData {
  /** The last logged state: it is logged only when it changes, not on every run. */
  let logged = "[]";
  const erase: PersonalData["erase"] = (user, options) =>
    stores.transaction(({ erasures }) => erasures.erase({ user, random, ...options }));

  /** Erases a batch of persons that nothing keeps. Returns those named by rules of the tenant. */
  async function eraseBatch(find: FindOld): Promise<Kept[]> {
    const kept: Kept[] = [];
    let erased = 0;
    // Kept persons are found every time and must not take the place of others.
    let passed = 0;
    while (erased < AT_ONCE) {
      const found = await find({ limit: AT_ONCE - erased, offset: passed });
      if (found.length === 0) break;
      for (const user of found) {
        const ended = await erase(user, { actor: "retention", confirmFutureBookings: false });
        if (ended.outcome === "erased") erased += 1;
        else passed += 1;
        if (ended.outcome === "ruled") kept.push({ ...user, rules: ended.rules });
      }
    }
    return kept;
  }

  function logKept(kept: readonly Kept[]): void {
    const lines = summarize(kept);
    const now = JSON.stringify(lines);
    if (now === logged) return;
    logged = now;
    if (lines.length === 0) return;
    log.warn(
      { kept: lines },
      "old travelers are not erased, as budgets or policies name them: a person with policy:administer takes them out",
    );
  }

  return {
    erase,
    async eraseOld(before) {
      await stores.erasures.forgetOldNames(before, AT_ONCE);
      const kept: Kept[] = [];
      for (const find of stores.erasures.listOld(before)) kept.push(...(await eraseBatch(find)));
      logKept(kept);
    },
  };
}

/** Counts by tenant and environment. User ids stay out of the log, where they could not be erased. */
function summarize(kept: readonly Kept[]) {
  const owners = Map.groupBy(kept, ({ tenantId, environment }) => `${tenantId} ${environment}`);
  return [...owners.values()].flatMap((some) => {
    const [first] = some;
    if (first === undefined) return [];
    const rules = [...new Set(some.flatMap((one) => one.rules))].toSorted();
    const { tenantId, environment } = first;
    return [{ tenantId, environment, travelers: some.length, rules: rules.slice(0, RULES_LOGGED) }];
  });
}
