import { hash } from "node:crypto";
import { z } from "zod";
import { fold } from "../reading/marks.ts";
import type { PersonDetails } from "../reading/personal.ts";
import { findUnsaved } from "../state/people.ts";
import type { State } from "../state/state.ts";
import { ask, call, type Deciding, findResult, need, type Outcome, sayFailure, tell } from "./outcome.ts";

/**
 * Saves the profile of somebody who was named without one, or asks for what it still needs, all at once. The loop shows the
 * profile and asks before it is saved. Undefined: everybody has one.
 */
export function registerTraveler(deciding: Deciding): Outcome | undefined {
  const { state, speaker } = deciding;
  const name = findUnsaved(state);
  if (name === undefined) return undefined;
  const known = withContact(deciding, state.details.get(name) ?? {});
  if ("outcome" in known) return known.outcome;
  const { details } = known;
  const missing = listMissing(name, details, false).map((one) => speaker.say(one));
  if (missing.length > 0) return ask("traveler", speaker.say("askTraveler", { name, missing: speaker.list(missing) }));
  const save = { name: "save_traveler", args: profile(name, details) };
  const saved = findResult(deciding, save);
  return saved === undefined ? call(save) : tell(sayFailure(saved, speaker));
}

const ADULT_FROM = 18;
const Contacts = z.looseObject({
  travelers: z.array(
    z.looseObject({
      isCaller: z.boolean().nullish(),
      profile: z.looseObject({ email: z.string().nullish(), phoneNumber: z.string().nullish() }),
    }),
  ),
});

/** A child is reached through the caller. */
function withContact(
  deciding: Deciding,
  details: PersonDetails,
): { readonly details: PersonDetails } | { readonly outcome: Outcome } {
  const { bornOn, email, phoneNumber } = details;
  if (bornOn === undefined || (email !== undefined && phoneNumber !== undefined)) return { details };
  const day = deciding.state.flight.departure ?? deciding.today;
  const { years } = Temporal.PlainDate.from(bornOn).until(day, { largestUnit: "years" });
  if (years >= ADULT_FROM) return { details };
  const list = need(deciding, { name: "list_travelers", args: {} });
  if ("outcome" in list) return list;
  const own = Contacts.safeParse(list.result).data?.travelers.find(({ isCaller }) => isCaller === true)?.profile;
  const contact = {
    ...(own?.email == null ? {} : { email: own.email }),
    ...(own?.phoneNumber == null ? {} : { phoneNumber: own.phoneNumber }),
  };
  return { details: { ...contact, ...details } };
}

/** Beside a list of flights: what a booking for those without a profile will need. */
export function sayStrangers({ speaker, state }: Deciding): string {
  const names = [...state.strangers].filter((one) => !state.saved.has(one));
  const [name] = names;
  if (name === undefined) return "";
  if (names.length > 1) return speaker.say("unknownTravelers", { names: speaker.list(names) });
  const missing = listMissing(name, state.details.get(name) ?? {}, isChild(state, name)).map((one) => speaker.say(one));
  return missing.length === 0 ? "" : speaker.say("askTraveler", { name, missing: speaker.list(missing) });
}

type Missing = "fullName" | "birthDate" | "sex" | "mailAddress" | "phone";

/** By the date of birth; without one, where as many children travel as people are still to be saved. */
function isChild({ details, strangers, saved, party, flight }: State, name: string): boolean {
  const { bornOn } = details.get(name) ?? {};
  if (bornOn === undefined) return party.children >= [...strangers].filter((one) => !saved.has(one)).length;
  const day = flight.departure;
  return day !== undefined && Temporal.PlainDate.from(bornOn).until(day, { largestUnit: "years" }).years < ADULT_FROM;
}

/** A child is reached through the caller, and needs no address. */
function listMissing(
  name: string,
  { bornOn, gender, email, phoneNumber }: PersonDetails,
  isReached: boolean,
): readonly Missing[] {
  const known: readonly (readonly [Missing, boolean])[] = [
    ["fullName", name.includes(" ")],
    ["birthDate", bornOn !== undefined],
    ["sex", gender !== undefined],
    ["mailAddress", isReached || email !== undefined],
    ["phone", isReached || phoneNumber !== undefined],
  ];
  return known.flatMap(([what, isKnown]) => (isKnown ? [] : [what]));
}

function profile(name: string, { gender, title, ...details }: PersonDetails): Record<string, unknown> {
  const words = name.split(" ");
  return {
    userId: makeUserId(name, details.bornOn ?? ""),
    givenName: words.slice(0, -1).join(" "),
    familyName: words.at(-1),
    ...details,
    title: title ?? (gender === "m" ? "mr" : "ms"),
    gender,
  };
}

/** The same for the same person only, so that nobody else's profile is written over. */
function makeUserId(name: string, bornOn: string): string {
  const plain = fold(name)
    .replaceAll(/[^a-z0-9]+/g, "_")
    .slice(0, 40);
  return `user_${plain}_${hash("sha256", `${fold(name)} ${bornOn}`).slice(0, 8)}`;
}
