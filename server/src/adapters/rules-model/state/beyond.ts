import type { Reading } from "../reading/read-message.ts";
import type { State, Wish } from "./state.ts";

/** Wishes that no conversation fulfils, where a wrong guess would cost money. */
export const BEYOND = ["airlineCancelled", "cancelPart", "invoice", "assistance", "noHold", "refund"] as const;
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

/** "Where is the refund for our trip to Berlin?": for what was cancelled, and not for what would be. */
const REFUND_WORDS =
  "(?:refund(?:s|ed)?|money back|(?:ruck)?erstattung(?:en)?|erstattet|geld zuruck|reembolsos?|devolucion|devuelto)";
const REFUND = new RegExp(
  String.raw`\b(?:where|when|what (?:happened|about)|status|wo|wann|was ist mit|donde|cuando|que pasa con)\b[^?.!]*\b${REFUND_WORDS}\b|\b${REFUND_WORDS}\b[^?.!]*\b(?:arrived|come|came|received|(?:an|ein|zuruck)?gekommen|eingegangen|llegado|llego)\b`,
);
const SUPPOSED = /\b(?:if|would|could|can|wenn|falls|wurde|konnte|kann|si|seria|podria|puedo)\b/;

/** `isForSome`: travelers are named. */
export function findBeyond(reading: Reading, isForSome: boolean): Beyond | undefined {
  const { folded, kinds } = reading;
  if (CANCELLED_BY_AIRLINE.test(folded)) return { kind: "airlineCancelled", reading };
  if (kinds.has("cancel") && ONLY.test(folded) && (isForSome || ONE_WAY_OR_PART.test(folded)))
    return { kind: "cancelPart", reading };
  if (REFUND.test(folded) && !SUPPOSED.test(folded)) return { kind: "refund", reading };
  const isOther = ["flight", "stay", "want", "book", "cancel", "change"].filter((kind) => kinds.has(kind)).length > 1;
  return INVOICE.test(folded) && !isOther ? { kind: "invoice", reading } : undefined;
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
