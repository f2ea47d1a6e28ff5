import { z } from "zod";
import { containsCardNumber } from "../../domain/card-numbers.ts";
import { isCountryAlpha3, isNationality, namesNoNationality } from "../../domain/countries.ts";
import type { Issue } from "../../domain/errors.ts";
import { languageProblem, nameProblem } from "../../domain/profile-fields.ts";
import { Email, IsoDate, PhoneNumber } from "../../domain/schemas.ts";
import type { Clock } from "../../ports/clock.ts";

const DOCUMENT_NUMBER = /^[A-Za-z0-9]{5,20}$/;
const ACCOUNT_NUMBER = /^[A-Za-z0-9-]{2,30}$/;
const AIRLINE = /^[A-Za-z0-9]{2}$/;
const EARLIEST_BIRTH = "1900-01-01";
export const MOST_PASSPORTS = 5;
const MOST_ACCOUNTS = 20;

const withoutCardNumber = { message: "must not contain a payment card number" };

/** A text in which `findProblem` finds no problem. */
const checked = (schema: z.ZodString, findProblem: (text: string) => string | undefined) =>
  schema.check((context) => {
    const message = findProblem(context.value);
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
      .refine((code) => isNationality(code) || namesNoNationality(code), {
        message:
          "must be an ISO 3166-1 alpha-3 code, such as FRA; GBD, GBN, GBO, GBP or GBS for other British nationals; or XXA to XXC or XXX for a document without a nationality",
      })
      .describe("ISO 3166-1 alpha-3, or as printed: GBD or GBN, XXA stateless, XXB or XXC refugee, XXX unspecified"),
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

/** The fields of a profile. */
export const profileFields = {
  givenName: PersonName.exactOptional(),
  familyName: PersonName.exactOptional(),
  bornOn: IsoDate.exactOptional(),
  title: z.enum(["mr", "ms", "mrs", "miss", "dr"]).exactOptional(),
  gender: z.enum(["m", "f"]).exactOptional(),
  email: Email.max(254).exactOptional(),
  phoneNumber: PhoneNumber.exactOptional(),
  preferredLanguage: Language.exactOptional(),
  residence: z
    .string()
    .refine(isCountryAlpha3, { message: "must be a country's three-letter code (ISO 3166-1 alpha-3), such as FRA" })
    .exactOptional()
    .describe("Country of residence, ISO 3166-1 alpha-3"),
  loyaltyProgrammeAccounts: z.array(LoyaltyProgrammeAccount).max(MOST_ACCOUNTS),
  passports: z.array(Passport).max(MOST_PASSPORTS),
};

/** Checks against today's date in UTC, which a schema cannot know. */
export function birthProblem(bornOn: string | undefined, clock: Clock): Issue[] {
  const today = clock.now().toZonedDateTimeISO("UTC").toPlainDate().toString();
  if (bornOn === undefined || (bornOn >= EARLIEST_BIRTH && bornOn <= today)) return [];
  return [{ path: "bornOn", message: `must be between ${EARLIEST_BIRTH} and today, ${today}` }];
}
