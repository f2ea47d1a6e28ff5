import type { z } from "zod";
import { PaymentRefused, type PaymentTerms, type SignedPayment } from "../../domain/payments.ts";
import type { Hex } from "../../domain/tokens.ts";
import type { HttpClient, HttpResponse } from "../../platform/http-client/http-client.ts";
import { HttpFailure } from "../../platform/http-client/http-failure.ts";
import type { ChainKey } from "../../ports/chain/chain-key.ts";
import type { Facilitator, FacilitatorSettlement, VerifiedPayment } from "../../ports/facilitator.ts";
import { FacilitatorError, FacilitatorSetupError, facilitatorAway } from "./errors.ts";
import { describePayment, SCHEME, SettleAnswer, SupportedAnswer, VerifyAnswer, X402_VERSION } from "./wire.ts";

export { FacilitatorSetupError } from "./errors.ts";

export interface X402FacilitatorOptions {
  /** Without a trailing slash. */
  url: string;
  /** Sent with every request. */
  key?: string | undefined;
  http: HttpClient;
  chain: ChainKey;
  /** The time limit of one request. */
  timeoutMilliseconds: number;
}

const MAXIMUM_BYTES = 256 * 1024;
const LONGEST_EXCERPT = 200;
/** Reasons of x402 for a facilitator that could not decide, rather than for a bad payment. */
const UNDECIDED: ReadonlySet<string> = new Set([
  "unexpected_verify_error",
  "unexpected_settle_error",
  "settlement_pending",
]);
/** Reasons of x402 are passed on; any other text of a facilitator stays in the log. */
const REASON = /^[a-z0-9_]{1,100}$/;

/** A third-party x402 facilitator, over HTTP. Rejects with FacilitatorSetupError if it does not serve our network. */
export async function createX402Facilitator(options: X402FacilitatorOptions): Promise<Facilitator> {
  const ask = createQuestions(options);
  await checkSupport(ask, options);

  async function verify(payment: SignedPayment, terms: PaymentTerms): Promise<VerifiedPayment> {
    const answer = await ask.post("verify", describePayment(payment, terms), VerifyAnswer);
    const { isValid, invalidReason, invalidMessage, payer } = answer;
    if (payer !== undefined && payer.toLowerCase() !== payment.payer) {
      throw facilitatorAway(new FacilitatorError(`verify named another payer: ${excerpt(payer)}`));
    }
    if (isValid) return { balance: undefined };
    const reason = readReason(invalidReason);
    if (reason !== undefined && UNDECIDED.has(reason)) {
      throw facilitatorAway(new FacilitatorError(`verify: ${reason} ${excerpt(invalidMessage ?? "")}`));
    }
    throw new PaymentRefused(reason ?? "invalid_payload", "The facilitator refused the signed payment");
  }

  async function settle(payment: SignedPayment, terms: PaymentTerms): Promise<FacilitatorSettlement> {
    const answer = await ask.post("settle", describePayment(payment, terms), SettleAnswer);
    if (answer.success) return { kind: "sent", transactionHash: readSettled(answer, payment) };
    const reason = readReason(answer.errorReason);
    if (reason !== undefined && UNDECIDED.has(reason)) {
      throw facilitatorAway(new FacilitatorError(`settle: ${reason} ${excerpt(answer.transaction)}`));
    }
    return { kind: "refused", reason: reason ?? "settlement_failed" };
  }

  return { chain: options.chain, verify, settle };
}

interface Questions {
  post<Answer>(path: "verify" | "settle", body: unknown, schema: z.ZodType<Answer>): Promise<Answer>;
  supported(): Promise<HttpResponse>;
}

