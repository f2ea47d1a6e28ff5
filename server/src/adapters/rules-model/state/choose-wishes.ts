import type { Choice, Reading } from "../reading/read-message.ts";
import { chooseDescribed, shownFlights, shownStays } from "./shown.ts";
import type { State, Wish } from "./state.ts";

const SOCIAL = new Set(["greet", "thanks", "bye", "yes", "no", "skip", "sign", "instead", "word"]);
export const INFORMATION = [
  "policy",
  "treasury",
  "visa",
  "weather",
  "timeNow",
  "transfer",
  "restaurant",
  "reminder",
  "usage",
  "spent",
  "emergency",
] as const;

/** A message of nothing but a greeting, thanks, a yes or a no. */
export function findSocialWish(state: State, reading: Reading): Wish | undefined {
  const { kinds, marks } = reading;
  if (kinds.has("help") && !hasSlots(reading) && !kinds.has("flight") && !kinds.has("stay"))
    return { kind: "help", reading };
  // "That one, then", of the one that was spoken of or the only one.
  const isThat = state.lastShown !== undefined && kinds.has("it");
  const known = [...kinds].filter((kind) => kind !== "word" && !(isThat && kind === "it"));
  const isSocial =
    known.every((kind) => SOCIAL.has(kind)) && marks.list.filter(({ kind }) => kind === "word").length <= 3;
  if (!isSocial) return undefined;
  if (isThat && !kinds.has("word") && !kinds.has("no")) return acceptShown(state, reading);
  if (kinds.has("bye")) return { kind: "bye", reading };
  if (kinds.has("no") && !kinds.has("word") && !isOpen(state)) return { kind: "done", reading };
  if (kinds.has("thanks")) return { kind: "thanks", reading };
  const hasAsked = state.lastShown !== undefined || state.question !== undefined;
  const isAsking = state.question !== undefined && state.lastShown === undefined && state.pending === undefined;
  // A yes to "Which day?" is no answer: the question stays.
  if (kinds.has("yes") && isAsking && (state.task === "flight" || state.task === "stay"))
    return { kind: state.task === "flight" ? "findFlights" : "findStays", reading };
  if (kinds.has("yes") && hasAsked) return acceptShown(state, reading);
  if (kinds.has("yes") && !kinds.has("word") && !kinds.has("greet")) return { kind: "accept", reading };
  if (kinds.has("no") && !kinds.has("word")) return { kind: "refuse", reading };
  if (kinds.has("greet") && marks.list.filter(({ kind }) => kind === "word").length <= 2)
    return { kind: "greet", reading };
  return undefined;
}

/** A yes where one thing is shown, or was spoken of, takes it: what it buys is shown and asked about again. */
function acceptShown(state: State, reading: Reading): Wish {
  const { spoken } = state;
  const choice = { ordinal: 1 };
  if (state.lastShown === "flights" && shownFlights(state).length === 1) return { kind: "bookFlight", choice, reading };
  if (state.lastShown === "stays" && shownStays(state).length === 1) return { kind: "bookStay", choice, reading };
  if (state.lastShown === "changes" && state.changes?.length === 1) return { kind: "chooseChange", choice, reading };
  if (spoken !== undefined && state.lastShown === "flights") return { kind: "bookFlight", ...spoken };
  if (spoken !== undefined && state.lastShown === "stays") return { kind: "bookStay", ...spoken };
  return { kind: "accept", reading };
}

/** Whether something was asked or offered that a no refuses. */
export const isOpen = (state: State): boolean =>
  state.lastShown !== undefined || state.question !== undefined || state.deed !== undefined;

/** Whether it names anything that a search depends on. */
export function hasSlots(reading: Reading): boolean {
  const { dates, places, party, cabin, maximum, times, nights, duration, airlines, kinds, stars, bags, strangers } =
    reading;
  return (
    dates.length > 0 ||
    places.length > 0 ||
    party.adults !== undefined ||
    party.children !== undefined ||
    cabin !== undefined ||
    maximum !== undefined ||
    Object.keys(times).length > 0 ||
    nights !== undefined ||
    duration !== undefined ||
    airlines.length > 0 ||
    strangers.length > 0 ||
    bags !== undefined ||
    stars !== undefined ||
    ["nonStop", "refundable", "changeable", "oneWay", "roundTrip"].some((kind) => kinds.has(kind))
  );
}

