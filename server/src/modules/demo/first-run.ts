import { join } from "node:path";
import { z } from "zod";
import { newId, type RandomBytes } from "../../domain/ids.ts";
import { EVERYTHING, personalScopes } from "../../domain/scopes.ts";
import { DEMO_TRAVELER_ID } from "../../domain/user-ids.ts";
import { type OwnerLock, tryOwnerLock } from "../../platform/files/owner-lock.ts";
import { ensurePrivateFolder, readPrivateJson, writePrivateJson } from "../../platform/files/private-files.ts";
import { type Chain, requireToken } from "../../ports/chain/chain.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Identity, InternalTokens, Tenant } from "../../ports/identity.ts";
import type { TravelerProfile, Travelers } from "../travelers/index.ts";
import type { InternalTokenAdministration } from "../workflows/index.ts";
import type { Stores } from "./context.ts";

/** Not a person: complete, so that the first booking works, and named as a demo. */
const demoTraveler: TravelerProfile = {
  givenName: "Demo",
  familyName: "Traveler",
  bornOn: "1990-01-01",
  title: "ms",
  gender: "f",
  email: "demo.traveler@example.com",
  phoneNumber: "+14155550123",
  preferredLanguage: "en",
  loyaltyProgrammeAccounts: [],
  passports: [{ nationality: "GBR", number: "SPECIMEN1", issuedOn: "2022-01-01", expiresOn: "2032-01-01" }],
};

const ACTOR = "first-run";
const ENVIRONMENT = "sandbox";

/** Members that earlier releases did not write are optional. */
const Quickstart = z.object({
  tenantId: z.string(),
  apiKey: z.string(),
  operatorKey: z.string().optional(),
  internalToken: z.string().optional(),
});

const OPERATOR_SCOPES = [EVERYTHING, ...personalScopes];

const Owner = z.object({ appUrl: z.string() });

export interface DemoTenant {
  tenantId: string;
  /** An agent's key. */
  apiKey: string;
  /** A person's key with role admin: decides approvals and changes the rules that bind the other key. */
  operatorKey: string;
  /** The person with that key. */
  operatorId: string;
  signingSecret: string;
  /** Starts and resumes workflows for this tenant. */
  internalToken: string;
}

interface QuickstartFacts extends Omit<DemoTenant, "operatorId"> {
  appUrl: string;
  edgeUrl: string;
  /** Where people sign in. */
  dashboardUrl: string;
  supplierUrl: string | undefined;
  chain: QuickstartChain | undefined;
  /** A funded development wallet. */
  payer: { address: string; privateKey: string };
}

interface QuickstartChain {
  rpcUrl: string;
  chainId: number;
  /** CAIP-2. */
  network: string;
  usdc: string;
  eurc: string;
  escrow?: string;
}

interface DemoParts {
  dataDir: string;
  identity: Identity;
  persons: Stores["persons"];
  clock: Clock;
  random: RandomBytes;
  travelers: Travelers;
  internalTokens: InternalTokens;
  internalTokenAdministration: InternalTokenAdministration;
}

/**
 * Makes the demo tenant, its traveler, its operator and the keys if they are missing. The keys are kept in
 * `DATA_DIR/quickstart.json` over restarts; a DATA_DIR that lacks one, or whose key no longer works, gets a further key
 * of the same tenant. Callers hold the preparation lock.
 */
export async function prepareDemo(options: DemoParts): Promise<DemoTenant> {
  const { identity, travelers } = options;
  const known = readPrivateJson(quickstartPath(options.dataDir), Quickstart);
  let tenant: Tenant | undefined = (await identity.listTenants()).find((candidate) => candidate.isDemo);
  let apiKey = known?.apiKey;
  if (tenant === undefined) {
    const created = await identity.createTenant({ name: "Demo", isDemo: true, actor: ACTOR });
    tenant = created.tenant;
    apiKey = created.apiKey;
  }
  if ((await travelers.get(tenant.id, DEMO_TRAVELER_ID, ENVIRONMENT)) === undefined) {
    await travelers.put(tenant.id, DEMO_TRAVELER_ID, ENVIRONMENT, demoTraveler, ACTOR);
  }
  const internalToken = await prepareToken(options, tenant.id, known?.internalToken);
  const { operatorKey, operatorId } = await prepareOperator(options, tenant.id, known?.operatorKey);
  const principal = apiKey === undefined ? undefined : await identity.authenticate(apiKey, { fresh: true });
  if (apiKey !== undefined && principal?.tenantId === tenant.id) {
    return {
      tenantId: tenant.id,
      apiKey,
      operatorKey,
      operatorId,
      signingSecret: principal.signingSecret,
      internalToken,
    };
  }
  const minted = await identity.mintKey({
    tenantId: tenant.id,
    name: "quickstart",
    environment: ENVIRONMENT,
    actor: ACTOR,
  });
  const own = await identity.authenticate(minted.apiKey, { fresh: true });
  if (own === undefined) throw new Error("A key that was just minted does not work.");
  const { signingSecret } = own;
  return { tenantId: tenant.id, apiKey: minted.apiKey, operatorKey, operatorId, signingSecret, internalToken };
}

