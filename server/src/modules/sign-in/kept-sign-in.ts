import { createHmac, randomBytes, randomInt, timingSafeEqual } from "node:crypto";
import type { Clock } from "../../ports/clock.ts";
import type { Environment, Identity } from "../../ports/identity.ts";
import type { Log } from "../../ports/log.ts";
import type { Browser, Membership, NewSession, ShownLink, SignedIn, SignIn } from "../../ports/sign-in.ts";
import type { Person, PersonOfTenant, Persons } from "../identity/index.ts";
import { hashToken } from "./hash-token.ts";
import type { MemberId, SessionRecord, SignIns } from "./sign-ins.ts";

const CODE_DIGITS = 8;
const CODE_LIFE = { minutes: 10 };
const SESSION_LIFE = { hours: 14 * 24 };
/** For this long after a sign-in a session may spend and change rules. */
const RECENT = { minutes: 15 };
const LONGEST_BROWSER = 300;

interface SignInOptions {
  signIns: SignIns;
  persons: Persons;
  identity: Pick<Identity, "findPrincipal" | "getTenant">;
  clock: Clock;
  log: Pick<Log, "warn">;
  networkMode: Environment;
  /** Keys the hashes of codes, which are too short to resist a search by themselves. */
  codeKey: string;
  /** Undefined: there is no mail server. */
  mailCode:
    | ((to: PersonOfTenant, code: string, codeId: string, expiresAt: Temporal.Instant) => Promise<void>)
    | undefined;
}

/** Sign-in by codes and links, and the sessions that follow. Secrets leave it once, and are kept as hashes. */
export class KeptSignIn implements SignIn {
  readonly #options: SignInOptions;

  constructor(options: SignInOptions) {
    this.#options = options;
  }

  get mailsCodes(): boolean {
    return this.#options.mailCode !== undefined;
  }

  async requestCode(email: string, visit: string): Promise<void> {
    const { signIns, clock, mailCode, log } = this.#options;
    const code = String(randomInt(10 ** CODE_DIGITS)).padStart(CODE_DIGITS, "0");
    const expiresAt = clock.now().add(CODE_LIFE);
    const visitHash = hashToken(visit);
    const isStored = await signIns.insertCode({
      visitHash,
      email: email.toLowerCase(),
      codeHash: this.#hashCode(visitHash, code),
      expiresAt,
    });
    const [person] = await this.#reachable(email);
    if (!isStored || person === undefined || mailCode === undefined) return;
    // Not awaited: the answer takes equally long for every address.
    void mailCode(person, code, visitHash, expiresAt).catch((error: unknown) =>
      log.warn({ err: error }, "a sign-in code was not mailed"),
    );
  }

