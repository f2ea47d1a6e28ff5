import { toolName } from "../format.ts";

/** A step of the workflow, how often it has come up, and a question about it that the runner asks. */
interface StepName {
  step: string;
  question: string | undefined;
  count: number;
}

const QUESTIONS = ["approval", "key", "stuck", "changed"];

/** "guest_claim", "guest_claim:2", "book_flight:approval:1". */
export function readStep(stepId: string): StepName {
  const parts = stepId.split(":");
  const count = Number(parts.at(-1));
  const isCounted = parts.length > 1 && Number.isInteger(count);
  const named = isCounted ? parts.slice(0, -1) : parts;
  const question = named.length > 1 && QUESTIONS.includes(named.at(-1) ?? "") ? named.at(-1) : undefined;
  const step = (question === undefined ? named : named.slice(0, -1)).join(" ");
  return { step, question, count: isCounted ? count : 1 };
}

/** A step as a row or a sentence names it. */
export function sayStep(stepId: string): string {
  const { step, question, count } = readStep(stepId);
  const again = count > 1 ? ` (${count})` : "";
  if (question === undefined) return `${toolName(step)}${again}`;
  return `${toolName(step)}: ${question === "approval" ? "approval" : "what to do"}${again}`;
}

const QUESTION_ANSWERS: Readonly<Record<string, string>> = {
  retry: "Another try was asked for",
  cancelled: "No other try was wanted",
  approved: "It was approved",
  rejected: "It was refused",
};

const ANSWERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  guest_claim: {
    claimed: "The guest claimed the trip",
    expired: "The guest did not claim the trip in time",
  },
  traveler_profile: {
    given: "The travelers’ profiles were completed",
    cancelled: "The travelers’ profiles were not completed",
  },
  travelers: { given: "The travelers were named", cancelled: "The travelers were not named" },
  guests: { given: "The guests were named", cancelled: "The guests were not named" },
  place: {
    confirmed: "The place was confirmed",
    changed: "Another place was named",
    cancelled: "No place was confirmed",
  },
  overlap: {
    go_on: "It was decided to book for the same time as well",
    stop: "It was decided not to book for the same time",
  },
  approval: { approved: "The offer was approved", rejected: "The offer was refused" },
  offer_gone: { retry: "Another search was asked for", cancelled: "No other search was wanted" },
  rate_gone: { retry: "Another search was asked for", cancelled: "No other search was wanted" },
  ticketing: { ticketed: "The airline issued the tickets", failed: "The airline did not issue the tickets" },
  loss: {
    cancel_all: "It was decided to cancel everything and to accept the loss",
    cancel_refundable: "It was decided to keep only what refunds nothing",
    cancelled: "It was decided to keep what cannot be cancelled without a loss",
  },
  arrival: {
    completed: "The money arrived",
    failed: "The transfer failed, and no money left",
    late: "The money did not arrive within a week",
  },
  airline_change: {
    accept: "The new flights were accepted",
    refuse: "The new flights were refused",
    cancelled: "The airline’s change was left unanswered",
  },
};

/** How a wait ended, as a clause. */
export function sayAnswer(stepId: string, status: string): string {
  const { step, question } = readStep(stepId);
  const known = (question === undefined ? ANSWERS[step] : QUESTION_ANSWERS)?.[status];
  return known ?? `${sayStep(stepId)}: ${status.replaceAll("_", " ")}`;
}
