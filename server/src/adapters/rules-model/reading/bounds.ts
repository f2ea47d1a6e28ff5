import type { Marks } from "./cursor.ts";

/** Turns a bound that follows it: "not leaving before ten", "ohne vor zehn loszumüssen", "sin salir antes de las diez". */
const TURNS =
  /^(?:don't want|without|ohne|sin|nothing|none|never|no|not|nicht|nichts|nie|niemals|kein\w*|ungern|nada|ningun\w*|nunca|tampoco|cannot|hate|hating|avoid|avoiding|vermeid\w*|evit\w*|rather not|\p{L}+n't)\b/u;
/** Those that stand for a flight: they bound both ways where neither is named. */
const ANYTHING = /^(?:nothing|none|nichts|nada|kein\w*|ningun\w*|no (?:flights?|departures?|planes?))\b/;
/** "Nichts, was nach zehn abfliegt": the comma ends no clause. */
const RELATIVES = /^(?:was|das|die|der|que|that|which|with)$/;
/** After the bound: "vor zehn kann ich nicht", "before ten is too early". */
const TURNS_BEHIND = /^(?:not|nicht|nichts|nunca|imposible|impossible|cannot|\p{L}+n't)$|^(?:zu|too|demasiado|muy)$/u;
const EARLY = /^(?:early|fruh|temprano|pronto|late|spat|tarde)\b/;
/** Ends the clause of a bound, or is negated itself: "without bags, leaving before ten". */
const OTHER = /^(?:bag|board|stay|nonStop|and|sign|clock|number|weekday|date|month|day|currency|refundable)$/;
const FARTHEST = 9;

/** The mark that turns the bound at `index` round, if any does. */
function findTurn(marks: Marks, index: number, to: number): number | undefined {
  for (let at = index - 1; at >= 0 && index - at <= FARTHEST; at -= 1) {
    const { kind, folded } = marks.at(at);
    if (TURNS.test(folded) && kind !== "nonStop") return isAnswer(marks, at) ? undefined : at;
    if (kind === "sign" && RELATIVES.test(marks.at(at + 1).folded)) continue;
    if (OTHER.test(kind) || /^(?:but|aber|pero|sino|sondern)$/.test(folded)) return findBehind(marks, to);
  }
  return findBehind(marks, to);
}

/** "No, leaving before ten" */
const isAnswer = (marks: Marks, at: number): boolean => marks.kind(at) === "no" && marks.at(at + 1).kind === "sign";

function findBehind(marks: Marks, to: number): number | undefined {
  for (let at = to + 1; at - to <= 7; at += 1) {
    const { kind, folded, value } = marks.at(at);
    if (kind === "end" || OTHER.test(kind) || kind === "before" || kind === "after" || value === "?") return undefined;
    const isSpanish = folded === "no" && marks.kind(at) === "no" && marks.kind(at + 1) !== "bag";
    if (/^(?:zu|too|demasiado|muy|tan)$/.test(folded) && !EARLY.test(marks.at(at + 1).folded)) continue;
    if (TURNS_BEHIND.test(folded) || (isSpanish && !/^(?:with|mit|con)$/.test(marks.at(at - 1).folded))) return at;
  }
  return undefined;
}

/** The sentence around the mark ends with a question mark. */
function isAsked(marks: Marks, index: number): boolean {
  const end = marks.list.slice(index).find(({ kind, value }) => kind === "sign" && /^[.!?]$/.test(value));
  return end?.value === "?";
}

export interface Bound {
  readonly isUpper: boolean;
  /** "Nothing before ten": of whichever flight. */
  readonly isOfAny: boolean;
}

const TURNED_ALREADY = /^(?:not|nicht|no)\b/;

/** Whether the mark before or behind a time makes it the earliest or the latest; undefined: it does neither. */
export function readBound(marks: Marks, index: number, to: number): Bound | undefined {
  const { kind, folded } = marks.at(index);
  const behind = readBehind(marks, to);
  if (behind !== undefined) return { isUpper: behind === "before", isOfAny: false };
  const isUpper = kind === "before" || kind === "until";
  if (!isUpper && kind !== "after") return undefined;
  if (TURNED_ALREADY.test(folded) || kind === "until") return { isUpper, isOfAny: false };
  const turn = findTurn(marks, index, to);
  if (turn === undefined) return { isUpper, isOfAny: false };
  const isOfAny = ANYTHING.test(`${marks.at(turn).folded} ${marks.at(turn + 1).folded}`) && turn < index;
  // "Is there nothing that leaves after ten?" asks for one.
  if (isOfAny && isAsked(marks, index)) return { isUpper, isOfAny: false };
  return { isUpper: !isUpper, isOfAny };
}

/** "At ten at the earliest", "um acht spätestens". */
function readBehind(marks: Marks, to: number): "before" | "after" | undefined {
  const { folded } = marks.at(marks.pass(to + 1, ["skip"]));
  if (/^(?:at the earliest|fruhestens|como muy pronto|como muy temprano|como pronto)$/.test(folded)) return "after";
  if (/^(?:at the latest|spatestens|como muy tarde|como tarde|como maximo)$/.test(folded)) return "before";
  return undefined;
}

/** "Isn't so terribly early", "nicht zu spät": far enough from the edge of the day. */
export const isTurned = (marks: Marks, index: number): boolean => {
  const turn = findTurn(marks, index, index);
  return turn !== undefined && turn < index;
};

/** "Too early", "zu früh" */
export const isTooMuch = (marks: Marks, index: number): boolean =>
  /^(?:too|zu|demasiado)$/.test(marks.at(index - 1).folded);

const ARRIVES_HOME = new RegExp(
  [
    String.raw`\b(?:be (?:back|(?:at )?home)|(?:back|home) by|get(?:s|ting)? (?:(?:me|us) )?(?:back|home)|(?:we're|i'm|are|am) (?:back|(?:at )?home)|(?:arriv\w*|land\w*) (?:back )?(?:at )?home)\b`,
    // "Fly home before eleven" is when the flight leaves.
    String.raw`(?<!\b(?:fly|flying|flight|go|going|come|coming|leave|leaving|head|heading) )\bhome (?:before|no later than|at the latest)\b`,
    String.raw`\b(?:zuruck sein|zurucksein|daheim)\b|(?<!\bvon )\bzu hause\b`,
    String.raw`\b(?:estar|este|estemos|lleg\w+) (?:de (?:vuelta|regreso)|a casa)\b|\ben casa\b`,
  ].join("|"),
);

/** "Back by eight": the hour of the arrival, not of the flight. */
export function arrivesHome(marks: Marks, index: number): boolean {
  const ends = (kind: string, value: string) => kind === "sign" && /^[.,;!?]$/.test(value);
  const from = marks.list.findLastIndex(({ kind, value }, at) => at < index && ends(kind, value)) + 1;
  const end = marks.list.findIndex(({ kind, value }, at) => at > index && ends(kind, value));
  const clause = marks.list.slice(from, end === -1 ? undefined : end);
  return ARRIVES_HOME.test(clause.map(({ folded }) => folded).join(" "));
}
