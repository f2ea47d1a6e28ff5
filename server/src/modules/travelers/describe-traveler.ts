import { z } from "zod";
import { wordsOfOthers } from "../../domain/schemas.ts";
import type { TravelerProfile } from "./traveler-profile.ts";

/** A profile as tools show it, without document numbers. */
export const ShownProfile = z.object({
  givenName: wordsOfOthers().optional(),
  familyName: wordsOfOthers().optional(),
  bornOn: z.string().optional(),
  title: z.string().optional(),
  gender: z.string().optional(),
  email: z.string().optional(),
  phoneNumber: z.string().optional(),
  preferredLanguage: z.string().optional(),
  residence: wordsOfOthers().optional(),
  loyaltyProgrammeAccounts: z.array(z.object({ airlineIataCode: z.string(), accountNumber: z.string() })).optional(),
  passports: z
    .array(z.object({ nationality: z.string(), number: z.string(), issuedOn: z.string(), expiresOn: z.string() }))
    .optional(),
});

export function maskNumbers(profile: Partial<TravelerProfile>): z.output<typeof ShownProfile> {
  const { passports, loyaltyProgrammeAccounts, ...rest } = profile;
  return {
    ...rest,
    ...(loyaltyProgrammeAccounts === undefined
      ? {}
      : {
          loyaltyProgrammeAccounts: loyaltyProgrammeAccounts.map((account) => ({
            ...account,
            accountNumber: mask(account.accountNumber),
          })),
        }),
    ...(passports === undefined
      ? {}
      : { passports: passports.map((passport) => ({ ...passport, number: mask(passport.number) })) }),
  };
}

/** Enough to tell a person's documents apart. */
function mask(number: string): string {
  return `***${number.slice(-2)}`;
}

const NEEDED = ["givenName", "familyName", "bornOn", "title", "gender", "email", "phoneNumber"] as const;

/** The missing fields for a flight booking; some flights need a passport, too. */
export function missingForFlights(profile: Partial<TravelerProfile>): string[] {
  return NEEDED.filter((field) => (profile[field] ?? "").trim() === "");
}
