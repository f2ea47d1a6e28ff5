import { escapeHtml } from "../../domain/escape-html.ts";
import { formatDecimal } from "../../domain/money.ts";
import type { Mail } from "../../ports/mailer.ts";
import { nameText, summaryText } from "./guest-text.ts";
import type { Trip } from "./trips.ts";

export type TripToMail = Pick<Trip, "tripId" | "network" | "budget" | "expiresAt" | "requiresCode" | "details">;

/** One thing that the mail says: plain words, or what the buyer wrote. */
type Part = { kind: "words"; text: string } | { kind: "quoted"; text: string } | { kind: "link"; text: string };

const words = (text: string): Part => ({ kind: "words", text });

/** The code is never in it: the buyer gives that to the guest in another way. */
export function composeGuestMail(trip: TripToMail, guestEmail: string, guestLink: string): Mail {
  const { tripId, budget, details } = trip;
  const guest = quotedName(details.guestName);
  const buyer = quotedName(details.buyerName);
  const amount = `${formatDecimal(budget)} USDC`;
  const parts = partsOf(trip, { guest, buyer, amount, guestLink });
  // Nothing that the buyer wrote is in a header: there it would seem to be said by us.
  const subject = `A trip for you: ${amount}`;
  return {
    to: { address: guestEmail },
    subject,
    text: `${parts.map(plain).join("\n\n")}\n`,
    html: htmlOf(subject, parts),
    messageId: `guest-mail.${tripId}`,
  };
}

function quotedName(text: string | undefined): string | undefined {
  const name = nameText(text);
  return name === undefined ? undefined : `“${name.replaceAll(/[“”"]/g, "'")}”`;
}

function partsOf(
  { network, expiresAt, requiresCode, details }: TripToMail,
  said: { guest: string | undefined; buyer: string | undefined; amount: string; guestLink: string },
): Part[] {
  const { guest, buyer = "Somebody", amount, guestLink } = said;
  const theBuyer = said.buyer ?? "whoever invites you";
  const summary = summaryText(details.tripSummary);
  const until = expiresAt.toLocaleString("en-GB", { timeZone: "UTC", dateStyle: "long", timeStyle: "short" });
  return [
    words(guest === undefined ? "Hello," : `Hello ${guest},`),
    words(`${buyer} has set aside ${amount} for the bookings of a trip of yours, and invites you to accept it.`),
    ...(network === "sandbox" ? [words("This is a trial: it is test money, without any value.")] : []),
    ...(summary === undefined
      ? []
      : [words(`About the trip, in the words of ${theBuyer}:`), { kind: "quoted", text: summary } as const]),
    words("To accept, open this link and enter the address of your wallet:"),
    { kind: "link", text: guestLink },
    ...(requiresCode
      ? [words(`You are also asked for a code of six digits. It is not in this mail: you get it from ${theBuyer}.`)]
      : []),
    words(`You can accept until ${until} UTC. What has not been spent by then goes back.`),
    words(
      "The money stays in escrow and pays for the bookings. Nothing is taken from your wallet, and nobody ever needs its private key or recovery phrase.",
    ),
    words(
      `Whoever has the link can accept in your place, so do not pass it on. If you do not know ${theBuyer}, you need not do anything.`,
    ),
  ];
}

function plain({ kind, text }: Part): string {
  return kind === "quoted" ? text.replaceAll(/^/gm, "> ") : text;
}

/** No colours of its own beside the accent, so that it is as light or dark as the reader's program. */
function htmlOf(title: string, parts: readonly Part[]): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escapeHtml(title)}</title>
</head>
<body style="margin:0;padding:24px;font:16px/1.6 system-ui,-apple-system,'Segoe UI',Roboto,Arial,sans-serif">
<div style="max-width:560px;margin:0 auto;overflow-wrap:anywhere">
${parts.map(html).join("\n")}
</div>
</body>
</html>
`;
}

function html({ kind, text }: Part): string {
  const safe = escapeHtml(text);
  if (kind === "words") return `<p>${safe}</p>`;
  if (kind === "quoted") {
    return `<blockquote style="margin:16px 0;padding:0 16px;border-left:3px solid #0b8577;white-space:pre-line">${safe}</blockquote>`;
  }
  return `<p><a href="${safe}" style="display:inline-block;padding:10px 22px;border-radius:6px;background:#0b6b61;color:#ffffff;font-weight:600;text-decoration:none">Open the trip</a></p>
<p style="font-size:13px">${safe}</p>`;
}
