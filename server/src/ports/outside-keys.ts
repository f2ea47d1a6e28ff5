import type { Environment } from "./identity.ts";

/** A key as the identity provider knows it. */
export interface OutsideKey {
  id: string;
  /** The organization that it belongs to. */
  organizationId: string;
  name: string;
  scopes: readonly string[];
  environment: Environment;
  /** Our id of the key, if it was made here. */
  keyId: string | undefined;
  expiresAt: Temporal.Instant | undefined;
  /** False: revoked or expired. */
  isLive: boolean;
}

/**
 * Keys at an outside identity provider. Everything but `couldBe` asks it, and fails with `unavailable` if it does not answer, or
 * answers in a way that proves nothing.
 */
export interface OutsideKeys {
  /** Whether the text has the form of one of its keys. */
  couldBe(secret: string): boolean;
  /** Undefined: it knows no such key, or the key is of a person rather than of an organization. */
  verify(secret: string): Promise<OutsideKey | undefined>;
  find(id: string): Promise<OutsideKey | undefined>;
  /** `not_made`: it was refused, or never sent. Throws if it may have been made. */
  create(
    key: Pick<OutsideKey, "organizationId" | "name" | "scopes" | "environment"> & {
      keyId: string;
      lifeSeconds: number | undefined;
    },
  ): Promise<{ id: string; secret: string } | { notMade: Error }>;
  /** Those of the organization, ended ones included; at most a thousand. */
  list(organizationId: string): Promise<readonly OutsideKey[]>;
  /** Also if it was revoked before, or is not there. */
  revoke(id: string): Promise<void>;
}