/** "Can Dev travel from Munich to Zurich?", "¿puede Dev viajar a México?" */
const ASKS_TO_TRAVEL =
  /^[^\p{L}]*(?:can|may|could|is|darf|kann|puede|podria|puedo)\b(?! you\b)[^?]*\b(?:travel|reisen|einreisen|viajar|entrar)\b[^?]*\?/u;

/** "How much is our budget, and what may I spend?" */
const ASKS_FOR_LIMIT =
  /\b(?:what|how (?:much|high)|which|wie ?(?:viel|hoch)|was|welche\w*|cual|cuanto|que)\b[^?]*\b(?:limits?|budgets?|\w*limit|ausgabengrenze|limite|presupuesto)\b/;
/** "How much did Ada cost us this month?" */
const COSTS_SO_FAR =
  /\b(?:how much|what|wie ?viel|was|cuanto)\b[^?]*\b(?:(?:did|has|have)\b[^?]* cost|cost (?:us|me)|(?:uns|mich)\b[^?]* gekostet|(?:nos|me) (?:ha|han|costo|costaron))\b/;
/** "Who has to approve a trip that costs more than 2,000 dollars?" */
export const ASKS_WHO_APPROVES =
  /\b(?:who|wer|quien(?:es)?)\b[^?.!]*\b(?:approv\w*|genehmig\w*|freigeb\w*|freigibt|aprueb\w*|aprob\w*|autoriz\w*)\b/;
const NOT_OF_ACCOUNT = ["flight", "stay", "cabin", "policy", "trip"];

