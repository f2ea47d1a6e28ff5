import type { ModelToolResult } from "../../../ports/language-model.ts";
import { ASIDES } from "../state/asides.ts";
import type { Wish } from "../state/state.ts";
import { tellRefunds } from "./accounts.ts";
import { bookFlight, tellConditions } from "./book-flight.ts";
import { tellIsBooked, tellMeals } from "./booked.ts";
import { tellBookingFacts } from "./booking-facts.ts";
import { tellEligibility } from "./entry.ts";
import { findFlights } from "./flights.ts";
import { remind, tellEmergency, tellRestaurants, tellTime, tellTransfer, tellWeather } from "./information.ts";
import { issueInvoice, tellPaid } from "./invoices.ts";
import { tellSpent, tellTotal, tellTreasury, tellUsage } from "./money.ts";
import { ask, call, type Deciding, type Outcome, tell } from "./outcome.ts";
import { tellPolicy } from "./policy.ts";
import { sayStrangers } from "./register-traveler.ts";
import { cancelOrder, changeOrder, chooseChange, quoteCancel, showOrders } from "./servicing.ts";
import { bookStay, findStays } from "./stays.ts";
import { helpStranded } from "./stranded.ts";

const DECIDERS: Readonly<Record<Wish["kind"], (deciding: Deciding, wish: Wish) => Outcome>> = {
  findFlights,
  moreFlights: findFlights,
  bookFlight,
  flightConditions: tellConditions,
  findStays,
  moreStays: findStays,
  bookStay,
  changeOrder,
  chooseChange,
  cancelOrder,
  quoteCancel,
  showOrders,
  policy: tellPolicy,
  treasury: tellTreasury,
  visa: tellEligibility,
  weather: tellWeather,
  timeNow: tellTime,
  transfer: tellTransfer,
  restaurant: tellRestaurants,
  reminder: remind,
  usage: tellUsage,
  spent: tellSpent,
  emergency: tellEmergency,
  bookingFacts: tellBookingFacts,
  nothingCancelled: ({ speaker }) => tell(speaker.say("nothingCancelled")),
  total: tellTotal,
  showAgain,
  help: ({ speaker }) => tell(speaker.say("abilities")),
  greet: ({ speaker }) => tell(speaker.say("greet")),
  thanks: ({ speaker }) => tell(speaker.say("thanks")),
  bye: ({ speaker }) => tell(speaker.say("bye")),
  forget: ({ speaker }) => tell(speaker.say("forget")),
  refuse: ({ speaker }) => tell(speaker.say("refuse")),
  accept: ({ speaker, state }) =>
    state.lastShown === undefined ? tell(speaker.say("nothingOpen")) : ask("choice", speaker.say("askChoice")),
  done: ({ speaker }) => tell(speaker.say("nothingElse")),
  cannot: sayCannot,
  airlineCancelled: ({ speaker }) => tell(speaker.say("airlineCancelled")),
  cancelPart: ({ speaker }) => tell(speaker.say("cancelPart")),
  assistance: ({ speaker }) => tell(speaker.say("assistance")),
  noted: (deciding) => ask("choice", sayStrangers(deciding) || deciding.speaker.say("askChoice")),
  noHold: ({ speaker }) => tell(speaker.say("noHold")),
  refund: tellRefunds,
  airlineRequest: ({ speaker }) => tell(speaker.say("airlineRequest")),
  notTaken: ({ speaker }) => tell(speaker.say("notTaken")),
  stayFollows: ({ speaker }) => tell(speaker.say("stayFollows")),
  invoice: issueInvoice,
  invoiceLater: ({ speaker }) => tell(speaker.say("invoiceLater")),
  paid: tellPaid,
  isBooked: tellIsBooked,
  meals: tellMeals,
  stranded: helpStranded,
  unknown: ({ speaker }) => tell(`${speaker.say("unknown")} ${speaker.say("abilities")}`),
  foreign: ({ speaker }) => tell(`${speaker.say("foreign")} ${speaker.say("abilities")}`),
};

