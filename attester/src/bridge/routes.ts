import { decodeMessage } from "../../../server/src/adapters/cctp/message.ts";
import type { Hex } from "../../../server/src/domain/tokens.ts";
import type { FaultKind } from "../faults.ts";
import { type Answer, type Question, refuse } from "../http/answer.ts";
import type { Messages, SeenMessage } from "./messages.ts";

const WORD = /^0x[0-9a-f]{64}$/i;
const MESSAGES = /^\/v2\/messages\/(?<domain>\d{1,9})$/;
const FEES = /^\/v2\/burn\/USDC\/fees\/(?<source>\d{1,9})\/(?<destination>\d{1,9})$/;
const ANEW = /^\/v2\/reattest\/(?<nonce>0x[0-9a-fA-F]{64})$/;
const FAST_ALLOWANCE = 1_000_000;
/** The last digit of the amount in a message. */
const AMOUNT_END = 2 + (148 + 100) * 2;

/** The public attestation service's part. Undefined: the path is not of this API. */
export async function answerMessages(
  messages: Messages,
  { method, path, query }: Question,
  fault: FaultKind | undefined,
): Promise<Answer | undefined> {
  const domain = MESSAGES.exec(path)?.groups?.domain;
  if (method === "GET" && domain !== undefined) return await findMessages(messages, Number(domain), query, fault);
  const fees = FEES.exec(path)?.groups;
  if (method === "GET" && fees !== undefined) {
    const isKnown = messages.hasDomain(Number(fees.source)) && messages.hasDomain(Number(fees.destination));
    return isKnown ? { status: 200, body: messages.listFees(Number(fees.source)) } : refuse(404, "Unknown domain");
  }
  if (method === "GET" && path === "/v2/fastBurn/USDC/allowance") {
    return { status: 200, body: { allowance: FAST_ALLOWANCE, lastUpdated: Temporal.Now.instant().toString() } };
  }
  const nonce = ANEW.exec(path)?.groups?.nonce;
  return method === "POST" && nonce !== undefined ? await attestAnew(messages, toHex(nonce), fault) : undefined;
}

async function findMessages(
  messages: Messages,
  domain: number,
  query: URLSearchParams,
  fault: FaultKind | undefined,
): Promise<Answer> {
  const [transactionHash, nonce] = [query.get("transactionHash"), query.get("nonce")];
  if (!WORD.test(transactionHash ?? nonce ?? "")) return refuse(400, "transactionHash or nonce is required");
  const seen =
    transactionHash === null
      ? await messages.findByNonce(domain, toHex(nonce ?? ""))
      : await messages.findByTransaction(domain, toHex(transactionHash));
  if (seen.length === 0 || fault === "late") return refuse(404, "Message hash not found");
  return { status: 200, body: { messages: seen.map((one) => show(one, fault)) } };
}

function show({ row, decoded, delayReason }: SeenMessage, fault: FaultKind | undefined) {
  const { attested, attestation, nonce } = row;
  const shared = { eventNonce: nonce, cctpVersion: 2, decodedMessage: describe(attested, decoded) };
  if (attested === null || attestation === null || fault === "contradicting") {
    return { message: "0x", attestation: "PENDING", ...shared, status: "pending_confirmations", delayReason };
  }
  const message = fault === "altered" ? alterAmount(attested) : attested;
  return { message, attestation, ...shared, status: "complete", delayReason: null };
}

/** All numbers are texts there. */
function describe(attested: Hex | null, decoded: SeenMessage["decoded"]) {
  const { burn, ...header } = attested === null ? decoded : decodeMessage(attested);
  return {
    sourceDomain: String(header.sourceDomain),
    destinationDomain: String(header.destinationDomain),
    nonce: header.nonce,
    sender: shorten(header.sender),
    recipient: shorten(header.recipient),
    destinationCaller: shorten(header.destinationCaller),
    minFinalityThreshold: String(header.minFinalityThreshold),
    finalityThresholdExecuted: String(header.finalityThresholdExecuted),
    decodedMessageBody: {
      burnToken: shorten(burn.burnToken),
      mintRecipient: shorten(burn.mintRecipient),
      amount: String(burn.amount),
      messageSender: shorten(burn.messageSender),
      maxFee: String(burn.maxFee),
      feeExecuted: String(burn.feeExecuted),
      expirationBlock: String(burn.expirationBlock),
      hookData: burn.hookData === "0x" ? null : burn.hookData,
    },
  };
}

async function attestAnew(messages: Messages, nonce: Hex, fault: FaultKind | undefined): Promise<Answer> {
  const outcome = fault === "contradicting" ? "final" : await messages.attestAnew(nonce);
  if (outcome === "unknown") return refuse(404, "Nonce not found");
  if (outcome === "final") return refuse(400, "Message is already finalized");
  return { status: 200, body: { message: "Re-attestation successfully requested for nonce.", nonce } };
}

const alterAmount = (message: Hex): Hex => {
  const digit = message[AMOUNT_END - 1] === "0" ? "1" : "0";
  return `0x${message.slice(2, AMOUNT_END - 1)}${digit}${message.slice(AMOUNT_END)}`;
};

const shorten = (word: Hex): string => `0x${word.slice(26)}`;
const toHex = (text: string): Hex => `0x${text.slice(2).toLowerCase()}`;
