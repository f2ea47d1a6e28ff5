import type { z } from "zod";
import { parseDecimal } from "../../domain/money.ts";
import type { Words } from "../../domain/texts.ts";
import { fitToChannel, mapTexts } from "../maps/index.ts";
import { composeMail, words as plainWords } from "../outbox/index.ts";
import type { TravelerProfile } from "../travelers/index.ts";
import type { AirlineChange } from "./airline-change.ts";
import { airlineTexts } from "./airline-texts.ts";
import { connectionTexts } from "./connection-texts.ts";
import type { AirlineDuty } from "./duties/airline-duty.ts";
import { dutySentences } from "./duties/duty-lines.ts";
import type { ReplanInput } from "./replan-input.ts";
import type { Outlook } from "./replan-outlook.ts";
import type { AlternativesAnswer, ChangeAnswer, HotelAnswer, MessageAnswer, TransferAnswer } from "./replan-parts.ts";
import { replanTexts } from "./replan-texts.ts";

type Channel = z.output<typeof MessageAnswer>["channel"];

export interface Replanned {
  /** Such as `BA117 LHR–JFK`. */
  flight: string;
  /** Such as `LHR–JFK`. */
  leg: string;
  kind: ReplanInput["disruption"]["kind"];
  outlook: Outlook;
  reason: string;
  pnr: string;
  alternatives: z.input<typeof AlternativesAnswer>;
  change: z.input<typeof ChangeAnswer>;
  airlineChange: AirlineChange | null;
  /** The traveler's order is refundable. */
  isRefundable: boolean;
  hotel: z.input<typeof HotelAnswer> | null;
  transfer: z.input<typeof TransferAnswer> | null;
  /** For whom the prices are. */
  passengers: number;
}

interface Reader {
  profile: TravelerProfile | undefined;
  words: Words;
  /** The supplier's flights are fictitious. */
  isTrial: boolean;
}

interface Draft {
  channel: Channel;
  text: string;
  /** Masked; null if the profile has none. */
  recipient: string | null;
  /** The same for our own carrier, which shows no markup. */
  plain: { text: string; link: string | undefined };
  /** Undefined for other channels, or without an address. */
  mail: ReturnType<typeof composeMail> | undefined;
}

/** The same content for every channel, each in its own format. Addressed only to the reader's own profile, never to anybody else. */
export function composeMessages(channels: readonly Channel[], replanned: Replanned, reader: Reader): Draft[] {
  const content = composeContent(replanned, reader);
  const { email, phoneNumber } = reader.profile ?? {};
  const toPlain = (channel: Channel) => {
    const { text } = fitToChannel(content, channel, "none");
    return { text, link: content.links.map(({ url }) => url).find((url) => text.includes(url)) };
  };
  return [...new Set(channels)].map((channel) => {
    if (channel === "email") {
      const mail = composeReplanMail(content, replanned, { ...reader, address: email ?? "" });
      const recipient = email === undefined ? null : maskEmail(email);
      return {
        channel,
        text: mail.text,
        plain: toPlain(channel),
        recipient,
        mail: email === undefined ? undefined : mail,
      };
    }
    const recipient = channel === "slack" || phoneNumber === undefined ? null : maskEnd(phoneNumber);
    return {
      channel,
      text: fitToChannel(content, channel).text,
      plain: toPlain(channel),
      recipient,
      mail: undefined,
    };
  });
}

function composeContent(replanned: Replanned, { words, isTrial }: Reader) {
  const say = replanTexts(words);
  const { transfer } = replanned;
  const protection = protectiveLines(replanned, words);
  return {
    title: say(replanned.outlook.headline, { flight: replanned.flight }),
    summary: [say("nothingBooked"), ...(isTrial ? [say("trial")] : [])].join("\n"),
    lines: [...protection, ...composeLines(replanned, words)],
    isAdvice: true,
    keptLines: protection.length,
    saidOfOmitted: say("leftOut"),
    notes: replanned.reason,
    picture: undefined,
    links: transfer?.links ? [{ label: mapTexts(words)("directions"), url: transfer.links.google }] : [],
  };
}

