import { createHash } from "node:crypto";
import { userIds } from "../calls/travelers.ts";
import type { Random } from "../random.ts";

/** A wish of one traveler for one conversation, how they say it, and how they answer. */
export interface Dialogue {
  readonly number: number;
  readonly userId: string;
  readonly wants: "flight" | "payment";
  /** The address that is paid; nobody else pays it. */
  readonly payee: `0x${string}` | undefined;
  readonly opening: string;
  /** After it, while nothing is asked. */
  readonly further: readonly string[];
  /** To the question whether it is to be done. Several are said at the same moment. */
  readonly answers: readonly string[];
}

export interface Style {
  readonly wants: readonly ["flight", ...Dialogue["wants"][]];
  say(origin: string, destination: string, date: Temporal.PlainDate): Pick<Dialogue, "opening" | "further">;
}

const ROUTES = ["LHR-JFK", "LHR-CDG", "FRA-LHR", "MAD-BCN", "CDG-FCO", "AMS-BER"] as const;
const CITIES: Readonly<Record<string, string>> = {
  LHR: "London",
  JFK: "New York",
  CDG: "Paris",
  FRA: "Frankfurt",
  MAD: "Madrid",
  BCN: "Barcelona",
  FCO: "Rome",
  AMS: "Amsterdam",
  BER: "Berlin",
};
const DAYS_AHEAD = 40;
const MOST_DAYS = 200;
const ANSWERS = [
  ["yes"],
  ["yes"],
  ["Yes, please"],
  ["yes", "yes"],
  ["yes", "yes", "and the weather?"],
  ["no"],
] as const;

/** In words, as people write to the rules model. */
export const inWords: Style = {
  wants: ["flight"],
  say: (origin, destination, date) => ({
    opening: `i need a flight from ${CITIES[origin]} to ${CITIES[destination]} on ${date.toLocaleString("en-GB", { day: "numeric", month: "long", year: "numeric" })}, one way, just me`,
    further: ["ok book the cheapest one"],
  }),
};

/** As the scripted model reads it. */
export const inCodes: Style = {
  wants: ["flight", "payment"],
  say: (origin, destination, date) => ({
    opening: `Book a flight from ${origin} to ${destination} on ${date.toString()}`,
    further: [],
  }),
};

/** The same for the same draws. */
export function drawDialogue(style: Style, random: Random, number: number, today: Temporal.PlainDate): Dialogue {
  const wants = random.pick(style.wants);
  const answers = random.pick(ANSWERS);
  const userId = random.pick(userIds);
  if (wants === "payment") {
    const payee = `0x${createHash("sha256").update(`talked ${number}`).digest("hex").slice(0, 40)}` as const;
    const opening = `Send ${random.between(1, 9)}.25 USDC to ${payee}`;
    return { number, userId, wants, payee, answers, opening, further: [] };
  }
  // No two dialogues share a route and a day: a second ticket of one traveler for one flight is refused.
  const turn = Math.floor(number / MOST_DAYS);
  const [origin = "", destination = ""] = (ROUTES[(number + turn) % ROUTES.length] ?? "").split("-");
  const date = today.add({ days: DAYS_AHEAD + (number % MOST_DAYS) });
  return { number, userId, wants, payee: undefined, answers, ...style.say(origin, destination, date) };
}

/** The traveler's answers to questions about a slot. */
export const SLOT_ANSWERS: Readonly<Record<string, string>> = {
  passengers: "just me",
  companions: "nobody else",
  returnDate: "no return, one way",
  choice: "the cheapest",
};