/** "I want no transfer", and "book the hotel closest to the center": the way there is not asked for. */
const isNoTransfer = ({ folded, kinds }: Reading): boolean =>
  /\b(?:no (?:quiero|queremos|necesito|necesitamos)|(?:don't|do not) (?:want|need)|kein\w*) (?:(?:a|any|an|un|ningun|el) )?(?:airport )?(?:transfer|taxi|shuttle|traslado)\b/.test(
    folded,
  ) ||
  (kinds.has("stay") &&
    kinds.has("book") &&
    !/\b(?:transfer|taxi|cab|shuttle|traslado|airport|flughafen|aeropuerto)/.test(folded));

export function findInformation(reading: Reading): Wish[] {
  const { kinds, places, folded } = reading;
  const isPlain =
    !hasSlots({ ...reading, dates: [], bags: undefined }) && NOT_OF_ACCOUNT.every((kind) => !kinds.has(kind));
  const asksLimit = isPlain && ASKS_FOR_LIMIT.test(folded);
  const asksCost = isPlain && COSTS_SO_FAR.test(folded) && !kinds.has("usage") && !kinds.has("total");
  const isAllowed = ASKS_TO_TRAVEL.test(folded) && places.length > 0 && !kinds.has("flight") && !kinds.has("stay");
  return INFORMATION.flatMap((kind) => {
    const isOther =
      (kind === "treasury" && asksLimit) ||
      (kind === "spent" && asksCost) ||
      (kind === "policy" && ASKS_WHO_APPROVES.test(folded));
    if (!kinds.has(kind) && !(kind === "visa" && isAllowed) && !isOther) return [];
    if (kind === "spent" && asksLimit) return [];
    // "A taxi to the restaurant", and food near a hotel that is looked for, are of the other topic.
    if (kind === "restaurant" && kinds.has("transfer")) return [];
    if (kind === "transfer" && isNoTransfer(reading)) return [];
    if (kind === "restaurant" && kinds.has("stay") && hasSlots(reading) && reading.dates.length > 0) return [];
    if (kind === "visa" && kinds.has("policy") && !/visa|visum|visado|pass/.test(reading.folded)) return [];
    // "How much is left, and what is our spending limit?" is about what there is.
    const isLeft = /\b(?:left|remaining|ubrig|queda\w*)\b/.test(folded);
    const isPast = /\b(?:spent|(?:did|have|has) \w+ spend|ausgegeben|gastado|gaste|gastamos)\b/.test(folded);
    if (kind === "spent" && kinds.has("treasury") && isLeft && !isPast) return [];
    if (kind === "treasury" && !isLeft && !asksLimit && (kinds.has("usage") || kinds.has("spent"))) return [];
    // "I'd spend 200 euros a night" and "I want to spend a week there" are of a journey.
    if (kind === "spent" && (kinds.has("policy") || hasSlots({ ...reading, dates: [], bags: undefined }))) return [];
    return [{ kind, reading }];
  });
}

/** "My flight", "the one that I booked". */
export const isOwned = ({ folded }: Reading): boolean =>
  /\b(?:my|our|meine[nrm]?|unsere[nrm]?|mis?|nuestr[oa]s?|booked|gebucht\w*|reservad[oa]s?|compre|compramos|reserve|reservamos)\b/.test(
    folded,
  );

/** Whether something that was booked is meant, and not the search that goes on. */
export function isAboutOrder(state: State, reading: Reading): boolean {
  const { kinds, ids } = reading;
  if (ids.length > 0) return true;
  if (state.lastShown === "flights" || state.lastShown === "stays") {
    const isNamed = kinds.has("order") || (kinds.has("cancel") && (kinds.has("flight") || kinds.has("stay")));
    return isNamed && isOwned(reading);
  }
  return true;
}

/** The choice among what is shown; undefined where none is made. */
export function findChoice(state: State, reading: Reading): Choice | undefined {
  const { choice, kinds, numbers, times, airlines } = reading;
  if (state.lastShown === undefined) return undefined;
  if (meansSpoken(state, reading)) return {};
  if (choice !== undefined) return choice;
  // "She will be six"
  if (state.question === "childAges") return undefined;
  if (state.lastShown === "stays" && asksForNearest(reading)) return { sort: "distance" };
  const [bare] = numbers;
  const isShort = reading.marks.list.filter(({ kind }) => kind !== "skip" && kind !== "sign").length <= 3;
  if (
    bare !== undefined &&
    Number.isInteger(bare) &&
    bare <= 10 &&
    !isArticle(reading) &&
    (kinds.has("book") || isShort)
  ) {
    return { ordinal: bare };
  }
  if (kinds.has("book") || times.departs?.exact !== undefined || airlines.length > 0) return {};
  return namesStay(state, reading) || describesStay(state, reading) || (state.question === "choice" && kinds.has("it"))
    ? {}
    : undefined;
}

/** "That first flight", "dieser Flug", "el que acaba de decirme" */
const SPOKEN_OF =
  /\bthat (?:(?:very|same|first) )?flight\b|\bthe (?:one|flight) (?:that )?(?:you|we) (?:(?:have |had )?just |already )?(?:quoted?|named|mentioned|told|gave|chose|picked|spoke|talked|discussed)\b|\b(?:diese[nrms]?|jene[nrms]?|denselben|desselben)(?: ersten?)? (?:flug\w*|verbindung)\b|\bde[nr] (?:den|der) (?:sie|du|wir) (?:mir )?(?:gerade|eben|zuletzt|vorhin)\b|\b(?:ese|aquel|este|mismo)(?: (?:primer|mismo))? vuelo\b|\b(?:el|la) que (?:me )?(?:acaba\w*|dijo|dijiste|cotizo|menciono|hablamos|elegimos|elegi)\b/;

/** The flight that was chosen or spoken of before, whatever else "first" may mean. */
function meansSpoken({ lastShown, picked, spoken }: State, { choice, folded, kinds }: Reading): boolean {
  const isKnown = lastShown === "flights" && (picked !== undefined || spoken !== undefined);
  const isOther =
    choice?.ordinal !== undefined ||
    choice?.flightNumber !== undefined ||
    (choice?.sort !== undefined && choice.sort !== "earliest");
  return isKnown && !isOther && kinds.has("book") && SPOKEN_OF.test(folded.replaceAll(",", ""));
}

const isArticle = ({ marks }: Reading): boolean => {
  const [index] = marks.find("number");
  return index !== undefined && /^(?:an?|one|un|una|uno|ein\w*)$/.test(marks.at(index).folded);
};

/** "Das nächste mit Frühstück", and not "nächste Woche". */
const asksForNearest = ({ folded, dates }: Reading): boolean =>
  dates.length === 0 &&
  /\b(?:das|dem|am) nachste[nrms]?\b(?! (?:woche\w*|wochenende|tag\w*|monat|jahr|\w*tag|mal)\b)/.test(folded);

function describesStay(state: State, reading: Reading): boolean {
  return state.lastShown === "stays" && chooseDescribed(shownStays(state), reading) !== undefined;
}

/** The stay whose name, or a word of it, is in the text. */
export function namesStay({ stays, lastShown }: State, { folded }: Reading): boolean {
  if (lastShown !== "stays") return false;
  return (stays?.stays ?? []).some(({ name }) => folded.includes(plainName(name)));
}

export const plainName = (name: string): string =>
  name
    .replace(/\s*\(.*\)$/, "")
    .toLowerCase()
    .trim();