const FINISHERS: Readonly<Record<string, (deciding: Deciding, wish: Wish) => Outcome>> = {
  book_flight: bookFlight,
  book_stay: bookStay,
  save_traveler: bookFlight,
  confirm_cancel_order: cancelOrder,
  confirm_order_change: chooseChange,
  generate_booking_invoice: issueInvoice,
};

/** The call again, which the loop shows and asks about again, and then the words about its end. */
function showAgain(deciding: Deciding, wish: Wish): Outcome {
  if (wish.kind !== "showAgain") return {};
  const { deed } = wish;
  const isTold = deciding.state.results.some(({ result }) => result.name === deed.name);
  return isTold ? (FINISHERS[deed.name]?.(deciding, wish) ?? {}) : call(deed);
}

function sayCannot({ speaker }: Deciding, wish: Wish): Outcome {
  if (wish.kind !== "cannot") return {};
  return tell(speaker.say("cannot", { what: speaker.list(wish.what.map((one) => speaker.say(one))) }));
}

/** Calls of all wishes come first and at once, then the words about all of them. */
export function decide(deciding: Deciding): Outcome {
  const { wishes, results } = deciding.state;
  const done = results.findLast(({ result }) => result.name in FINISHERS && result.outcome !== "withdrawn")?.result;
  const [first] = wishes;
  if (done !== undefined && first !== undefined && wishes.every(({ kind }) => ASIDES.has(kind)))
    return FINISHERS[done.name]?.(deciding, first) ?? {};
  return withEnd(deciding, done, decideWishes(deciding));
}

/** The end of what a yes has run, before the answer to the wish that came with the yes. */
function withEnd(deciding: Deciding, done: ModelToolResult | undefined, outcome: Outcome): Outcome {
  const { state } = deciding;
  const [first] = state.wishes;
  const isOwn = state.wishes.some(({ kind }) => DEED_WISHES.test(kind));
  if (done === undefined || first === undefined || isOwn || outcome.calls !== undefined) return outcome;
  const told = FINISHERS[done.name]?.({ ...deciding, state: { ...state, isStayNext: false } }, first);
  if (told?.text === undefined || told.calls !== undefined) return outcome;
  return { ...outcome, text: `${told.text}\n\n${outcome.text ?? ""}` };
}

const DEED_WISHES = /^(?:book|save|cancelOrder|chooseChange|invoice|showAgain|accept|noted)/;

function decideWishes(deciding: Deciding): Outcome {
  const { wishes, deed } = deciding.state;
  const shownAgain = wishes.find(({ kind }) => kind === "showAgain");
  const others = wishes.filter((wish) => wish !== shownAgain);
  const outcomes = others.map((wish) => DECIDERS[wish.kind](deciding, wish));
  const calls = outcomes.flatMap((outcome) => outcome.calls ?? []);
  // Words beside a call that the loop asks about.
  const said = outcomes.flatMap(({ text, calls: own }) => (own === undefined || text === undefined ? [] : [text]));
  if (calls.length > 0) return { calls, ...(said.length === 0 ? {} : { text: said.join("\n\n") }) };
  // A question about what is to be confirmed is answered, and then the same is asked again.
  const isAboutDeed = others.length > 0 && others.every(({ kind }) => kind === "flightConditions" || kind === "total");
  const again = deed !== undefined && isAboutDeed ? [deed] : [];
  const texts = outcomes.flatMap(({ text }) => (text === undefined ? [] : [text]));
  if (shownAgain !== undefined) {
    const outcome = showAgain(deciding, shownAgain);
    return { ...outcome, text: [...texts, ...(outcome.text === undefined ? [] : [outcome.text])].join("\n\n") };
  }
  const question = outcomes.findLast((outcome) => outcome.question !== undefined)?.question;
  if (again.length > 0) return { text: texts.join("\n\n"), calls: again };
  return { text: texts.join("\n\n"), ...(question === undefined ? {} : { question }) };
}