/** The subject holds no text of the caller except the airports, as it would seem to come from the service. */
function composeReplanMail(
  { title, summary, lines, notes, links }: ReturnType<typeof composeContent>,
  { outlook, leg }: Replanned,
  { words, address }: Reader & { address: string },
): ReturnType<typeof composeMail> {
  return composeMail({
    to: { address },
    subject: replanTexts(words)(outlook.headline, { flight: leg }),
    language: words.language,
    parts: [
      plainWords(`${title}\n${summary}`),
      plainWords(lines.map((line, index) => `${index + 1}. ${line}`).join("\n")),
      ...(notes === "" ? [] : [{ kind: "quoted", text: notes } as const]),
      ...links.map(({ label, url }) => ({ kind: "link", text: url, label }) as const),
    ],
  });
}

/** The free way first, then what the airline owes: no channel has too little room for these. */
function protectiveLines(replanned: Replanned, words: Words): string[] {
  const { airlineChange, outlook } = replanned;
  return airlineChange === null ? freeLines(replanned, words) : airlineLines(airlineChange, outlook.duties, words);
}

function composeLines(replanned: Replanned, words: Words): string[] {
  const say = replanTexts(words);
  const { alternatives, change, hotel, transfer, pnr, kind, isRefundable, airlineChange, outlook } = replanned;
  const isShown = (amount: string | null) => !outlook.isSmall || (amount !== null && !isDearer(amount));
  const flights = alternatives.offers.filter(({ differenceAmount }) => isShown(differenceAmount));
  const [cheapestChange] = change.offers.filter(({ changeTotalAmount }) => isShown(changeTotalAmount));
  const isLeftOut = flights.length < alternatives.offers.length || (change.offers.length > 0 && !cheapestChange);
  return [
    ...(alternatives.offers.length === 0 && !outlook.isSmall ? [say("noFlights")] : []),
    ...flights.map((offer) => {
      const { flight, departs, arrives } = describeJourney(offer.slices);
      const price = beyondPaid(offer, replanned.passengers, words);
      const isLess = isRefundable && offer.conditions.refundBeforeDeparture?.allowed !== true;
      return [say("alternative", { flight, departs, arrives, price }), ...(isLess ? [say("losesRefund")] : [])].join(
        "; ",
      );
    }),
    ...(cheapestChange === undefined
      ? []
      : [
          say("change", {
            pnr,
            price: signed(cheapestChange.changeTotalAmount, cheapestChange.changeTotalCurrency, words),
            departs: `${describeJourney(cheapestChange.slices).flight}, ${describeJourney(cheapestChange.slices).departs}`,
          }),
          ...(isRefundable ? [say("refundUnknown")] : []),
          ...(kind === "cancellation" && airlineChange === null ? [say("fareRules")] : []),
        ]),
    ...(isLeftOut ? [say("dearerLeftOut")] : []),
    ...(hotel === null ? [] : hotelLines(hotel, words)),
    ...(transfer?.minutes
      ? [
          say(transfer.direction === "from_airport" ? "wayToStay" : "way", {
            airport: transfer.airport ?? "",
            minutes: transfer.minutes.likely,
          }),
        ]
      : []),
  ];
}

const isDearer = (amount: string): boolean => !amount.startsWith("-") && (parseDecimal(amount) ?? 0n) > 0n;

/** Free options to try before buying, if the supplier reports no change by the airline. */
function freeLines({ outlook, kind }: Replanned, words: Words): string[] {
  const { first, instead, duties, connection } = outlook;
  const say = replanTexts(words);
  const money = instead === undefined ? [] : [dutyLine(instead, words)];
  const owed = dutySentences(duties, words);
  if (first === "keep") return [say("keep"), ...inOneLine([...money, ...owed], words)];
  if (first === "keep_if_flown") return [say("keepIfFlown"), ...inOneLine([...money, ...owed], words)];
  if (connection !== undefined && (first === "ask_for_connection" || first === "keep_if_connects")) {
    const isAsked = first === "ask_for_connection";
    return [connectionLine(connection, words), ...inOneLine(dutySentences(duties, words, { isAsked }), words)];
  }
  const ask = kind === "missed_connection" ? say("askAfterMiss") : dutyLine(instead, words);
  return inOneLine([ask, ...owed], words);
}

function connectionLine({ airport, late, onward, state }: NonNullable<Outlook["connection"]>, words: Words): string {
  const say = connectionTexts(words);
  const { flightNumber, destination, departingAt } = onward;
  const known = { airport, onward: flightNumber, destination, departs: sayClock(departingAt) };
  if (state !== "lost" && state !== "tight") return say("keepIfConnects", known);
  return say(state, { ...known, late: late.flightNumber, arrives: sayClock(late.arrivesLocal) });
}

