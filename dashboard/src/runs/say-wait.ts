import type { ReadWorkflowRunAnswer } from "../answers.ts";
import { toolName } from "../format.ts";
import { readStep } from "./say-step.ts";

type Wait = Pick<ReadWorkflowRunAnswer, "nextStepId" | "pauseReason" | "shown">;
type Shown = Readonly<Record<string, unknown>>;

/** The reasons of waits for people. The API gives them to agents, with the tools that go on. */
const WAITS: Readonly<Record<string, (shown: Shown) => string>> = {
  guest_claim: () =>
    "The guest has not claimed the trip yet. They open the link of their invitation and claim it with a wallet of their own. The run then continues by itself.",
  traveler_profile: () =>
    "A traveler’s profile lacks something that the booking needs. The guest of a trip gives it on the page of their invitation, and the run then continues by itself. Complete other profiles first, and then continue the run.",
  travelers: () =>
    "It is not known who flies. Name all passengers, or all but the first, who is the guest of the trip or, without one, whoever the run is for.",
  guests: () =>
    "It is not known who stays. Name the guests as in their passports: everyone, or everyone beside the guest of the trip.",
  place: ({ label, otherPlaces }) =>
    `It is not certain which place is meant. ${sayPlaces(label, otherPlaces)}Confirm it, or name another one. Nothing has been booked yet.`,
  overlap: () =>
    "A traveler already has a booking for the same time. Nothing has been bought yet: book all the same, or stop.",
  approval: () =>
    "The policy allows this only if a person approves it. Nothing is bought before that. The run then continues by itself.",
  offer_gone: () => "No flight that the policy and the budget allow could be booked. Search again, or end the run.",
  rate_gone: () => "No room that the policy and the budget allow could be booked. Search again, or end the run.",
  ticketing: () =>
    "The flight is booked, and the airline has not issued the tickets yet. There is nothing to do: the run continues by itself.",
  loss: ({ runs }) =>
    runs === undefined
      ? "Some bookings of the trip would not be refunded in full. Decide which of them are cancelled. Whatever is refunded in full is cancelled in any case, and the trip is closed. To leave the trip as it is, cancel this run."
      : "Another run of the trip has booked something that would not be refunded in full. Accept the loss, or let that run go on.",
  arrival: () =>
    "The money is on its way from another chain. There is nothing to do: the run continues by itself once it has arrived.",
  airline_change: ({ becomes }) =>
    Array.isArray(becomes) && becomes.length === 0
      ? "The airline cancelled the flights. Give the booking back, which is done only if its whole price comes back, or leave it and ask the airline for another flight."
      : "The airline moved the flights. Accept the new times, which costs nothing, give the booking back, which is done only if its whole price comes back, or leave it and answer the airline in another way.",
};

function sayPlaces(label: unknown, others: unknown): string {
  if (typeof label !== "string") return "";
  const rest = Array.isArray(others) && others.length > 0 ? `; it could also be ${others.join("; ")}` : "";
  return `It was taken as ${label}${rest}. `;
}

export function sayWait({ nextStepId, pauseReason, shown }: Wait): string {
  const { step, question } = readStep(nextStepId ?? "");
  const name = `“${toolName(step)}”`;
  switch (question) {
    case "approval":
      return `${name} needs a person’s approval. Nothing is done before that. The run then continues by itself.`;
    case "key":
      return `The key that started the run was revoked, or may no longer do ${name}. Continue the run, and it goes on with your permissions, or end it.`;
    case "changed":
      return `The workflow was changed by an update, so that the run cannot go on after ${name}. Try again once whoever runs this deployment has mended it, or end the run.`;
    case "stuck":
      return `${name} has failed several times. Try it again, or end the run. ${pauseReason ?? ""}`;
    default:
      return WAITS[step]?.(shown ?? {}) ?? pauseReason ?? "";
  }
}
