import type { Random } from "../random.ts";

type Answers = readonly ("Yes" | "No")[] | "yes please";
/** How a traveler answers the question whether it is to be booked: by buttons at the same moment, or in words. */
const ANSWERS: readonly [Answers, ...Answers[]] = [
  ["Yes"],
  ["Yes"],
  ["Yes", "Yes"],
  ["Yes", "No"],
  ["No"],
  "yes please",
];
/** How the approver decides, where the tenant's policy asks one: a crowd of presses over several places, or one by the API. */
const DECISIONS = ["approve", "approve", "reject", "crowd", "mixed crowd", "by API"] as const;
const ROUTES = ["London to Paris", "Madrid to Barcelona", "Amsterdam to Berlin", "Frankfurt to London"] as const;
const DAYS_AHEAD = 40;
const MOST_DAYS = 240;
/** How many of the dialogues are invitations, where a guest can be reached. */
const INVITED = 0.4;

export interface Dialogue {
  readonly number: number;
  readonly opening: string;
  readonly answers: Answers;
  readonly decision: (typeof DECISIONS)[number];
}

/** A trip for a guest, whom a run waits for; with an approval, it then waits for the approver. */
export interface Invitation {
  readonly departureDate: string;
  readonly needsApproval: boolean;
}

/** Undefined: this one is a dialogue with the traveler. */
export function drawInvitation(random: Random, today: Temporal.PlainDate): Invitation | undefined {
  if (!random.chance(INVITED)) return undefined;
  const departureDate = today.add({ days: DAYS_AHEAD + random.between(0, 200) }).toString();
  return { departureDate, needsApproval: random.chance(0.5) };
}

/** The same for the same draws. */
export function drawDialogue(random: Random, number: number, today: Temporal.PlainDate): Dialogue {
  const route = random.pick(ROUTES);
  // A day of its own: a second ticket for one flight is refused.
  const date = today.add({ days: DAYS_AHEAD + (number % MOST_DAYS) });
  const day = date.toLocaleString("en-GB", { day: "numeric", month: "long", year: "numeric" });
  return {
    number,
    opening: `i need a flight from ${route} on ${day}, one way, just me`,
    answers: random.pick(ANSWERS),
    decision: random.pick(DECISIONS),
  };
}

/** How many bookings it may end with. */
export function listEnds({ answers, decision }: Dialogue, needsApproval: boolean): readonly number[] {
  if (answers.length === 1 && answers[0] === "No") return [0];
  const isSure = typeof answers === "string" || !answers.some((answer) => answer === "No");
  if (needsApproval && decision === "reject") return [0];
  return isSure && (!needsApproval || decision !== "mixed crowd") ? [1] : [0, 1];
}
