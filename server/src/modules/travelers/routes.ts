import { z } from "zod";
import { type Issue, invalidInput } from "../../domain/errors.ts";
import { isUserId, USER_ID_RULE } from "../../domain/user-ids.ts";
import { Created, defineRoute } from "../../kernel/contracts/route.ts";
import type { Clock } from "../../ports/clock.ts";
import { birthProblem, profileFields } from "./profile-schema.ts";
import type { Travelers } from "./traveler-profile.ts";

/** Replaces the whole profile: omitted fields are removed. */
const TravelerBody = z.strictObject({
  /** As `GET` returns it, so that it can be changed and sent back. */
  userId: z.string().exactOptional(),
  ...profileFields,
  loyaltyProgrammeAccounts: profileFields.loyaltyProgrammeAccounts.default([]),
  passports: profileFields.passports.default([]),
});

const TravelerAnswer = TravelerBody.extend({ userId: z.string() });
/** Without the user's id, which the answer has separately. */
export const TravelerProfileAnswer = TravelerBody.omit({ userId: true });

export const TravelerPath = z.object({
  userId: z
    .string()
    .refine(isUserId, { message: `must be ${USER_ID_RULE}` })
    .meta({ maxLength: 128 })
    .describe(`Your own id for the user, or svc:<keyId>: ${USER_ID_RULE}`),
});

const profile: z.input<typeof TravelerBody> = {
  givenName: "Ada",
  familyName: "Lovelace",
  bornOn: "1985-12-10",
  title: "ms",
  gender: "f",
  email: "ada@example.com",
  phoneNumber: "+14155550123",
  preferredLanguage: "en-GB",
  loyaltyProgrammeAccounts: [{ airlineIataCode: "BA", accountNumber: "12345678" }],
  passports: [{ nationality: "GBR", number: "533401372", issuedOn: "2022-03-01", expiresOn: "2032-03-01" }],
};
const traveler: z.output<typeof TravelerAnswer> = TravelerAnswer.parse({ userId: "user_ada", ...profile });

export const readTraveler = defineRoute({
  id: "read_traveler",
  method: "GET",
  path: "/api/travelers/:userId",
  tag: "travelers",
  summary: "Read a traveler profile",
  description: "The profile of one of the tenant's users.",
  scope: "travelers:read",
  params: TravelerPath,
  answers: { 200: { description: "The profile.", schema: TravelerAnswer } },
  errors: { not_found: "This tenant has no traveler with this id. PUT the profile to create it." },
  example: { answer: traveler },
  async run({ principal, params: { userId }, fail }, { travelers }: { travelers: Travelers }) {
    const found = await travelers.get(principal.tenantId, userId, principal.environment);
    if (found === undefined) throw fail("not_found");
    return { userId, ...found };
  },
});

export const writeTraveler = defineRoute({
  id: "write_traveler",
  method: "PUT",
  path: "/api/travelers/:userId",
  tag: "travelers",
  summary: "Replace a traveler profile",
  description:
    "Creates a new user if necessary. The body replaces the profile: omitted fields are removed. Document numbers are encrypted at rest.",
  scope: "travelers:write",
  params: TravelerPath,
  body: TravelerBody,
  answers: {
    200: { description: "The profile was replaced.", schema: TravelerAnswer },
    201: { description: "The user was created.", schema: TravelerAnswer },
  },
  errors: {},
  example: { body: profile, answer: traveler },
  async run(
    { principal, params: { userId }, body: { userId: userIdInBody, ...given } },
    { travelers, clock }: { travelers: Travelers; clock: Clock },
  ) {
    const issues: Issue[] = [];
    if (userIdInBody !== undefined && userIdInBody !== userId) {
      issues.push({ path: "userId", message: "must match the path, or be omitted" });
    }
    issues.push(...birthProblem(given.bornOn, clock));
    if (issues.length > 0) throw invalidInput(issues);
    const { tenantId, environment, serviceAccountId } = principal;
    const isNew = await travelers.put(tenantId, userId, environment, given, serviceAccountId);
    // A caller that may write but not read gets back what it sent, without earlier data: a PUT replaces.
    const written = { userId, ...given };
    return isNew ? new Created(written) : written;
  },
});

export const travelerRoutes = [readTraveler, writeTraveler];
