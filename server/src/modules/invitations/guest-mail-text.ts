import { formatDecimal } from "../../domain/money.ts";
import { composeMail, type Letter, type MailPart, words } from "../outbox/index.ts";
import { nameText, summaryText, type Trip } from "../trips/index.ts";

export type TripToMail = Pick<Trip, "tripId" | "environment" | "budget" | "expiresAt" | "requiresCode" | "details">;

/** Never contains the code: the buyer gives it to the guest separately, or it comes in another mail. */
export function composeGuestMail(
  trip: TripToMail,
  guestEmail: string,
  guestLink: string,
  codeFrom: "buyer" | "another_mail" = "buyer",
): Letter {
  const { budget, details } = trip;
  const guest = quotedName(details.guestName);
  const buyer = quotedName(details.buyerName);
  const amount = `${formatDecimal(budget)} USDC`;
  const parts = composeParts(trip, { guest, buyer, amount, guestLink, codeFrom });
  // No header contains the buyer's text, as it would seem to come from the service.
  const subject = `A trip for you: ${amount}`;
  return composeMail({ to: { address: guestEmail }, subject, language: "en", parts });
}

function quotedName(text: string | undefined): string | undefined {
  const name = nameText(text);
  return name === undefined ? undefined : `“${name.replaceAll(/[“”"]/g, "'")}”`;
}

function composeParts(
  { environment, expiresAt, requiresCode, details }: TripToMail,
  said: { guest: string | undefined; buyer: string | undefined; amount: string; guestLink: string; codeFrom: string },
): MailPart[] {
  const { guest, buyer = "Somebody", amount, guestLink } = said;
  const theBuyer = said.buyer ?? "whoever invites you";
  const summary = summaryText(details.tripSummary);
  const until = expiresAt.toLocaleString("en-GB", { timeZone: "UTC", dateStyle: "long", timeStyle: "short" });
  return [
    words(guest === undefined ? "Hello," : `Hello ${guest},`),
    words(`${buyer} has set aside ${amount} to pay for bookings for your trip and invites you to accept it.`),
    ...(environment === "sandbox" ? [words("This is a trial with test money that has no value.")] : []),
    ...(summary === undefined
      ? []
      : [words(`About the trip, in the words of ${theBuyer}:`), { kind: "quoted", text: summary } as const]),
    words("To accept, open this link and enter the address of your wallet:"),
    { kind: "link", text: guestLink, label: "Open the trip" },
    ...(requiresCode
      ? [
          words(
            said.codeFrom === "buyer"
              ? `You will also be asked for a six-digit code. It is not in this email: ${theBuyer} will give it to you.`
              : "You will also be asked for a six-digit code. It comes in another email.",
          ),
        ]
      : []),
    words(
      "The page then asks who is traveling: the names as in the passport, the date of birth, and how to reach you.",
    ),
    words(`You can accept until ${until} UTC. Money that has not been spent by then is returned.`),
    words(
      "The money stays in escrow and pays for the bookings. Nothing is taken from your wallet, and nobody will ever need its private key or recovery phrase.",
    ),
    words(
      `Anyone who has the link can accept in your place, so do not share it. If you do not know ${theBuyer}, you can ignore this email.`,
    ),
  ];
}