function createQuestions({ url, key, http, timeoutMilliseconds }: X402FacilitatorOptions): Questions {
  const send = (path: string, json: unknown, freshConnection: boolean): Promise<HttpResponse> =>
    http.send({
      method: json === undefined ? "GET" : "POST",
      url: `${url}/${path}`,
      ...(json === undefined ? {} : { json }),
      ...(key === undefined ? {} : { headers: { authorization: `Bearer ${key}` } }),
      timeoutMilliseconds,
      maxBytes: MAXIMUM_BYTES,
      freshConnection,
    });

  /** A kept-alive connection that is just being closed looks like a lost answer. Asking about a payment twice is harmless. */
  async function askTwice(path: string, json: unknown): Promise<HttpResponse> {
    try {
      return await send(path, json, false);
    } catch (error) {
      if (!(error instanceof HttpFailure && error.problem === "reset")) throw error;
      return await send(path, json, true);
    }
  }

  /** Parts of it are logged, which must not include a key. */
  function readText({ body }: HttpResponse): string {
    const text = body.toString("utf8");
    return key === undefined ? text : text.replaceAll(key, "(the key)");
  }

  return {
    async post(path, body, schema) {
      try {
        const response = path === "settle" ? await send(path, body, true) : await askTwice(path, body);
        return readAnswer(path, response.status, readText(response), schema);
      } catch (error) {
        throw facilitatorAway(error);
      }
    },
    supported: () => askTwice("supported", undefined),
  };
}

/** A refusal may have its own status; a broken, busy or unauthorized request has not looked at the payment. */
function readAnswer<Answer>(path: string, status: number, text: string, schema: z.ZodType<Answer>): Answer {
  const hasLooked = (status >= 200 && status < 300) || [400, 402, 409, 412, 422].includes(status);
  const answer = hasLooked ? schema.safeParse(parseJson(text)) : undefined;
  if (answer?.success === true) return answer.data;
  throw new FacilitatorError(`${path} answered ${status}: ${excerpt(text)}`);
}

/** Throws unless exactly this payment was settled, completely and on this network. */
function readSettled({ transaction, network, payer, amount }: SettleAnswer, payment: SignedPayment): Hex {
  const digits = /^0x([0-9a-f]{64})$/i.exec(transaction)?.[1];
  const isOurs =
    network === payment.network &&
    (payer === undefined || payer.toLowerCase() === payment.payer) &&
    (amount === undefined || amount === payment.amount.toString());
  if (digits !== undefined && isOurs) return `0x${digits.toLowerCase()}`;
  const said = JSON.stringify({ transaction, network, payer, amount });
  throw facilitatorAway(new FacilitatorError(`settle succeeded with something else: ${excerpt(said)}`));
}

async function checkSupport(
  ask: Questions,
  { url, chain: { chain: network }, timeoutMilliseconds }: X402FacilitatorOptions,
): Promise<void> {
  const refuse = (why: string, whatToDo: string, cause?: unknown): FacilitatorSetupError =>
    new FacilitatorSetupError(`the payment facilitator at ${url} ${why}. ${whatToDo}`, { cause });
  const elsewhere = "Set X402_FACILITATOR_URL to one that does, or unset it to settle in process.";
  const response = await ask.supported().catch((cause: unknown) => {
    const problem = cause instanceof HttpFailure ? cause.problem : "broken";
    throw refuse(
      `does not answer GET /supported (${problem}, ${timeoutMilliseconds} ms at most)`,
      "Start again when it does.",
      cause,
    );
  });
  if (response.status !== 200) throw refuse(`answers ${response.status} to GET /supported`, elsewhere);
  const supported = SupportedAnswer.safeParse(parseJson(response.body.toString("utf8")));
  if (!supported.success) throw refuse("answers no x402 document to GET /supported", elsewhere);
  const { kinds } = supported.data;
  if (kinds.some((kind) => kind.x402Version === X402_VERSION && kind.scheme === SCHEME && kind.network === network)) {
    return;
  }
  throw refuse(`does not support x402 version ${X402_VERSION} with scheme ${SCHEME} on ${network}`, elsewhere);
}

function readReason(reason: string | undefined): string | undefined {
  return reason !== undefined && REASON.test(reason) ? reason : undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function excerpt(text: string): string {
  return text.replace(/\s+/g, " ").trim().slice(0, LONGEST_EXCERPT);
}
