import { z } from "zod";
import type { RandomBytes } from "../../domain/ids.ts";
import { formatDecimal } from "../../domain/money.ts";
import { toVisibleText } from "../../domain/visible-text.ts";
import type { Approval } from "../approvals/index.ts";
import { makeButton } from "./buttons.ts";
import type { Content } from "./channels.ts";

const LONGEST_NAME = 100;
const MOST_REASONS = 5;
const MOST_PAYMENTS = 5;

const Leg = z.looseObject({
  origin: z.string().nullable(),
  destination: z.string().nullable(),
  departsAt: z.string().nullable(),
});
const Bought = z.looseObject({
  legs: z.array(Leg).optional(),
  name: z.string().nullish(),
  checkInDate: z.string().nullish(),
  checkOutDate: z.string().nullish(),
});
const Evidence = z.looseObject({
  bought: Bought.nullish(),
  purpose: Bought.nullish(),
  payments: z.array(z.looseObject({ token: z.string(), amount: z.string().nullable(), to: z.string() })).optional(),
  violations: z.array(z.looseObject({ text: z.string() })).optional(),
});

interface CardNames {
  /** Who decided. */
  readonly decider: string | undefined;
  readonly travelers: readonly string[];
  /** Where the reader alone finds everything about it. Undefined where several people read. */
  readonly link: string | undefined;
}

/** A request for approval as a channel shows it: with buttons while it is open, and with its end afterwards. */
export function composeCard(
  approval: Approval,
  names: CardNames,
  { now, random }: { now: Temporal.Instant; random: RandomBytes },
): Content {
  const isOpen = isUndecided(approval, now);
  const lines = [
    isOpen ? "Approval needed" : sayEnd(approval, names.decider),
    describePurchase(approval),
    approval.amount === undefined ? "Price not known" : `${formatDecimal(approval.amount)} USD`,
    names.travelers.length === 0
      ? ""
      : `For ${names.travelers.map((name) => toVisibleText(name, LONGEST_NAME)).join(", ")}`,
    ...(isOpen ? [...listReasons(approval), `To be decided until ${sayTime(approval.expiresAt)}.`] : []),
    ...(approval.environment === "sandbox"
      ? ["This is a trial: nothing real is bought, and no real money moves."]
      : []),
    isOpen && names.link !== undefined ? `All about it: ${names.link}` : "",
  ];
  const buttons = [
    makeButton(random, { label: "Approve", looks: "primary", meaning: { means: "approve" } }),
    makeButton(random, { label: "Reject", looks: "danger", meaning: { means: "reject" } }),
  ];
  return {
    text: lines.filter((line) => line !== "").join("\n"),
    buttons: isOpen ? buttons : [],
    link: isOpen ? names.link : undefined,
  };
}

export function isUndecided(
  { state, expiresAt }: Pick<Approval, "state" | "expiresAt">,
  now: Temporal.Instant,
): boolean {
  return state === "pending" && Temporal.Instant.compare(expiresAt, now) > 0;
}

function sayEnd({ state, decidedAt, expiresAt }: Approval, decider: string | undefined): string {
  const when = decidedAt === undefined ? "" : ` on ${sayTime(decidedAt)}`;
  const who = decider === undefined ? "" : ` by ${toVisibleText(decider, LONGEST_NAME)}`;
  if (state === "approved" || state === "used") return `Approved${who}${when}`;
  if (state === "rejected") return `Rejected${who}${when}`;
  if (state === "revoked") return `Withdrawn${who}${when}`;
  return state === "replaced"
    ? "Not needed any more: the request was changed or cancelled"
    : `Expired on ${sayTime(expiresAt)}`;
}

function describePurchase({ evidence, tool }: Approval): string {
  const { bought, purpose, payments = [] } = Evidence.safeParse(evidence).data ?? {};
  const shown = bought ?? purpose;
  if (shown == null) {
    const moved = payments
      .slice(0, MOST_PAYMENTS)
      .map(({ token, amount, to }) => `${amount ?? "?"} ${token} to ${to.replaceAll("_", " ")}`);
    return moved.length === 0 ? tool.replaceAll("_", " ") : moved.join("\n");
  }
  if (shown.legs !== undefined) {
    return shown.legs
      .map(
        ({ origin, destination, departsAt }) =>
          `Flight ${origin ?? "?"} to ${destination ?? "?"}, ${departsAt?.replace("T", " ").slice(0, 16) ?? "time not known"}`,
      )
      .join("\n");
  }
  return `${toVisibleText(shown.name ?? "Hotel", LONGEST_NAME)}, ${shown.checkInDate ?? "?"} to ${shown.checkOutDate ?? "?"}`;
}

function listReasons({ evidence }: Approval): readonly string[] {
  const { violations = [] } = Evidence.safeParse(evidence).data ?? {};
  return violations.slice(0, MOST_REASONS).map(({ text }) => toVisibleText(text, 300));
}

function sayTime(instant: Temporal.Instant): string {
  return `${instant.toLocaleString("en-GB", { timeZone: "UTC", dateStyle: "medium", timeStyle: "short" })} UTC`;
}