  async enterCode(visit: string, code: string, browser: Browser): Promise<NewSession | undefined> {
    const { signIns } = this.#options;
    const visitHash = hashToken(visit);
    const tried = await signIns.tryCode(visitHash);
    if (tried === undefined) return undefined;
    const given = Buffer.from(this.#hashCode(visitHash, code));
    if (!timingSafeEqual(given, Buffer.from(tried.codeHash))) return undefined;
    const [person] = await this.#reachable(tried.email);
    if (person === undefined || !(await signIns.useCode(tried.id))) return undefined;
    return await this.begin({ ...person, personId: person.id }, { provesAddress: true, browser });
  }

  async showLink(token: string): Promise<ShownLink | undefined> {
    const link = await this.#options.signIns.findLink(hashToken(token));
    if (link === undefined) return undefined;
    const member = await this.findMember(link);
    return member === undefined ? undefined : { kind: link.kind, name: member.name, tenantName: member.tenantName };
  }

  async takeLink(token: string, browser: Browser): Promise<NewSession | undefined> {
    const { signIns } = this.#options;
    const link = await signIns.findLink(hashToken(token));
    if (link === undefined || (await this.findMember(link)) === undefined) return undefined;
    if (!(await signIns.useLink(link.id))) return undefined;
    return await this.begin(link, { provesAddress: link.provesAddress, browser });
  }

  async find(token: string, tenant?: string): Promise<SignedIn | undefined> {
    const { signIns, persons, identity, clock } = this.#options;
    const session = await signIns.findSession(hashToken(token));
    if (session === undefined) return undefined;
    const member = await this.#chooseMember(session, tenant);
    if (member === undefined) return undefined;
    const keyId = await persons.keyOfSessions(member, member.personId);
    const principal = keyId === undefined ? undefined : await identity.findPrincipal(keyId, { fresh: true });
    // A key that works in the sandbox only, for example, must not act for a member of production.
    if (principal?.personId !== member.personId || principal.environment !== member.environment) return undefined;
    await signIns.sawSession(session);
    const isRecent = Temporal.Instant.compare(session.provedAt, clock.now().subtract(RECENT)) > 0;
    return {
      sessionId: session.id,
      provesAddress: session.provesAddress,
      member,
      principal: isRecent ? principal : { ...principal, signInAgain: true },
    };
  }

  async memberships(token: string): Promise<readonly Membership[]> {
    const session = await this.#options.signIns.findSession(hashToken(token));
    return session === undefined ? [] : await this.#listMembers(session);
  }

  async end(token: string): Promise<void> {
    const { signIns } = this.#options;
    const session = await signIns.findSession(hashToken(token));
    if (session !== undefined) await signIns.endSession(session.id, session);
  }

  /** Begins a session of the member, who has just proved who they are. */
  async begin(
    { tenantId, environment, personId }: MemberId,
    { provesAddress, browser }: { provesAddress: boolean; browser: Browser },
  ): Promise<NewSession> {
    const { signIns, clock } = this.#options;
    const token = newToken();
    const expiresAt = clock.now().add(SESSION_LIFE);
    const { address } = browser;
    const name = browser.name.slice(0, LONGEST_BROWSER);
    const member = { tenantId, environment, personId };
    await signIns.insertSession({
      ...member,
      provesAddress,
      expiresAt,
      browser: name,
      address,
      tokenHash: hashToken(token),
    });
    return { token, expiresAt };
  }

  async #chooseMember(session: SessionRecord, tenant: string | undefined): Promise<Membership | undefined> {
    if (tenant === undefined || tenant === nameTenant(session)) return await this.findMember(session);
    return (await this.#listMembers(session)).find((member) => nameTenant(member) === tenant);
  }

  async #listMembers(session: SessionRecord): Promise<readonly Membership[]> {
    const own = await this.findMember(session);
    if (own === undefined) return [];
    if (!session.provesAddress) return [own];
    return (await this.#reachable(own.email)).map((person) => ({ ...person, personId: person.id }));
  }

  /** Undefined: the person does not work there any more. */
  async findMember(member: MemberId): Promise<Membership | undefined> {
    const { persons, identity } = this.#options;
    const { tenantId, environment, personId } = member;
    const person: Person | undefined = await persons.find({ tenantId, environment }, personId);
    const tenant = person === undefined ? undefined : await identity.getTenant(tenantId);
    if (person === undefined || tenant === undefined) return undefined;
    const { name, email, roles } = person;
    return { tenantId, environment, personId, name, email, roles, tenantName: tenant.name };
  }

  /** While the deployment is a sandbox, nobody can work in production. */
  async #reachable(email: string): Promise<readonly PersonOfTenant[]> {
    const { persons, networkMode } = this.#options;
    const all = await persons.withAddress(email);
    return all.filter(({ environment }) => networkMode === "production" || environment === "sandbox");
  }

  #hashCode(visitHash: string, code: string): string {
    return createHmac("sha256", this.#options.codeKey).update(`${visitHash} ${code}`).digest("base64url");
  }
}

const TOKEN_BYTES = 32;

const newToken = (): string => randomBytes(TOKEN_BYTES).toString("base64url");
const nameTenant = ({ tenantId, environment }: Pick<MemberId, "tenantId" | "environment">): string =>
  `${tenantId}/${environment}`;
