import { z } from "zod";
import { containsCardNumber } from "../../domain/card-numbers.ts";
import { isCountryAlpha3 } from "../../domain/countries.ts";
import { Failure, type Issue, invalidInput } from "../../domain/errors.ts";
import { languageProblem, nameProblem } from "../../domain/profile-fields.ts";
import { Email, IsoDate, PhoneNumber } from "../../domain/schemas.ts";
import { isUserId, USER_ID_RULE } from "../../domain/user-ids.ts";
import { validateArguments } from "../../kernel/validate.ts";
import type { TravelerProfile, Travelers } from "../../modules/travelers/traveler-profile.ts";
import type { Principal } from "../../ports/identity.ts";

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

/** Body of `PUT /api/travelers/{userId}`. It replaces the profile: a field that is left out is gone. */
export const TravelerBody = z.strictObject({
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

export const TravelerAnswer = TravelerBody.extend({ userId: z.string() });

export type TravelerAnswer = TravelerProfile & { userId: string };

export async function readTraveler(request: {
  travelers: Travelers;
  principal: Principal;
  userId: string;
}): Promise<TravelerAnswer> {
  const { travelers, principal, userId } = request;
  const profile = isUserId(userId) ? await travelers.get(principal.tenantId, userId) : undefined;
  if (profile === undefined) {
    throw new Failure("not_found", {
      detail: "This tenant has no traveler with this id. PUT the profile to create it.",
    });
  }
  return { userId, ...profile };
}

/** `created` tells 201 from 200. */
export async function writeTraveler(request: {
  travelers: Travelers;
  principal: Principal;
  userId: string;
  body: unknown;
  /** Births after it are refused; the date in UTC will do. */
  today: Temporal.PlainDate;
}): Promise<{ created: boolean; traveler: TravelerAnswer }> {
  const { travelers, principal, userId, today } = request;
  if (!isUserId(userId)) throw invalidInput([{ path: "userId", message: `must be ${USER_ID_RULE}` }]);
  const { userId: userIdInBody, ...profile } = TravelerBody.parse(validateArguments(TravelerBody, request.body));
  const issues: Issue[] = [];
  if (userIdInBody !== undefined && userIdInBody !== userId) {
    issues.push({ path: "userId", message: "must be the one in the path, or be left out" });
  }
  const { bornOn } = profile;
  if (bornOn !== undefined && (bornOn < EARLIEST_BIRTH || bornOn > today.toString())) {
    issues.push({ path: "bornOn", message: `must lie between ${EARLIEST_BIRTH} and today` });
  }
  if (issues.length > 0) throw invalidInput(issues);
  const created = await travelers.put(principal.tenantId, userId, profile, principal.serviceAccountId);
  return { created, traveler: { userId, ...profile } };
}
