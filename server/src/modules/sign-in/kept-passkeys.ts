import {
  type AuthenticationResponseJSON,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from "@simplewebauthn/server";
import { z } from "zod";
import { toVisibleText } from "../../domain/visible-text.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Passkeys, ShownPasskey } from "../../ports/passkeys.ts";
import type { Browser, NewSession, SignedIn } from "../../ports/sign-in.ts";
import { hashToken } from "./hash-token.ts";
import type { KeptSignIn } from "./kept-sign-in.ts";
import type { PasskeyRows } from "./passkeys.ts";

const CHALLENGE_LIFE = { minutes: 5 };
const MOST_PASSKEYS = 20;
const LONGEST_NAME = 100;
const SERVICE_NAME = "Wayfare";
type Purpose = "register" | "sign in";

const Transports = z.array(z.enum(["ble", "cable", "hybrid", "internal", "nfc", "smart-card", "usb"]));
const Text = z.string().max(20_000);
const Common = { id: Text, rawId: Text, type: z.literal("public-key"), clientExtensionResults: z.object({}).loose() };
const Registered = z.object({
  ...Common,
  response: z.object({ clientDataJSON: Text, attestationObject: Text, transports: Transports.catch([]).optional() }),
});
const Authenticated = z.object({
  ...Common,
  response: z.object({
    clientDataJSON: Text,
    authenticatorData: Text,
    signature: Text,
    userHandle: Text.nullish(),
  }),
});

interface PasskeyOptions {
  passkeyRows: PasskeyRows;
  signIn: Pick<KeptSignIn, "begin" | "findMember">;
  clock: Clock;
  appUrl: string;
}

/** Passkeys by WebAuthn: the authenticator has verified the person, and the browser has named this service's origin. */
export class KeptPasskeys implements Passkeys {
  readonly #options: PasskeyOptions;
  readonly #origin: string;
  readonly #host: string;

  constructor(options: PasskeyOptions) {
    this.#options = options;
    ({ origin: this.#origin, hostname: this.#host } = new URL(options.appUrl));
  }

  async list({ member }: SignedIn): Promise<readonly ShownPasskey[]> {
    return await this.#options.passkeyRows.list(member);
  }

  async beginRegistration({ member }: SignedIn, secret: string): Promise<object | undefined> {
    const known = await this.#options.passkeyRows.list(member);
    if (known.length >= MOST_PASSKEYS) return undefined;
    const options = await generateRegistrationOptions({
      rpName: SERVICE_NAME,
      rpID: this.#host,
      userName: member.email,
      userDisplayName: member.name,
      attestationType: "none",
      excludeCredentials: known.map(({ credentialId }) => ({ id: credentialId })),
      authenticatorSelection: { residentKey: "required", userVerification: "required" },
    });
    await this.#keep(options.challenge, "register", secret);
    return options;
  }

  async register(
    { member, provesAddress }: SignedIn,
    secret: string,
    { name, response }: { name: string; response: unknown },
  ): Promise<boolean> {
    const given = Registered.safeParse(response).data;
    if (given === undefined) return false;
    const { transports = [], ...answered } = given.response;
    const { registrationInfo } = await verifyRegistrationResponse({
      response: { ...given, response: answered } satisfies RegistrationResponseJSON,
      expectedChallenge: (challenge) => this.#take(challenge, "register", secret),
      ...this.#expected(),
    }).catch(() => ({ registrationInfo: undefined }));
    if (registrationInfo === undefined) return false;
    const { credential } = registrationInfo;
    const { tenantId, environment, personId } = member;
    return await this.#options.passkeyRows.insert({
      tenantId,
      environment,
      personId,
      credentialId: credential.id,
      publicKey: Buffer.from(credential.publicKey).toString("base64url"),
      counter: BigInt(credential.counter),
      transports,
      name: toVisibleText(name, LONGEST_NAME) || "Passkey",
      provesAddress,
    });
  }

  async remove({ member }: SignedIn, id: string): Promise<boolean> {
    return await this.#options.passkeyRows.delete(id, member);
  }

  async beginSignIn(secret: string): Promise<object> {
    const options = await generateAuthenticationOptions({ rpID: this.#host, userVerification: "required" });
    await this.#keep(options.challenge, "sign in", secret);
    return options;
  }

  async signIn(secret: string, response: unknown, browser: Browser): Promise<NewSession | undefined> {
    const { passkeyRows, signIn } = this.#options;
    const given = Authenticated.safeParse(response).data;
    const passkey = given === undefined ? undefined : await passkeyRows.find(given.id);
    if (given === undefined || passkey === undefined) return undefined;
    const { userHandle: _, ...answered } = given.response;
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: { ...given, response: answered } satisfies AuthenticationResponseJSON,
      expectedChallenge: (challenge) => this.#take(challenge, "sign in", secret),
      credential: {
        id: passkey.credentialId,
        publicKey: new Uint8Array(Buffer.from(passkey.publicKey, "base64url")),
        counter: Number(passkey.counter),
      },
      ...this.#expected(),
    }).catch(() => ({ verified: false, authenticationInfo: undefined }));
    if (!verified || authenticationInfo === undefined) return undefined;
    if (!(await passkeyRows.used(passkey, BigInt(authenticationInfo.newCounter)))) return undefined;
    if ((await signIn.findMember(passkey)) === undefined) return undefined;
    return await signIn.begin(passkey, { provesAddress: passkey.provesAddress, browser });
  }

  #expected() {
    return { expectedOrigin: this.#origin, expectedRPID: this.#host, requireUserVerification: true };
  }

  async #keep(challenge: string, purpose: Purpose, secret: string): Promise<void> {
    const { passkeyRows, clock } = this.#options;
    const expiresAt = clock.now().add(CHALLENGE_LIFE);
    await passkeyRows.insertChallenge(hashToken(challenge), hashToken(`${purpose} ${secret}`), expiresAt);
  }

  #take(challenge: string, purpose: Purpose, secret: string): Promise<boolean> {
    return this.#options.passkeyRows.takeChallenge(hashToken(challenge), hashToken(`${purpose} ${secret}`));
  }
}
