import type { Reading } from "../reading/read-message.ts";
import { ASKS_WHO_APPROVES } from "./choose-wishes.ts";
import type { State, Wish } from "./state.ts";

/** Wishes that no conversation fulfils, where a wrong guess would cost money. */
export const BEYOND = ["airlineCancelled", "cancelPart", "invoice", "assistance", "noHold", "refund", "paid"] as const;
interface Beyond {
  readonly kind: (typeof BEYOND)[number];
  readonly reading: Reading;
}

/** "My flight was cancelled", "el vuelo fue cancelado": the airline did it, not the traveler. */
const CANCELLED_BY_AIRLINE =
  /\b(?:flight|flug|vuelo)\b[^.!?]*\b(?:(?:was|were|is|got|been|has been) (?:just )?cancel+ed|(?:wurde|ist|wird)\b[^.!?]*\b(?:gestrichen|annulliert|storniert|ausgefallen)|fallt\b[^.!?]*\baus|(?:fue|ha sido|esta) cancelado)\b|\b(?:they|airline|lufthansa|ryanair|easyjet)(?: has| have)? (?:just )?cancel+ed (?:my|our|the) flight\b|\b(?:han cancelado|cancelaron) (?:mi|nuestro|el) vuelo\b/;
const ONLY = /\b(?:only|just|nur|blos|lediglich|solo|solamente|unicamente)\b/;
const ONE_WAY_OR_PART =
  /\b(?:his|her|their|seine[nr]?|ihre[nr]?|su) (?:part|seat|ticket|teil|platz|ticket|parte|plaza|billete)\b|\b(?:return|outbound|inbound|way (?:back|out|there)|ruckflug|hinflug|ruckweg|hinweg|vuelta|ida)\b/;
const INVOICE = /\b(?:invoices?|receipts?|rechnung(?:en)?|quittung(?:en)?|facturas?|recibos?)\b/;

/** "What did we pay for ZZADYX?", "what did the Lisbon trip cost?" */
const PAID =
  /\b(?:pay|paid|spend|spent|cost|costs|charged|be?zahlt|gezahlt|ausgegeben|kostete\w*|gekostet|pagado|pagamos|pague|gastado|gastamos|costo|costado|cobrado)\b/;
const PAST =
  /\b(?:did|have|has|was|were|paid|spent|charged|habe|haben|hat|wurde|ha|han|he|hemos|pagamos|pague|gastamos|costo|kostete\w*)\b/;

/** "Where is the refund for our trip to Berlin?": for what was cancelled, and not for what would be. */
const REFUND_WORDS =
  "(?:refund(?:s|ed)?|money back|(?:ruck)?erstattung(?:en)?|erstattet|geld zuruck|reembolsos?|devolucion|devuelto)";
const REFUND = new RegExp(
  String.raw`\b(?:where|when|what (?:happened|about)|status|wo|wann|was ist mit|donde|cuando|que pasa con)\b[^?.!]*\b${REFUND_WORDS}\b|\b${REFUND_WORDS}\b[^?.!]*\b(?:(?:this|last|dies\w*|letzt\w*|vorig\w*|este|esta|ultim[oa]) (?:week|month|woche|monats?|mes|semana)|(?:mes|semana) pasad[oa])\b|\b${REFUND_WORDS}\b[^?.!]*\b(?:arrived|come|came|received|(?:an|ein|zuruck)?gekommen|eingegangen|llegado|llego)\b`,
);
/** "How much money have I got back this month?" */
const CAME_BACK =
  /\b(?:how much|what)\b[^?.!]*\b(?:(?:got|gotten|received) back|came back|come back|been refunded|was refunded)\b|\bwie ?viel\b[^?.!]*\b(?:zuruckbekommen|zuruckerhalten|zuruckgekommen|erstattet (?:bekommen|worden))\b|\bcuanto\b[^?.!]*\b(?:(?:han|ha) devuelto|devolvieron|reembolsaron|(?:han|ha) reembolsado)\b/;
const SUPPOSED = /\b(?:if|would|could|can|wenn|falls|wurde|konnte|kann|si|seria|podria|puedo)\b/;

/** `isForSome`: travelers are named. */
export function findBeyond(reading: Reading, isForSome: boolean): Beyond | undefined {
  const { folded, kinds } = reading;
  if (CANCELLED_BY_AIRLINE.test(folded)) return { kind: "airlineCancelled", reading };
  if (kinds.has("cancel") && ONLY.test(folded) && (isForSome || ONE_WAY_OR_PART.test(folded)))
    return { kind: "cancelPart", reading };
  if (REFUND.test(folded) && !SUPPOSED.test(folded)) return { kind: "refund", reading };
  if (CAME_BACK.test(folded)) return { kind: "refund", reading };
  if (asksForPaid(reading)) return { kind: "paid", reading };
  const isOther = ["flight", "stay", "want", "book", "cancel", "change"].filter((kind) => kinds.has(kind)).length > 1;
  return INVOICE.test(folded) && !isOther ? { kind: "invoice", reading } : undefined;
}

/** A booking that is named, and not all that was spent. */
function asksForPaid({ folded, kinds, ids, places, dates }: Reading): boolean {
  if (!PAID.test(folded) || !PAST.test(folded) || INVOICE.test(folded)) return false;
  if (["cancel", "change", "book", "want", "policy"].some((kind) => kinds.has(kind))) return false;
  if (ASKS_WHO_APPROVES.test(folded)) return false;
  const isJourney = places.length === 1 && dates.length === 0 && !/\bif\b|\bwenn\b|\bsi\b/.test(folded);
  return ids.length > 0 || isJourney;
}

/** Says that a receipt comes after the booking that is asked for beside it. */
export function withInvoice(reading: Reading, wishes: readonly Wish[]): readonly Wish[] {
  const isJourney = wishes.some(({ kind }) => /^(?:find|book|more)(?:Flights?|Stays?)$/.test(kind));
  return isJourney && INVOICE.test(reading.folded) ? [...wishes, { kind: "invoiceLater", reading }] : wishes;
}

/** Says that no fare is held beside what is found. */
export function withHold(reading: Reading, wishes: readonly Wish[]): readonly Wish[] {
  if (!reading.isHoldWanted) return wishes;
  const others = wishes.filter(({ kind }) => !/^(?:unknown|foreign|help|refuse|done|showOrders)$/.test(kind));
  return [...others, { kind: "noHold", reading }];
}

/** Adds the answer about a wheelchair: once, and again to whoever speaks of nothing else. */
export function withAssistance(state: State, reading: Reading, wishes: readonly Wish[]): readonly Wish[] {
  if (!reading.isAssistanceWanted) return wishes;
  const others = wishes.filter(({ kind }) => !/^(?:unknown|foreign|help|refuse|done)$/.test(kind));
  if (state.isAssistanceTold && others.length > 0 && !reading.text.includes("?")) return wishes;
  state.isAssistanceTold = true;
  return [...others, { kind: "assistance", reading }];
}
