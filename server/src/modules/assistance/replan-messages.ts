import type { z } from "zod";
import type { Words } from "../../domain/texts.ts";
import { fitToChannel, mapTexts } from "../maps/index.ts";
import type { TravelerProfile } from "../travelers/index.ts";
import type { AlternativesAnswer, ChangeAnswer, HotelAnswer, MessageAnswer, TransferAnswer } from "./replan-parts.ts";
import { replanTexts } from "./replan-texts.ts";

type Message = z.input<typeof MessageAnswer>;
type Channel = Message["channel"];

interface Replanned {
  /** Such as `BA117 LHR–JFK`. */
  flight: string;
  kind: "delay" | "cancellation" | "missed_connection" | "weather" | "other";
  reason: string;
  pnr: string;
  alternatives: z.input<typeof AlternativesAnswer>;
  change: z.input<typeof ChangeAnswer>;
  hotel: z.input<typeof HotelAnswer> | null;
  transfer: z.input<typeof TransferAnswer> | null;
}

/** The same for every channel, each in its own form. Nothing is sent: each says why. */
export function composeMessages(
  channels: readonly Channel[],
  replanned: Replanned,
  { profile, hasMailServer, words }: { profile: TravelerProfile | undefined; hasMailServer: boolean; words: Words },
): Message[] {
  const say = replanTexts(words);
  const { transfer } = replanned;
  const content = {
    title: say(replanned.kind, { flight: replanned.flight }),
    summary: say("nothingBooked"),
    lines: linesOf(replanned, words),
    notes: replanned.reason,
    picture: undefined,
    links: transfer?.links ? [{ label: mapTexts(words)("directions"), url: transfer.links.google }] : [],
  };
  return [...new Set(channels)].map((channel) => ({
    ...{ channel, text: fitToChannel(content, channel).text, sent: false as const },
    ...recipientOf(channel, profile, hasMailServer),
  }));
}

function linesOf({ alternatives, change, hotel, transfer, pnr }: Replanned, words: Words): string[] {
  const say = replanTexts(words);
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
        ]),
    ...(stay === undefined || hotel === null
      ? []
      : [
          say("hotel", {
            ...{ name: stay.name, date: words.date(Temporal.PlainDate.from(hotel.checkInDate)) },
            price: words.money(stay.cheapestRate.totalAmount, stay.cheapestRate.totalCurrency),
          }),
        ]),
    ...(transfer?.minutes ? [say("way", { minutes: transfer.minutes.likely })] : []),
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

/** Only from the traveler's own profile: nobody else is ever written to. */
function recipientOf(
  channel: Channel,
  profile: TravelerProfile | undefined,
  hasMailServer: boolean,
): Pick<Message, "recipient" | "reason"> {
  if (channel === "slack") return { recipient: null, reason: "Slack is off: this service has no connection to it." };
  if (channel === "whatsapp") {
    const recipient = profile?.phoneNumber === undefined ? null : maskEnd(profile.phoneNumber);
    return { recipient, reason: "WhatsApp is off: this service has no connection to it." };
  }
  const recipient = profile?.email === undefined ? null : maskEmail(profile.email);
  const reason = hasMailServer
    ? "This tool does not send mail yet: pass the text on yourself."
    : "Mail is off: the operator has no mail server.";
  return { recipient, reason };
}

const SHOWN_DIGITS = 2;
const maskEnd = (phoneNumber: string): string => `…${phoneNumber.slice(-SHOWN_DIGITS)}`;

function maskEmail(email: string): string {
  const at = email.lastIndexOf("@");
  return `${email.slice(0, 1)}…${email.slice(at)}`;
}
