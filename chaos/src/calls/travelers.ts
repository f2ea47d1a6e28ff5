import type { Client } from "../client.ts";

/** Callers beside the key's service account, so that keys of several subjects are in play. */
export const userIds = ["chaos_ada", "chaos_bo", "chaos_cy"] as const;

export async function createTravelers(client: Client): Promise<void> {
  for (const [index, userId] of userIds.entries()) {
    await client.put(`/api/travelers/${userId}`, {
      givenName: "Chaos",
      familyName: `Traveler${"ABC".charAt(index)}`,
      bornOn: "1990-01-01",
      title: "mr",
      gender: "m",
      email: `${userId}@example.com`,
      phoneNumber: `+1415555010${index}`,
      preferredLanguage: "en",
      loyaltyProgrammeAccounts: [],
      passports: [{ nationality: "GBR", number: `SPECIMEN${index}`, issuedOn: "2022-01-01", expiresOn: "2032-01-01" }],
    });
  }
}