const inOneLine = (sentences: readonly string[], { language }: Words): string[] =>
  sentences.length === 0 ? [] : [sentences.join(language === "ja" ? "。" : ". ")];

function dutyLine(duty: Pick<AirlineDuty, "owes" | "rule"> | undefined, words: Words): string {
  const say = airlineTexts(words);
  if (duty === undefined) return say("ask");
  return say(duty.owes === "refund" ? "refund" : "flightOrRefund", { rule: duty.rule });
}

/** The airline's change and the cost of each answer, in the order in which to try them. */
function airlineLines(
  { was, becomes, options, duties }: AirlineChange,
  all: readonly AirlineDuty[],
  words: Words,
): string[] {
  const say = airlineTexts(words);
  const before = describeJourney([{ segments: was }]);
  const after = describeJourney([{ segments: becomes }]);
  const [duty] = duties.filter(({ onlyIf }) => onlyIf === null);
  const isOpen = options.some(({ kind }) => kind === "accept");
  return [
    isOpen
      ? say("moved", { flight: before.flight, was: before.departs, departs: after.departs, arrives: after.arrives })
      : say("cancelled", { flight: before.flight, was: before.departs }),
    ...(isOpen ? [say("accept")] : []),
    ...inOneLine([dutyLine(duty, words), ...dutySentences(all, words)], words),
  ];
}

/** The additional cost beyond the amount paid, if known. */
function beyondPaid(
  { differenceAmount, totalAmount, totalCurrency }: Replanned["alternatives"]["offers"][number],
  count: number,
  words: Words,
): string {
  if (differenceAmount !== null) return signed(differenceAmount, totalCurrency, words);
  return replanTexts(words)("newTicket", { count, price: words.money(totalAmount, totalCurrency) });
}

function signed(amount: string, currency: string, words: Words): string {
  const price = words.money(amount.replace(/^-/, ""), currency);
  return replanTexts(words)(amount.startsWith("-") ? "comesBack" : "more", { price });
}

/** If the best hotel is farther than this from the requested place, the nearest one is named too. */
const FAR_METERS = 5_000;

function hotelLines({ accommodations, picks, checkInDate }: z.input<typeof HotelAnswer>, words: Words): string[] {
  const best = accommodations.find(({ id }) => id === picks?.best) ?? accommodations[0];
  if (best === undefined) return [];
  const nearest = accommodations.find(({ id }) => id === picks?.nearest);
  const isFar = nearest !== undefined && nearest.id !== best.id && (best.distanceMeters ?? 0) > FAR_METERS;
  const say = replanTexts(words);
  const describe = ({ name, distanceMeters, cheapestRate }: typeof best) => ({
    name: distanceMeters === null ? name : `${name} (${sayDistance(distanceMeters, words)})`,
    date: words.date(Temporal.PlainDate.from(checkInDate)),
    price: words.money(cheapestRate.totalAmount, cheapestRate.totalCurrency),
  });
  return [say("hotel", describe(best)), ...(isFar ? [say("nearestHotel", describe(nearest))] : [])];
}

const sayDistance = (meters: number, words: Words): string =>
  words.number(meters / 1_000, { style: "unit", unit: "kilometer", maximumFractionDigits: 1 });

interface Flown {
  segments: readonly { flightNumber: string; departingAt: string; arrivingAt: string }[];
}

function describeJourney(slices: readonly Flown[]) {
  const segments = slices.flatMap((slice) => slice.segments);
  return {
    flight: segments.map(({ flightNumber }) => flightNumber).join(" + "),
    departs: sayClock(segments[0]?.departingAt),
    arrives: sayClock(segments.at(-1)?.arrivingAt),
  };
}

const sayClock = (local = ""): string => local.slice(0, 16).replace("T", " ");

const SHOWN_DIGITS = 2;
const maskEnd = (phoneNumber: string): string => `…${phoneNumber.slice(-SHOWN_DIGITS)}`;

function maskEmail(email: string): string {
  const at = email.lastIndexOf("@");
  return `${email.slice(0, 1)}…${email.slice(at)}`;
}
