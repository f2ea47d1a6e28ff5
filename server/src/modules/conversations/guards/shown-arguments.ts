import { z } from "zod";
import { toCountryAlpha2 } from "../../../domain/countries.ts";
import type { Words } from "../../../domain/texts.ts";
import { toVisibleText } from "../../../domain/visible-text.ts";
import { sayConfirmation } from "../texts/confirmation-texts.ts";
import { sayPerson } from "../texts/person-texts.ts";

/** The arguments of a call as a person reads them. Every argument is shown: nobody says yes to what they have not seen. */

const LONGEST_WORDS = 200;
const MOST_ARGUMENTS = 12;

const show = (text: string): string => toVisibleText(text, LONGEST_WORDS);

const Staying = z.looseObject({
  guests: z.array(z.looseObject({ givenName: z.string(), familyName: z.string() })).optional(),
  accommodationSpecialRequests: z.string().optional(),
});

/** Who stays, and what the hotel is asked for. */
export function describeStaying(args: unknown, words: Words): readonly string[] {
  const { guests = [], accommodationSpecialRequests: asked } = Staying.safeParse(args).data ?? {};
  const say = sayConfirmation(words);
  const names = guests.map(({ givenName, familyName }) => show(`${givenName} ${familyName}`));
  return [
    ...(names.length === 0 ? [] : [say("guests", { names: names.join(", ") })]),
    ...(asked === undefined ? [] : [say("request", { words: toVisibleText(asked, 1_000) })]),
  ];
}

const Person = z.strictObject({
  userId: z.string().optional(),
  givenName: z.string().optional(),
  familyName: z.string().optional(),
  bornOn: z.iso.date().optional(),
  title: z.enum(["mr", "ms", "mrs", "miss", "dr"]).optional(),
  gender: z.enum(["m", "f"]).optional(),
  email: z.string().optional(),
  phoneNumber: z.string().optional(),
  preferredLanguage: z.string().optional(),
  passports: z
    .array(z.looseObject({ nationality: z.string(), number: z.string(), expiresOn: z.iso.date() }))
    .optional(),
  loyaltyProgrammeAccounts: z
    .array(z.looseObject({ airlineIataCode: z.string(), accountNumber: z.string() }))
    .optional(),
});
type Person = z.output<typeof Person>;

/** For calls that buy nothing. `names`: of the tenant's people, by user id. */
export function describeArguments(args: unknown, words: Words, names: ReadonlyMap<string, string>): readonly string[] {
  const person = Person.safeParse(args).data;
  const isPerson = person !== undefined && Object.keys(person).some((name) => name !== "userId");
  return isPerson ? describePerson(person, words, names) : listArguments(args);
}

function describePerson(person: Person, words: Words, names: ReadonlyMap<string, string>): readonly string[] {
  const say = sayPerson(words);
  const { userId, givenName, familyName, bornOn, title, gender, email, phoneNumber, preferredLanguage } = person;
  const isWhole = givenName !== undefined && familyName !== undefined;
  const texts = (name: "givenName" | "familyName" | "email" | "phoneNumber", value: string | undefined) =>
    value === undefined ? [] : [say(name, { value: show(value) })];
  const known = userId === undefined ? undefined : names.get(userId);
  return [
    ...(isWhole
      ? [say("name", { value: show(`${givenName} ${familyName}`) })]
      : [...texts("givenName", givenName), ...texts("familyName", familyName)]),
    ...(bornOn === undefined ? [] : [say("bornOn", { value: words.date(Temporal.PlainDate.from(bornOn)) })]),
    ...(gender === undefined ? [] : [say("sex", { value: say(gender) })]),
    ...(title === undefined ? [] : [say("title", { value: say(title) })]),
    ...texts("email", email),
    ...texts("phoneNumber", phoneNumber),
    ...(preferredLanguage === undefined
      ? []
      : [say("preferredLanguage", { value: nameLanguage(preferredLanguage, words) })]),
    ...describeDocuments(person, words),
    userId === undefined
      ? say("ownProfile")
      : known === undefined
        ? say("otherProfile", { id: show(userId) })
        : say("knownProfile", { name: show(known) }),
  ];
}

function describeDocuments({ passports = [], loyaltyProgrammeAccounts = [] }: Person, words: Words) {
  const say = sayPerson(words);
  const countries = new Intl.DisplayNames(words.locale, { type: "region" });
  const nameCountry = (alpha3: string): string => {
    const alpha2 = toCountryAlpha2(alpha3);
    return alpha2 === undefined ? show(alpha3) : (countries.of(alpha2) ?? alpha3);
  };
  return [
    ...passports.map(({ nationality, number, expiresOn }) =>
      say("passport", {
        country: nameCountry(nationality),
        number: show(number),
        date: words.date(Temporal.PlainDate.from(expiresOn)),
      }),
    ),
    ...loyaltyProgrammeAccounts.map(({ airlineIataCode, accountNumber }) =>
      say("loyalty", { airline: show(airlineIataCode), number: show(accountNumber) }),
    ),
  ];
}

function nameLanguage(tag: string, { locale }: Words): string {
  try {
    return new Intl.DisplayNames(locale, { type: "language" }).of(tag) ?? tag;
  } catch {
    return show(tag);
  }
}

function listArguments(args: unknown): readonly string[] {
  if (typeof args !== "object" || args === null) return [];
  return Object.entries(args)
    .slice(0, MOST_ARGUMENTS)
    .map(([name, value]) => {
      const text = typeof value === "string" ? value : JSON.stringify(value);
      return `${show(name)}: ${show(text ?? "")}`;
    });
}
