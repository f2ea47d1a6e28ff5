import type { Clock } from "../../ports/clock.ts";
import type { TenantMemory } from "../identity/index.ts";
import { DEFAULT_POLICY_ID, DEFAULT_POLICY_VERSION, defaultCorp } from "./default-corp.ts";
import type { PolicyDocument } from "./document.ts";
import { compilePolicy, countRules } from "./evaluate.ts";
import type { ActivePolicies, ActivePolicy, Owner, PolicyNames } from "./policies.ts";
import type { Rules } from "./rule-tree.ts";
import type { TravelPolicies } from "./store.ts";

/** The number of rules cached in memory, over all tenants. */
const MOST_KEPT_RULES = 200_000;

const builtIn: ActivePolicy = {
  policyId: DEFAULT_POLICY_ID,
  version: DEFAULT_POLICY_VERSION,
  document: defaultCorp,
  rules: compilePolicy(defaultCorp),
};

interface Ready {
  document: PolicyDocument;
  rules: Rules;
  size: number;
}

/** Reads the active version each time; compiled versions are cached, since a version never changes. */
export class ReadyPolicies implements ActivePolicies {
  readonly #policies: TravelPolicies;
  readonly #clock: Clock;
  readonly #names: (owner: Owner) => Promise<PolicyNames>;
  /** Least recently used first. */
  readonly #ready = new Map<string, Ready>();
  #size = 0;

  constructor(policies: TravelPolicies, clock: Clock, memory: TenantMemory) {
    this.#policies = policies;
    this.#clock = clock;
    this.#names = memory.remember(async (owner) => {
      const { policyIds, enforcedId } = await policies.names(owner);
      return { policyIds: [DEFAULT_POLICY_ID, ...policyIds], enforcedId };
    });
  }

  async find(owner: Owner, policyId: string): Promise<ActivePolicy | undefined> {
    if (policyId === DEFAULT_POLICY_ID) return builtIn;
    const active = await this.#policies.findActive(owner, policyId, this.#clock.now());
    if (active === undefined) return undefined;
    const { version } = active;
    const ready = this.#take(versionKey(owner, policyId, version)) ?? (await this.#load(owner, policyId, version));
    return ready === undefined ? undefined : { policyId, version, document: ready.document, rules: ready.rules };
  }

  names(owner: Owner): Promise<PolicyNames> {
    return this.#names(owner);
  }

  #take(key: string): Ready | undefined {
    const ready = this.#ready.get(key);
    if (ready === undefined) return undefined;
    this.#ready.delete(key);
    this.#ready.set(key, ready);
    return ready;
  }

  async #load(owner: Owner, policyId: string, version: number): Promise<Ready | undefined> {
    const document = await this.#policies.document(owner, policyId, version);
    if (document === undefined) return undefined;
    const rules = compilePolicy(document);
    const size = 1 + countRules(rules);
    const ready = { document, rules, size };
    const key = versionKey(owner, policyId, version);
    if (!this.#ready.has(key)) this.#size += size;
    this.#ready.set(key, ready);
    this.#forgetOldest();
    return ready;
  }

  #forgetOldest(): void {
    for (const [key, { size }] of this.#ready) {
      if (this.#size <= MOST_KEPT_RULES) return;
      this.#ready.delete(key);
      this.#size -= size;
    }
  }
}

function versionKey({ tenantId, environment }: Owner, policyId: string, version: number): string {
  return `${environment} ${tenantId} ${policyId} ${version}`;
}
