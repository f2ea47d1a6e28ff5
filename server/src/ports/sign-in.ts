import type { Environment, Principal } from "./identity.ts";

/** The browser that a person signs in with, as it shows itself. */
export interface Browser {
  /** The `User-Agent`. */
  readonly name: string;
  readonly address: string;
}

/** A session that has just begun. The token is shown only here; a hash of it is stored. */
export interface NewSession {
  readonly token: string;
  readonly expiresAt: Temporal.Instant;
}

/** One of the tenants that a person works for. */
export interface Membership {
  readonly tenantId: string;
  readonly tenantName: string;
  readonly environment: Environment;
  readonly personId: string;
  readonly name: string;
  readonly email: string;
  readonly roles: readonly string[];
}

/** A person in a browser, read from the database for each request. */
export interface SignedIn {
  readonly sessionId: string;
  /** Whether the session proves the person's address, and so every membership of it. */
  readonly provesAddress: boolean;
  readonly member: Membership;
  /** Acts for the member. Its `signInAgain` is set once the sign-in is no longer recent. */
  readonly principal: Principal;
}

/** A link as its page shows it before it is used. */
export interface ShownLink {
  readonly kind: "sign_in" | "invitation";
  readonly name: string;
  readonly tenantName: string;
}

/** People's sign-in, as the surfaces use it. */
export interface SignIn {
  /** Whether codes can be mailed: the operator has a mail server. */
  readonly mailsCodes: boolean;
  /** Mails a code to the address if it is somebody's. The answer is the same for every address. */
  requestCode(email: string, visit: string): Promise<void>;
  /** Undefined: a wrong, used or expired code, or one too many tries. */
  enterCode(visit: string, code: string, browser: Browser): Promise<NewSession | undefined>;
  /** Undefined: there is no such link, or it was used or has expired. */
  showLink(token: string): Promise<ShownLink | undefined>;
  takeLink(token: string, browser: Browser): Promise<NewSession | undefined>;
  /** `tenant`: the membership that the request names (`<tenantId>/<environment>`). Undefined: no session, or no such member. */
  find(token: string, tenant?: string): Promise<SignedIn | undefined>;
  /** The memberships that the session proves. */
  memberships(token: string): Promise<readonly Membership[]>;
  end(token: string): Promise<void>;
}