/** The key of a person with role admin: the known one while it works, else a further one. */
async function prepareOperator(
  { identity, persons, clock, random }: DemoParts,
  tenantId: string,
  known: string | undefined,
): Promise<{ operatorKey: string; operatorId: string }> {
  const principal = known === undefined ? undefined : await identity.authenticate(known, { fresh: true });
  if (known !== undefined && principal?.tenantId === tenantId && principal.personId !== undefined) {
    return { operatorKey: known, operatorId: principal.personId };
  }
  const owner = { tenantId, environment: ENVIRONMENT } as const;
  const id = newId("user_", clock.now().epochMilliseconds, random);
  const person = { id, name: "Demo Operator", roles: ["admin"] } as const;
  // A person can type the first; an earlier operator whose key was lost still has it.
  const added =
    (await persons.add(owner, { ...person, email: "demo@example.com" }, ACTOR)) ??
    (await persons.add(owner, { ...person, email: `${id}@example.com` }, ACTOR));
  if (added === undefined) throw new Error(`The demo operator ${id} exists already.`);
  const key = { tenantId, environment: ENVIRONMENT, personId: id, name: "quickstart operator", actor: ACTOR } as const;
  return { operatorKey: (await identity.mintKey({ ...key, scopes: OPERATOR_SCOPES })).apiKey, operatorId: id };
}

/** A token that is bound to the demo tenant: the known one while it works, else a further one. */
async function prepareToken(
  { identity, internalTokens, internalTokenAdministration: tokens }: DemoParts,
  tenantId: string,
  known: string | undefined,
): Promise<string> {
  const principals = known === undefined ? undefined : await internalTokens.authenticate(known);
  if (known !== undefined && principals?.some((principal) => principal.tenantId === tenantId) === true) return known;
  const { token, id } = await tokens.issue("quickstart", ACTOR);
  await tokens.bind(identity, id, { tenantId, environment: ENVIRONMENT }, ACTOR);
  return token;
}

/** The development chain's part of `quickstart.json`. */
export function describeChain(chain: Chain | undefined, rpcUrl: string | undefined): QuickstartChain | undefined {
  if (chain === undefined || rpcUrl === undefined) return undefined;
  const { chainId, tokens, escrow } = chain;
  return {
    rpcUrl,
    chainId,
    network: `eip155:${chainId}`,
    usdc: tokens.USDC.address,
    eurc: requireToken(chain, "EURC").address,
    ...(escrow === undefined ? {} : { escrow: escrow.address }),
  };
}

/**
 * `quickstart.json` of a DATA_DIR belongs to the first service that runs there. Another service, on other ports, leaves
 * it alone, as it names the first one's addresses.
 */
export class QuickstartFile {
  readonly #dataDir: string;
  #lock: OwnerLock | undefined;

  constructor(dataDir: string) {
    this.#dataDir = dataDir;
  }

  /** Does nothing if another service owns it. */
  write(facts: QuickstartFacts): void {
    const folder = join(this.#dataDir, "embedded");
    ensurePrivateFolder(folder);
    this.#lock ??= tryOwnerLock(join(folder, "quickstart.lock"));
    if (this.#lock !== undefined) writePrivateJson(quickstartPath(this.#dataDir), facts);
  }

  /** The address of the owning service, if it is another one. */
  ownerUrl(ownUrl: string): string | undefined {
    if (this.#lock !== undefined) return undefined;
    const appUrl = readPrivateJson(quickstartPath(this.#dataDir), Owner)?.appUrl;
    return appUrl === ownUrl ? undefined : appUrl;
  }

  release(): void {
    this.#lock?.release();
    this.#lock = undefined;
  }
}

export function quickstartPath(dataDir: string): string {
  return join(dataDir, "quickstart.json");
}
