import { z } from "zod";
import { containsCardNumber } from "../../domain/card-numbers.ts";
import { isCountryAlpha3 } from "../../domain/countries.ts";
import { type Issue, invalidInput } from "../../domain/errors.ts";
import { languageProblem, nameProblem } from "../../domain/profile-fields.ts";
import { Email, IsoDate, PhoneNumber } from "../../domain/schemas.ts";
import { isUserId, USER_ID_RULE } from "../../domain/user-ids.ts";
import { Created, defineRoute } from "../../kernel/route.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Travelers } from "./traveler-profile.ts";

const DOCUMENT_NUMBER = /^[A-Za-z0-9]{5,20}$/;
const ACCOUNT_NUMBER = /^[A-Za-z0-9-]{2,30}$/;
const AIRLINE = /^[A-Za-z0-9]{2}$/;
const EARLIEST_BIRTH = "1900-01-01";
const MOST_PASSPORTS = 5;
const MOST_ACCOUNTS = 20;

const withoutCardNumber = { message: "must not hold a payment card number" };

/** A text for which `problemOf` finds nothing to say. */
const checked = (schema: z.ZodString, problemOf: (text: string) => string | undefined) =>
  schema.check((context) => {
    const message = problemOf(context.value);
    if (message !== undefined) context.issues.push({ code: "custom", message, input: context.value });
  });

const PersonName = checked(z.string().trim(), nameProblem);
const Language = checked(z.string(), languageProblem);

const LoyaltyProgrammeAccount = z.strictObject({
  airlineIataCode: z.string().regex(AIRLINE, "must be a two-character airline code").toUpperCase(),
  accountNumber: z
    .string()
    .regex(ACCOUNT_NUMBER, "must be 2 to 30 letters, digits or hyphens")
    .refine((text) => !containsCardNumber(text), withoutCardNumber),
});

const Passport = z
  .strictObject({
    nationality: z
      .string()
      .refine(isCountryAlpha3, { message: "must be an ISO 3166-1 alpha-3 code, such as FRA" })
      .describe("ISO 3166-1 alpha-3"),
    number: z
      .string()
      .regex(DOCUMENT_NUMBER, "must be 5 to 20 letters or digits")
      .refine((text) => !containsCardNumber(text), withoutCardNumber),
    issuedOn: IsoDate,
    expiresOn: IsoDate,
  })
  .refine((passport) => passport.issuedOn < passport.expiresOn, {
    path: ["expiresOn"],
    message: "must be later than issuedOn",
  });

/** It replaces the profile: a field that is left out is gone. */
const TravelerBody = z.strictObject({
  /** As `GET` returns it, so that what was read can be changed and sent back. */
  userId: z.string().exactOptional(),
  givenName: PersonName.exactOptional(),
  familyName: PersonName.exactOptional(),
  bornOn: IsoDate.exactOptional(),
  title: z.enum(["mr", "ms", "mrs", "miss", "dr"]).exactOptional(),
  gender: z.enum(["m", "f"]).exactOptional(),
  email: Email.max(254).exactOptional(),
  phoneNumber: PhoneNumber.exactOptional(),
  preferredLanguage: Language.exactOptional(),
  loyaltyProgrammeAccounts: z.array(LoyaltyProgrammeAccount).max(MOST_ACCOUNTS).default([]),
  passports: z.array(Passport).max(MOST_PASSPORTS).default([]),
});

const TravelerAnswer = TravelerBody.extend({ userId: z.string() });

const TravelerPath = z.object({
  userId: z
    .string()
    .refine(isUserId, { message: `must be ${USER_ID_RULE}` })
    .meta({ maxLength: 128 })
    .describe(`Your own id of the user, or svc:<keyId>: ${USER_ID_RULE}`),
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
    const found = await travelers.get(principal.tenantId, userId);
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
    "Creates the user when it is new. The body replaces the profile: a field that is left out is gone. Document numbers are encrypted at rest.",
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
      issues.push({ path: "userId", message: "must be the one in the path, or be left out" });
    }
    const { bornOn } = given;
    // The date in UTC will do.
    const today = clock.now().toZonedDateTimeISO("UTC").toPlainDate().toString();
    if (bornOn !== undefined && (bornOn < EARLIEST_BIRTH || bornOn > today)) {
      issues.push({ path: "bornOn", message: `must lie between ${EARLIEST_BIRTH} and today` });
    }
    if (issues.length > 0) throw invalidInput(issues);
    const isNew = await travelers.put(principal.tenantId, userId, given, principal.serviceAccountId);
    // Who may write but not read gets back what it sent, and nothing that was there before: a PUT replaces.
    const written = { userId, ...given };
    return isNew ? new Created(written) : written;
  },
});

export const travelerRoutes = [readTraveler, writeTraveler];
