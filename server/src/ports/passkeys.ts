import type { Browser, NewSession, SignedIn } from "./sign-in.ts";

/** A passkey of a person, as lists show it. */
export interface ShownPasskey {
  readonly id: string;
  readonly name: string;
  readonly createdAt: Temporal.Instant;
  readonly usedAt: Temporal.Instant | undefined;
}

/** Passkeys of people. `secret` is that of the browser, which a challenge is bound to. */
export interface Passkeys {
  list(signedIn: SignedIn): Promise<readonly ShownPasskey[]>;
  /** The options for the browser's `navigator.credentials.create`. Undefined: the person has too many. */
  beginRegistration(signedIn: SignedIn, secret: string): Promise<object | undefined>;
  /** False: the answer does not fit its challenge, which it uses up. */
  register(signedIn: SignedIn, secret: string, answer: { name: string; response: unknown }): Promise<boolean>;
  /** False: the person has no such passkey. */
  remove(signedIn: SignedIn, id: string): Promise<boolean>;
  /** The options for the browser's `navigator.credentials.get`. */
  beginSignIn(secret: string): Promise<object>;
  /** Undefined: an unknown passkey, or an answer that does not fit its challenge, which it uses up. */
  signIn(secret: string, response: unknown, browser: Browser): Promise<NewSession | undefined>;
}
