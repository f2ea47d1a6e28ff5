import type { ParsedMail } from "../../../ports/mail-in.ts";
import type { Vault } from "../../../ports/vault.ts";
import { readSentMail } from "../../outbox/index.ts";
import type { Stores } from "../context.ts";
import { readMessageId } from "./addresses.ts";

interface ReportParts {
  readonly stores: Stores;
  readonly vault: Vault;
}

/**
 * Marks the mail that a delivery report is about. A report may be forged, and all that it does is mark. Messages of conversations are
 * marked by reports to their own channel only: theirs is the address that they are sent from. Returns the outcome, for the record.
 */
export async function takeReport(
  { stores, vault }: ReportParts,
  channelId: string | undefined,
  { messageIds, action, status }: NonNullable<ParsedMail["report"]>,
): Promise<string> {
  if (action !== "failed" && !status.startsWith("5.")) return `a delivery report: ${action || "unknown"}`;
  const problem = `bounced ${status}`.trim();
  for (const messageId of messageIds) {
    const sent = readSentMail(messageId);
    const isMarked =
      sent === undefined
        ? channelId !== undefined && (await markMessage({ stores, vault }, channelId, messageId, problem))
        : await stores.messages.markBounced(sent, problem);
    if (isMarked) return `a delivery report: ${problem}`;
  }
  return "a delivery report about no message that waits for one";
}

async function markMessage(
  { stores, vault }: ReportParts,
  channelId: string,
  messageId: string,
  problem: string,
): Promise<boolean> {
  const ref = readMessageId(vault, messageId);
  if (ref === undefined) return false;
  const event = { type: "status", id: ref, messageId, ref, status: "failed", isWindowClosed: false, problem } as const;
  return await stores.channelMessages.rise(channelId, event);
}
