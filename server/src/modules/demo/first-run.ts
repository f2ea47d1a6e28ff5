import { join } from "node:path";
import { z } from "zod";
import { newId, type RandomBytes } from "../../domain/ids.ts";
import { administerScopes, DECIDES_APPROVALS, EVERYTHING } from "../../domain/scopes.ts";
import { DEMO_TRAVELER_ID } from "../../domain/user-ids.ts";
import { type OwnerLock, tryOwnerLock } from "../../platform/files/owner-lock.ts";
import { ensurePrivateFolder, readPrivateJson, writePrivateJson } from "../../platform/files/private-files.ts";
import { type Chain, requireToken } from "../../ports/chain/chain.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Identity, InternalTokens, Tenant } from "../../ports/identity.ts";
import type { TravelerProfile, Travelers } from "../travelers/index.ts";
import type { InternalTokenAdministration } from "../workflows/index.ts";
import type { Stores } from "./context.ts";

/** Not a person: complete, so that the first booking works, and marked by its name. */
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

/** What former releases have not written is left out there. */
const Quickstart = z.object({
  tenantId: z.string(),
  apiKey: z.string(),
  operatorKey: z.string().optional(),
  internalToken: z.string().optional(),
});

const OPERATOR_SCOPES = [EVERYTHING, DECIDES_APPROVALS, ...administerScopes];

const Owner = z.object({ appUrl: z.string() });

export interface DemoTenant {
  tenantId: string;
  /** An agent's. */
  apiKey: string;
  /** A person's, with role admin: decides approvals and changes the rules that bind the other key. */
  operatorKey: string;
  signingSecret: string;
  /** Starts and resumes workflows for this tenant. */
  internalToken: string;
}

interface QuickstartFacts extends DemoTenant {
  appUrl: string;
  edgeUrl: string;
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
 * Makes the demo tenant, its traveler, its operator and the keys when they are missing. The keys are kept in
 * `DATA_DIR/quickstart.json` and stay the same over restarts; a DATA_DIR that lacks one, or has one that no longer works, gets a
 * further key of the same tenant. Callers hold the preparation lock.
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
  const operatorKey = await prepareOperator(options, tenant.id, known?.operatorKey);
  const principal = apiKey === undefined ? undefined : await identity.authenticate(apiKey, { fresh: true });
  if (apiKey !== undefined && principal?.tenantId === tenant.id) {
    return { tenantId: tenant.id, apiKey, operatorKey, signingSecret: principal.signingSecret, internalToken };
  }
  const minted = await identity.mintKey({
    tenantId: tenant.id,
    name: "quickstart",
    environment: ENVIRONMENT,
    actor: ACTOR,
  });
  const own = await identity.authenticate(minted.apiKey, { fresh: true });
  if (own === undefined) throw new Error("A key that was just minted does not work.");
  return { tenantId: tenant.id, apiKey: minted.apiKey, operatorKey, signingSecret: own.signingSecret, internalToken };
}

/** The key of a person with role admin: the known one while it works, else a further one. */
async function prepareOperator(
  { identity, persons, clock, random }: DemoParts,
  tenantId: string,
  known: string | undefined,
): Promise<string> {
  const principal = known === undefined ? undefined : await identity.authenticate(known, { fresh: true });
  if (known !== undefined && principal?.tenantId === tenantId) return known;
  const owner = { tenantId, environment: ENVIRONMENT } as const;
  const id = newId("user_", clock.now().epochMilliseconds, random);
  // Nobody has the address: an operator who was removed stays removed, and every further one needs an address of its own.
  const person = { id, name: "Demo Operator", email: `${id}@example.com`, roles: ["admin"] } as const;
  if ((await persons.add(owner, person, ACTOR)) === undefined)
    throw new Error(`The demo operator ${id} exists already.`);
  const key = { tenantId, environment: ENVIRONMENT, personId: id, name: "quickstart operator", actor: ACTOR } as const;
  return (await identity.mintKey({ ...key, scopes: OPERATOR_SCOPES })).apiKey;
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

/** What `quickstart.json` says of the development chain. */
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
 * `quickstart.json` of a DATA_DIR: it belongs to the first of the services that run there. Another one, on other ports, leaves it
 * alone, as it names the addresses under which its readers call.
 */
export class QuickstartFile {
  readonly #dataDir: string;
  #lock: OwnerLock | undefined;

  constructor(dataDir: string) {
    this.#dataDir = dataDir;
  }

  /** Unless another service keeps it. */
  write(facts: QuickstartFacts): void {
    const folder = join(this.#dataDir, "embedded");
    ensurePrivateFolder(folder);
    this.#lock ??= tryOwnerLock(join(folder, "quickstart.lock"));
    if (this.#lock !== undefined) writePrivateJson(quickstartPath(this.#dataDir), facts);
  }

  /** The address of the service that keeps it, when that is another one. */
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
