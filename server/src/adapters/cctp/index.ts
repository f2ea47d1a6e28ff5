import { size } from "viem";
import { z } from "zod";
import type { Hex } from "../../domain/tokens.ts";
import type { HttpClient } from "../../platform/http-client/http-client.ts";
import { createJsonService, type JsonService } from "../../platform/http-client/json-service.ts";
import type {
  BurnFees,
  BurnReference,
  MessageAttestations,
  MessageState,
} from "../../ports/chain/message-attestations.ts";
import { decodeMessage, encodeMessage, type TokenMessage } from "./message.ts";

interface AttestationsOptions {
  /** The public service, or the attester of the development chains; without a trailing slash. */
  url: string | (() => Promise<string>);
  http: HttpClient;
  timeoutMilliseconds?: number;
}

const TIMEOUT_MILLISECONDS = 5_000;
const SIGNATURE_BYTES = 65;
const FAST = 1_000;
const STANDARD = 2_000;
const EMPTY_NONCE: Hex = `0x${"0".repeat(64)}`;

const Bytes = z
  .string()
  .regex(/^0x(?:[0-9a-fA-F]{2})*$/)
  .transform((text): Hex => `0x${text.slice(2).toLowerCase()}`);
const Word = z
  .string()
  .regex(/^0x[0-9a-fA-F]{64}$/)
  .transform((text): Hex => `0x${text.slice(2).toLowerCase()}`);

/** A message that is not final has other members, or none. */
const Message = z.object({
  status: z.string(),
  message: z.string().nullish(),
  attestation: z.string().nullish(),
  eventNonce: z.string().nullish(),
  delayReason: z.string().nullish(),
});
type Message = z.infer<typeof Message>;
const Messages = z.object({ messages: z.array(Message) });
const Fees = z.array(z.object({ finalityThreshold: z.number(), minimumFee: z.number().min(0).max(10_000) }));

/** The attestation service of CCTP v2, over HTTP. */
export function createMessageAttestations({
  url,
  http,
  timeoutMilliseconds = TIMEOUT_MILLISECONDS,
}: AttestationsOptions): MessageAttestations {
  const service = createJsonService({ url, http, timeoutMilliseconds, title: "The attestation service" });

  return {
    async find({ sourceDomain, transactionHash, message }: BurnReference, signal): Promise<MessageState> {
      const path = `/v2/messages/${sourceDomain}?transactionHash=${transactionHash}`;
      const answer = await service.ask({ method: "GET", path, mayRepeat: true, accepts: [200, 404], signal });
      if (answer.status === 404) return { state: "not_seen" };
      const read = Messages.safeParse(answer.value);
      if (!read.success) throw service.refuseAnswer("its messages cannot be read");
      return chooseMessage(service, read.data.messages, message);
    },

    async attestAnew(nonce) {
      const path = `/v2/reattest/${nonce}`;
      const { status } = await service.ask({ method: "POST", path, mayRepeat: true, accepts: [200, 400, 404] });
      if (status === 404) return "not_seen";
      return status === 200 ? "requested" : "final";
    },

    async readFees(sourceDomain, destinationDomain): Promise<BurnFees> {
      const path = `/v2/burn/USDC/fees/${sourceDomain}/${destinationDomain}`;
      const answer = await service.ask({ method: "GET", path, mayRepeat: true, accepts: [200] });
      const fees = Fees.safeParse(answer.value).data;
      const find = (finality: number) => fees?.find(({ finalityThreshold }) => finalityThreshold === finality);
      const [fast, standard] = [find(FAST), find(STANDARD)];
      if (standard === undefined) throw service.refuseAnswer("it names no fee of a standard transfer");
      return { fast: fast && toMillionths(fast.minimumFee), standard: toMillionths(standard.minimumFee) };
    },
  };
}

/**
 * A transaction can burn several times. The one that was asked for is the one whose terms are those of the burn; a service that shows
 * other terms, or none that fit, is not believed.
 */
function chooseMessage(service: JsonService, messages: readonly Message[], burned: Hex): MessageState {
  const attested = messages.filter(({ status }) => status === "complete").map((one) => readAttested(service, one));
  const found = attested.find(({ decoded }) => isAttestedBurn(decoded, burned));
  if (found !== undefined) {
    const { decoded, message, attestation } = found;
    const { feeExecuted: fee, expirationBlock } = decoded.burn;
    const expires = expirationBlock === 0n ? undefined : expirationBlock;
    return { state: "attested", message, attestation, nonce: decoded.nonce, fee, expirationBlock: expires };
  }
  const pending = messages.filter(({ status }) => status !== "complete");
  if (pending.length === 0) throw service.refuseAnswer("it attests other messages than the burn's");
  const [only] = pending.length === 1 ? pending : [];
  const nonce = Word.safeParse(only?.eventNonce).data;
  return { state: "pending", nonce, delayReason: only?.delayReason ?? undefined };
}

function readAttested(service: JsonService, answer: Message) {
  const message = Bytes.safeParse(answer.message).data;
  const attestation = Bytes.safeParse(answer.attestation).data;
  const decoded = message === undefined ? undefined : tryDecode(message);
  const isSigned = attestation !== undefined && size(attestation) > 0 && size(attestation) % SIGNATURE_BYTES === 0;
  if (message === undefined || decoded === undefined || !isSigned) {
    throw service.refuseAnswer("a message that it calls complete is not");
  }
  return { message, attestation, decoded };
}

function tryDecode(message: Hex): TokenMessage | undefined {
  try {
    return decodeMessage(message);
  } catch {
    return undefined;
  }
}

/** Whether it is the burn's message, with nothing changed but what attesters fill in, and no more fee than the sender allowed. */
function isAttestedBurn(attested: TokenMessage, burned: Hex): boolean {
  const emptied = encodeMessage({
    ...attested,
    nonce: EMPTY_NONCE,
    finalityThresholdExecuted: 0,
    burn: { ...attested.burn, feeExecuted: 0n, expirationBlock: 0n },
  });
  const isFilled = attested.nonce !== EMPTY_NONCE && attested.burn.feeExecuted <= attested.burn.maxFee;
  return isFilled && emptied === burned.toLowerCase();
}

/** From basis points, which can have decimals. */
const toMillionths = (basisPoints: number): bigint => BigInt(Math.ceil(basisPoints * 100));
