import { bytesToHex, type PublicClient } from "viem";
import { Failure } from "../../../domain/errors.ts";
import { PaymentRefused, type SignedPayment, wrongNetwork } from "../../../domain/payments.ts";
import type { Hex } from "../../../domain/tokens.ts";
import { paymentProbeBytecode } from "../../../generated/contracts/payment-probe.ts";
import type { Chain } from "../../../ports/chain/chain.ts";
import type { Facilitator, PayerSignatures } from "../../../ports/facilitator.ts";
import { createPaymentDigest } from "./payment-digest.ts";
import { recoverAddress } from "./recover-address.ts";

const MOST_REMEMBERED = 10_000;

/** Remembers values for a short time. When there are too many, all are dropped. */
class Recently<Seen> {
  readonly #milliseconds: number;
  readonly #until = new Map<Seen, number>();

  constructor(milliseconds: number) {
    this.#milliseconds = milliseconds;
  }

  add(seen: Seen): void {
    if (this.#until.size >= MOST_REMEMBERED) this.#until.clear();
    this.#until.set(seen, performance.now() + this.#milliseconds);
  }

  has(seen: Seen): boolean {
    const until = this.#until.get(seen);
    return until !== undefined && performance.now() < until;
  }
}

export interface PaymentVerifierOptions {
  client: Pick<PublicClient, "request">;
  chain: Pick<Chain, "key" | "chainId" | "tokens">;
}

/** Reasons as in @x402/evm and the x402 specification, which lacks the last one. */
const BAD_SIGNATURE = "invalid_exact_evm_payload_signature";
const UNDEPLOYED_WALLET = "invalid_exact_evm_payload_undeployed_smart_wallet";
const NONCE_USED = "invalid_exact_evm_nonce_already_used";
const INSUFFICIENT = "insufficient_funds";
const WRONG_ASSET = "invalid_asset";
const PAYER_BLOCKED = "payer_blocked";

/** In characters: a longer one is no wallet's signature, but would cost gas as transaction data. */
const LONGEST_SIGNATURE = 2 + 2 * 2_048;
/** The suffix of a signature that includes the deployment of its wallet (ERC-6492). */
const UNDEPLOYED_MARK = "6492".repeat(16);

/** An account can get code at any time. */
const WITHOUT_CODE_MILLISECONDS = 60_000;

const ANSWER = /^0x(?:[0-9a-f]{64}){7}$/;

/**
 * Verifies payments itself: signatures of keys without any request, and the rest with one request to the node, for a single
 * block. Payments are settled by our own transactions.
 */
export function createPaymentVerifier({ client, chain }: PaymentVerifierOptions): Facilitator & PayerSignatures {
  const network = `eip155:${chain.chainId}`;
  const digests = new Map(
    Object.values(chain.tokens).map((token) => [token.address, createPaymentDigest(token, chain.chainId)]),
  );

  /** Accounts known to have no code: a signature not by their key is refused without a request. */
  const withoutCode = new Recently<Hex>(WITHOUT_CODE_MILLISECONDS);
  /** Recovering a key is most of a verification's cost, and is needed twice. */
  const judged = new WeakMap<SignedPayment, Judged>();

  /** Undefined: it is on another chain, or in a token that is not accepted. */
  function judge(payment: SignedPayment): Judged | undefined {
    const known = judged.get(payment);
    if (known !== undefined) return known;
    const digest = payment.network === network ? digests.get(payment.asset)?.(payment) : undefined;
    if (digest === undefined) return undefined;
    const fresh = { digest, isSignedByKey: recoverAddress(digest, payment.signature) === payment.payer };
    judged.set(payment, fresh);
    return fresh;
  }

  async function probe(payment: SignedPayment, digest: Uint8Array): Promise<ProbeAnswer> {
    try {
      const data = probeQuestion(payment, digest);
      return readProbe(await client.request({ method: "eth_call", params: [{ data }, "latest"] }));
    } catch (error) {
      throw new Failure("payment_unavailable", { retryAfterSeconds: 5, cause: error });
    }
  }

  return {
    chain: chain.key,
    settle: undefined,
    isSignedByPayer: (payment) => judge(payment)?.isSignedByKey === true,

    async verify(payment) {
      const { payer, signature } = payment;
      if (payment.network !== network) throw wrongNetwork(network);
      const judgement = judge(payment);
      if (judgement === undefined) throw new PaymentRefused(WRONG_ASSET, "The payment is in a different token.");
      refuseHopeless(signature);
      const { digest, isSignedByKey } = judgement;
      if (!isSignedByKey && withoutCode.has(payer)) throw badSignature();
      const state = await probe(payment, digest);
      // The token asks a contract wallet itself, and otherwise accepts only the key.
      if (state.hasCode ? !state.isAcceptedByWallet : !isSignedByKey) {
        if (!state.hasCode) withoutCode.add(payer);
        throw badSignature();
      }
      if (state.isUsed) {
        throw new PaymentRefused(
          NONCE_USED,
          "The authorization was already used or cancelled. Sign one with a new nonce.",
        );
      }
      if (state.isPayerBlocked) {
        throw new PaymentRefused(PAYER_BLOCKED, "The token's issuer blocks the payer. Pay from another account.");
      }
      if (state.isPayeeBlocked || state.isPaused) {
        const why = state.isPaused ? "the token is paused by its issuer" : "the payee is blocked by the token's issuer";
        throw new Failure("payment_unavailable", { retryAfterSeconds: 60, cause: new Error(why) });
      }
      if (state.balance < payment.amount) {
        throw new PaymentRefused(INSUFFICIENT, "The payer has less than the call costs. Add money, then sign again.");
      }
      return { balance: state.balance };
    },
  };
}

interface Judged {
  digest: Uint8Array;
  isSignedByKey: boolean;
}

function badSignature(): PaymentRefused {
  return new PaymentRefused(BAD_SIGNATURE, "The signature is not the payer's for exactly this payment.");
}

/** Refuses signatures that are certainly bad, without a request to the node. */
function refuseHopeless(signature: Hex): void {
  if (signature.endsWith(UNDEPLOYED_MARK)) {
    throw new PaymentRefused(UNDEPLOYED_WALLET, "The payer's wallet is not deployed. Deploy it, then sign again.");
  }
  if (signature.length > LONGEST_SIGNATURE) throw new PaymentRefused(BAD_SIGNATURE, "The signature is too long.");
}

/** The answer of contracts/src/PaymentProbe.sol. */
interface ProbeAnswer {
  isUsed: boolean;
  balance: bigint;
  isPayerBlocked: boolean;
  isPayeeBlocked: boolean;
  isPaused: boolean;
  hasCode: boolean;
  isAcceptedByWallet: boolean;
}

/** Encoded by hand: the library takes as long for it as the rest of a verification. */
function probeQuestion({ asset, payer, payTo, nonce, signature }: SignedPayment, digest: Uint8Array): Hex {
  const digits = signature.slice(2);
  const words = [asset, payer, payTo, nonce, bytesToHex(digest)].map((value) => word(value.slice(2)));
  const size = numberWord(digits.length / 2);
  const padded = digits.padEnd(Math.ceil(digits.length / WORD_DIGITS) * WORD_DIGITS, "0");
  return `${paymentProbeBytecode}${words.join("")}${numberWord(HEAD_BYTES)}${size}${padded}`;
}

const WORD_DIGITS = 64;
/** Five values and the offset of the signature. */
const HEAD_BYTES = 6 * 32;
const word = (digits: string): string => digits.padStart(WORD_DIGITS, "0");
const numberWord = (value: number): string => word(value.toString(16));

function readProbe(answer: string): ProbeAnswer {
  if (!ANSWER.test(answer)) throw new Error("the node answers the question about a payment with something else");
  const number = (index: number): bigint =>
    BigInt(`0x${answer.slice(2 + index * WORD_DIGITS, 2 + (index + 1) * WORD_DIGITS)}`);
  const flag = (index: number): boolean => number(index) === 1n;
  return {
    isUsed: flag(0),
    balance: number(1),
    isPayerBlocked: flag(2),
    isPayeeBlocked: flag(3),
    isPaused: flag(4),
    hasCode: flag(5),
    isAcceptedByWallet: flag(6),
  };
}
