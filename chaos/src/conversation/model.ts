import { setTimeout as delay } from "node:timers/promises";
import type { ModelAnswer, Reply } from "../../../server/test/support/scripted-model/model-answer.ts";
import type { SeenMessage, SeenStep } from "../../../server/test/support/scripted-model/seen-step.ts";

/** A kill falls into the time that a model takes to think. */
const THINKS_MILLISECONDS = 60;
/** So often the first of the two models is overloaded, and the other one, with the other wire, is asked. */
const OVERLOADED_EACH = 3;

const FLIGHT = /from ([A-Z]{3}) to ([A-Z]{3}) on (\d{4}-\d\d-\d\d)/;
const PAYMENT = /(\d+\.\d+) USDC to (0x[0-9a-f]{40})/;
const OFFER = /\\?"id\\?":\s*\\?"(off_\w+)/;

/** A language model that books the flight, or sends the money, that the last message asks for. */
export async function answerStep(step: SeenStep, turn: number): Promise<ModelAnswer> {
  await delay(THINKS_MILLISECONDS);
  if (step.wire === "anthropic" && turn % OVERLOADED_EACH === 0) return { status: 529 };
  return reply(step.messages);
}

function reply(messages: readonly SeenMessage[]): Reply {
  const last = messages.at(-1);
  const results = last?.results ?? [];
  if (results.length === 0) return begin(last?.text ?? "");
  const called = messages.findLast(({ calls }) => calls.length > 0)?.calls.at(0)?.name;
  const offerId = OFFER.exec(results.join("\n"))?.[1];
  if (called !== "search_flights") return { text: ["That ", "was ", "all."] };
  if (offerId === undefined) return { text: ["I found no flight."] };
  return { text: ["I take ", "the first one. "], calls: [{ name: "book_flight", args: { offerId } }] };
}

function begin(text: string): Reply {
  const [, origin, destination, departureDate] = FLIGHT.exec(text) ?? [];
  if (departureDate !== undefined) {
    return { text: ["I look."], calls: [{ name: "search_flights", args: { origin, destination, departureDate } }] };
  }
  const [, amount, to] = PAYMENT.exec(text) ?? [];
  if (to !== undefined) return { calls: [{ name: "send_tokens", args: { to, amount, token: "USDC" } }] };
  return { text: ["Is there ", "anything ", "else?"] };
}
