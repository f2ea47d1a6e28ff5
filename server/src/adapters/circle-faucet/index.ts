import type { HttpClient, HttpResponse } from "../../platform/http-client/http-client.ts";
import { HttpFailure } from "../../platform/http-client/http-failure.ts";
import type { TestFaucet, TestGift, TestGiftAnswer } from "../../ports/test-faucet.ts";

interface CircleFaucetOptions {
  /** Without a trailing slash. */
  url: string;
  apiKey: string;
  http: HttpClient;
  timeoutMilliseconds?: number;
}

const TIMEOUT_MILLISECONDS = 20_000;
const MAXIMUM_BYTES = 64 * 1024;
const LONGEST_WAIT_SECONDS = 86_400;

/** For the log only. */
class FaucetProblem extends Error {
  override name = "FaucetProblem";
}

/** The faucet of Circle's developer API: `POST /v1/faucet/drips`, answered with 204 and no body. */
export function createCircleFaucet({
  url,
  apiKey,
  http,
  timeoutMilliseconds = TIMEOUT_MILLISECONDS,
}: CircleFaucetOptions): TestFaucet {
  return {
    async give({ address, blockchain, token }: TestGift) {
      try {
        const response = await http.send({
          method: "POST",
          url: `${url}/v1/faucet/drips`,
          headers: { authorization: `Bearer ${apiKey}` },
          json: { address, blockchain, native: false, usdc: token === "USDC", eurc: token === "EURC" },
          timeoutMilliseconds,
          maxBytes: MAXIMUM_BYTES,
          freshConnection: true,
        });
        return readAnswer(response);
      } catch (cause) {
        const isNotSent = cause instanceof HttpFailure && cause.delivery === "not_sent";
        return { kind: isNotSent ? "not_sent" : "unknown", cause };
      }
    },
  };
}

function readAnswer(response: HttpResponse): TestGiftAnswer {
  const { status } = response;
  const cause = new FaucetProblem(`the faucet answered ${status}`);
  if (status >= 200 && status < 300) return { kind: "accepted" };
  if (status === 429) return { kind: "too_often", retryAfterSeconds: readRetryAfter(response) };
  if (status === 401 || status === 403) return { kind: "denied", cause };
  // A time-out of the server may have come after it gave.
  if (status >= 400 && status < 500 && status !== 408) return { kind: "refused", cause };
  return { kind: "unknown", cause };
}

function readRetryAfter(response: HttpResponse): number | undefined {
  const seconds = Number(response.header("retry-after"));
  if (!Number.isFinite(seconds) || seconds <= 0) return undefined;
  return Math.min(Math.ceil(seconds), LONGEST_WAIT_SECONDS);
}
