import { formatDecimal } from "../../domain/money.ts";
import type { FlightPurchase, Purchase, StayPurchase } from "../../domain/travel/purchase.ts";
import type { PlannedMovement } from "../../kernel/contracts/call-plan.ts";
import type { Vault } from "../../ports/vault.ts";
import { composeMail, type MailPart, words } from "../outbox/index.ts";
import type { ApprovalCase, ApprovalContext } from "../policy/index.ts";
import { buildApprovalLink } from "./approval-link.ts";
import type { Approval } from "./approvals.ts";
import type { Aggregates } from "./context.ts";
import { listDeciders } from "./decide-approval.ts";

/** Further approvers are not mailed; they find it with their keys. */
const MOST_MAILED = 50;
/** The reasons of a policy can be many. */
const MOST_REASONS = 5;

export interface ApproverMailPorts {
  vault: Vault;
  /** The base URL of the approval page. */
  origin: string;
}

/** `purpose` is the purchase that the call prepares. */
type MailedCase = ApprovalCase & Pick<ApprovalContext, "purpose">;
export type StoredMails = readonly NonNullable<Awaited<ReturnType<Aggregates["messages"]["insert"]>>>[];

/** Stores a mail with a personal link for each person who may decide, in the transaction that requests the approval. */
export async function storeApproverMails(
  aggregates: Aggregates,
  { vault, origin }: ApproverMailPorts,
  approval: Approval,
  asked: MailedCase,
): Promise<StoredMails> {
  const { id, tenantId, environment, expiresAt } = approval;
  const deciders = (await listDeciders(aggregates, approval)).slice(0, MOST_MAILED);
  const stored = [];
  for (const { id: personId, email, name } of deciders) {
    const link = buildApprovalLink(vault, origin, { approvalId: id, personId });
    const letter = composeMail({
      to: { address: email },
      subject: `Approval needed: ${composeSubject(asked)}`,
      language: "en",
      parts: composeParts(approval, asked, { name, link }),
    });
    const reason = { tenantId, environment, userId: personId, kind: "approval", about: [id] };
    const record = await aggregates.messages.insert({ ...reason, recordId: id, carrier: "mail", letter, expiresAt });
    if (record !== undefined) stored.push(record);
  }
  return stored;
}

function composeParts(
  { amount, expiresAt, policyId, environment }: Approval,
  { plan: { bought, movements }, purpose, verdict }: MailedCase,
  { name, link }: { name: string; link: string },
): MailPart[] {
  const meantFor = purpose === undefined ? [] : [`Meant for: ${sayPurchase(purpose)}`];
  const what = bought === undefined ? [...movements.map(sayMovement), ...meantFor].join("\n") : sayPurchase(bought);
  const price = bought === undefined ? "" : `\n${sayPrice(bought, amount)}`;
  const reasons = verdict.violations.slice(0, MOST_REASONS).map(({ text }) => text);
  const until = expiresAt.toLocaleString("en-GB", { timeZone: "UTC", dateStyle: "long", timeStyle: "short" });
  return [
    words(`Hello ${name}. The policy ${policyId} requires a person's decision on this:`),
    words(`${what}${price}`),
    ...(reasons.length === 0 ? [] : [words(reasons.join("\n"))]),
    ...(environment === "sandbox" ? [words("This is a trial: nothing real is bought, and no real money moves.")] : []),
    { kind: "link", text: link, label: "Review and decide" },
    words(`You can decide until ${until} UTC. The link is only for you: do not share it.`),
  ];
}

function sayPrice({ priceAtLeast }: Purchase, amount: Approval["amount"]): string {
  if (amount === undefined) return "Price not known";
  const price = `${formatDecimal(amount)} USD`;
  return priceAtLeast === undefined ? price : `At least ${price}, plus services of unknown price`;
}

function sayMovement({ amount, token, to, chain }: PlannedMovement): string {
  const where = chain === undefined ? "" : ` on ${chain}`;
  return `${amount === undefined ? "?" : formatDecimal(amount)} ${token} to ${to.replaceAll("_", " ")}${where}`;
}

function composeSubject({ plan: { bought, movements }, purpose }: MailedCase): string {
  if (bought !== undefined) return briefly(bought);
  if (purpose !== undefined) return `money set aside for ${briefly(purpose)}`;
  const [{ amount, token } = { amount: undefined, token: "" }] = movements;
  return amount === undefined ? "a payment" : `a payment of ${formatDecimal(amount)} ${token}`;
}

function briefly(bought: Purchase): string {
  if (bought.kind === "stay") return `a hotel from ${bought.checkInDate ?? "?"}`;
  const [first] = bought.legs;
  return `a flight ${first?.origin ?? "?"}–${first?.destination ?? "?"}`;
}

function sayPurchase(bought: Purchase): string {
  return bought.kind === "stay" ? sayStay(bought) : sayFlight(bought);
}

function sayStay({ name, checkInDate, checkOutDate, rooms }: StayPurchase): string {
  const many = rooms === undefined ? "" : `, rooms: ${rooms}`;
  return `${name ?? "Hotel"}, ${checkInDate ?? "?"} to ${checkOutDate ?? "?"}${many}`;
}

function sayFlight({ legs }: FlightPurchase): string {
  const lines = legs.map(({ origin, destination, departsAt, arrivesAt, flights = [] }) =>
    [
      `${origin ?? "?"} to ${destination ?? "?"}`,
      flights.join(", "),
      departsAt === undefined ? "" : `departs ${sayTime(departsAt)}`,
      arrivesAt === undefined ? "" : `arrives ${sayTime(arrivesAt)}`,
    ]
      .filter((text) => text !== "")
      .join(", "),
  );
  return `Flight\n${lines.join("\n")}`;
}

function sayTime(time: Temporal.PlainDateTime): string {
  return time.toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });
}
