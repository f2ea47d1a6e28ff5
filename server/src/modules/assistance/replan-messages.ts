import type { z } from "zod";
import type { Words } from "../../domain/texts.ts";
import { fitToChannel, mapTexts } from "../maps/index.ts";
import { composeMail, words as plainWords } from "../messages/index.ts";
import type { TravelerProfile } from "../travelers/index.ts";
import type { AlternativesAnswer, ChangeAnswer, HotelAnswer, MessageAnswer, TransferAnswer } from "./replan-parts.ts";
import { replanTexts } from "./replan-texts.ts";

type Channel = z.output<typeof MessageAnswer>["channel"];

interface Replanned {
  /** Such as `BA117 LHR–JFK`. */
  flight: string;
  /** Such as `LHR–JFK`. */
  leg: string;
  kind: "delay" | "cancellation" | "missed_connection" | "weather" | "other";
  reason: string;
  pnr: string;
  alternatives: z.input<typeof AlternativesAnswer>;
  change: z.input<typeof ChangeAnswer>;
  hotel: z.input<typeof HotelAnswer> | null;
  transfer: z.input<typeof TransferAnswer> | null;
}

interface Reader {
  profile: TravelerProfile | undefined;
  words: Words;
  /** The supplier's flights are made up. */
  isTrial: boolean;
}

interface Draft {
  channel: Channel;
  text: string;
  /** Masked; null: the profile has none. */
  recipient: string | null;
  /** Undefined: it is no mail, or there is nobody to write to. */
  mail: ReturnType<typeof composeMail> | undefined;
}

/** The same for every channel, each in its own form. Only to the traveler's own profile: nobody else is ever written to. */
export function composeMessages(channels: readonly Channel[], replanned: Replanned, reader: Reader): Draft[] {
  const content = contentOf(replanned, reader);
  const { email, phoneNumber } = reader.profile ?? {};
  return [...new Set(channels)].map((channel) => {
    if (channel === "email") {
      const mail = mailOf(content, replanned, { ...reader, address: email ?? "" });
      const recipient = email === undefined ? null : maskEmail(email);
      return { channel, text: mail.text, recipient, mail: email === undefined ? undefined : mail };
    }
    const recipient = channel === "slack" || phoneNumber === undefined ? null : maskEnd(phoneNumber);
    return { channel, text: fitToChannel(content, channel).text, recipient, mail: undefined };
  });
}

function contentOf(replanned: Replanned, { words, isTrial }: Reader) {
  const say = replanTexts(words);
  const { transfer } = replanned;
  return {
    title: say(replanned.kind, { flight: replanned.flight }),
    summary: [say("nothingBooked"), ...(isTrial ? [say("trial")] : [])].join("\n"),
    lines: linesOf(replanned, words),
    notes: replanned.reason,
    picture: undefined,
    links: transfer?.links ? [{ label: mapTexts(words)("directions"), url: transfer.links.google }] : [],
  };
}

/** Its subject holds nothing that the caller wrote but the airports: there it would seem to be said by us. */
function mailOf(
  { title, summary, lines, notes, links }: ReturnType<typeof contentOf>,
  { kind, leg }: Replanned,
  { words, address }: Reader & { address: string },
): ReturnType<typeof composeMail> {
  return composeMail({
    ...{ to: { address }, subject: replanTexts(words)(kind, { flight: leg }), language: words.language },
    parts: [
      plainWords(`${title}\n${summary}`),
      plainWords(lines.map((line, index) => `${index + 1}. ${line}`).join("\n")),
      ...(notes === "" ? [] : [{ kind: "quoted", text: notes } as const]),
      ...links.map(({ label, url }) => ({ kind: "link", text: url, label }) as const),
    ],
  });
}

function linesOf(replanned: Replanned, words: Words): string[] {
  const say = replanTexts(words);
  const { alternatives, change, hotel, transfer, pnr, kind } = replanned;
  const [cheapestChange] = change.offers;
  const [stay] = hotel?.accommodations ?? [];
  return [
    ...(alternatives.offers.length === 0 ? [say("noFlights")] : []),
    ...alternatives.offers.map((offer) => {
      const { flight, departs, arrives } = journeyOf(offer.slices);
      return say("alternative", {
        flight,
        departs,
        arrives,
        price: words.money(offer.totalAmount, offer.totalCurrency),
      });
    }),
    ...(cheapestChange === undefined
      ? []
      : [
          say("change", {
            pnr,
            price: words.money(cheapestChange.changeTotalAmount, cheapestChange.changeTotalCurrency),
            departs: `${journeyOf(cheapestChange.slices).flight}, ${journeyOf(cheapestChange.slices).departs}`,
          }),
          ...(kind === "cancellation" ? [say("fareRules")] : []),
        ]),
    ...(stay === undefined || hotel === null
      ? []
      : [
          say("hotel", {
            ...{ name: stay.name, date: words.date(Temporal.PlainDate.from(hotel.checkInDate)) },
            price: words.money(stay.cheapestRate.totalAmount, stay.cheapestRate.totalCurrency),
          }),
        ]),
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

interface Flown {
  segments: readonly { flightNumber: string; departingAt: string; arrivingAt: string }[];
}

function journeyOf(slices: readonly Flown[]) {
  const segments = slices.flatMap((slice) => slice.segments);
  const clock = (local = "") => local.slice(0, 16).replace("T", " ");
  return {
    flight: segments.map(({ flightNumber }) => flightNumber).join(" + "),
    departs: clock(segments[0]?.departingAt),
    arrives: clock(segments.at(-1)?.arrivingAt),
  };
}

const SHOWN_DIGITS = 2;
const maskEnd = (phoneNumber: string): string => `…${phoneNumber.slice(-SHOWN_DIGITS)}`;

function maskEmail(email: string): string {
  const at = email.lastIndexOf("@");
  return `${email.slice(0, 1)}…${email.slice(at)}`;
}
