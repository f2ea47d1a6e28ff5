import { hash } from "node:crypto";
import { fold } from "../reading/marks.ts";
import type { PersonDetails } from "../reading/personal.ts";
import { ask, call, type Deciding, findResult, type Outcome, sayFailure, tell } from "./outcome.ts";

/**
 * Saves the profile of somebody who was named without one, or asks for what it still needs, all at once. The loop shows the
 * profile and asks before it is saved. Undefined: everybody has one.
 */
export function registerTraveler(deciding: Deciding): Outcome | undefined {
  const { state, speaker } = deciding;
  const name = [...state.strangers].find((one) => !state.saved.has(one));
  if (name === undefined) return undefined;
  const details = state.details.get(name) ?? {};
  const missing = listMissing(name, details).map((one) => speaker.say(one));
  if (missing.length > 0) return ask("traveler", speaker.say("askTraveler", { name, missing: speaker.list(missing) }));
  const save = { name: "save_traveler", args: profile(name, details) };
  const saved = findResult(deciding, save);
  return saved === undefined ? call(save) : tell(sayFailure(saved, speaker));
}

/** Beside a list of flights: what a booking for those without a profile will need. */
export function sayStrangers({ speaker, state }: Deciding): string {
  const names = [...state.strangers].filter((one) => !state.saved.has(one));
  const [name] = names;
  if (name === undefined) return "";
  if (names.length > 1) return speaker.say("unknownTravelers", { names: speaker.list(names) });
  const missing = listMissing(name, state.details.get(name) ?? {}).map((one) => speaker.say(one));
  return missing.length === 0 ? "" : speaker.say("askTraveler", { name, missing: speaker.list(missing) });
}

type Missing = "fullName" | "birthDate" | "sex" | "mailAddress" | "phone";

function listMissing(name: string, { bornOn, gender, email, phoneNumber }: PersonDetails): readonly Missing[] {
  const known: readonly (readonly [Missing, boolean])[] = [
    ["fullName", name.includes(" ")],
    ["birthDate", bornOn !== undefined],
    ["sex", gender !== undefined],
    ["mailAddress", email !== undefined],
    ["phone", phoneNumber !== undefined],
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
