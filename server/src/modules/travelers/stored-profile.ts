import { z } from "zod";
import type { Environment } from "../../ports/identity.ts";
import type { Vault } from "../../ports/vault.ts";
import type { TravelerProfile } from "./traveler-profile.ts";

/** The stored form; values were validated when they came in. */
const StoredProfile = z.object({
  givenName: z.string().exactOptional(),
  familyName: z.string().exactOptional(),
  bornOn: z.string().exactOptional(),
  title: z.enum(["mr", "ms", "mrs", "miss", "dr"]).exactOptional(),
  gender: z.enum(["m", "f"]).exactOptional(),
  email: z.string().exactOptional(),
  phoneNumber: z.string().exactOptional(),
  preferredLanguage: z.string().exactOptional(),
  residence: z.string().exactOptional(),
  loyaltyProgrammeAccounts: z.array(z.object({ airlineIataCode: z.string(), accountNumber: z.string() })),
  passports: z.array(
    z.object({ nationality: z.string(), number: z.string(), issuedOn: z.string(), expiresOn: z.string() }),
  ),
});

export interface SealedFor {
  tenantId: string;
  userId: string;
  environment: Environment;
}

export function openProfile(vault: Vault, stored: unknown, owner: SealedFor): TravelerProfile {
  return mapNumbers(StoredProfile.parse(stored), (text, field) => vault.decrypt(text, sealingContext(field, owner)));
}

export function sealProfile(vault: Vault, profile: TravelerProfile, owner: SealedFor): TravelerProfile {
  return mapNumbers(profile, (text, field) => vault.encrypt(text, sealingContext(field, owner)));
}

type NumberField = "passport" | "loyalty_account";

/**
 * The encryption context: a value decrypts only for its user in its environment. The sandbox is omitted, for data from before
 * there were two environments.
 */
function sealingContext(field: NumberField, { tenantId, userId, environment }: SealedFor): string {
  return `${environment === "sandbox" ? "" : `${environment}:`}${field}:${tenantId}:${userId}`;
}

/** Passes the profile's document and account numbers through `change`. */
function mapNumbers(profile: TravelerProfile, change: (text: string, field: NumberField) => string): TravelerProfile {
  return {
    ...profile,
    passports: profile.passports.map((passport) => ({ ...passport, number: change(passport.number, "passport") })),
    loyaltyProgrammeAccounts: profile.loyaltyProgrammeAccounts.map((account) => ({
      ...account,
      accountNumber: change(account.accountNumber, "loyalty_account"),
    })),
  };
}
