import { setTimeout as delay } from "node:timers/promises";
import { Failure } from "../../domain/errors.ts";
import type { Hex } from "../../domain/tokens.ts";
import type { Chain } from "../../ports/chain/chain.ts";
import type { TestFaucet, TestGift, TestGiftAnswer } from "../../ports/test-faucet.ts";
import type { Ports, Stores } from "./context.ts";
import type { FaucetRequest } from "./store-faucet-requests.ts";

/**
 * Gifts of the public faucet, on real test networks. The faucet cannot be asked what became of a request, and a repeated one could be a
 * second gift: each request is stored before it is sent, sent once, and followed by no other for that address and token before the
 * waiting time is over. Where an answer was lost, the transfer is looked for on the chain, if the service has that chain.
 */

export const publicFaucetErrors = {
  faucet_refused: "The public faucet refused this request. Check the address, or ask for another token or network.",
  faucet_unavailable: "The public faucet is not answering. Nothing was sent; call again later.",
  faucet_outcome_unknown:
    "The faucet's answer was lost, so the tokens may or may not have been sent. Call again later: the transfer is looked up on the chain, and nothing is requested again before waitSeconds have passed.",
} as const;

const DENIED =
  "The public faucet does not accept the operator's key. Nothing was sent; the operator has to set another FAUCET_API_KEY.";
const UNDER_WAY = "A request for this address and token is in progress. Call again shortly.";
const COOLING = "This address received this token recently. Call again after the number of seconds in the answer.";

/** The public faucet gives to an address this often. */
const WAIT_SECONDS = 7_200;
/** The faucet's answer comes earlier, or the process that waits for it is gone. */
const ANSWERED_WITHIN_SECONDS = 60;
const UNDER_WAY_SECONDS = 5;
const BLOCKS_AT_ONCE = 2_000n;
const MOST_BLOCKS = 40_000n;
const LOOK_MILLISECONDS = 8_000;
const PAUSE_MILLISECONDS = 1_000;

interface FaucetPorts extends Pick<Ports, "usableChains" | "clock"> {
  stores: Pick<Stores, "faucetRequests">;
  faucet: TestFaucet;
  /** How long to wait for the transfer. */
  lookMilliseconds?: number;
}

/** The transfer; undefined: it is not seen yet, or the service does not have that chain. */
interface Given {
  transactionHash: Hex | undefined;
}

/** Throws a Failure with a code of `publicFaucetErrors`, `faucet_cooldown` or `transfer_in_progress`. */
export async function askPublicFaucet(ports: FaucetPorts, gift: TestGift, tenantId: string): Promise<Given> {
  const { stores, clock, faucet, usableChains, lookMilliseconds = LOOK_MILLISECONDS } = ports;
  const earlier = await findEarlier(ports, gift, tenantId);
  if (earlier !== undefined) return earlier;
  const chain = await findChain(usableChains, gift.blockchain);
  const afterBlock = await chain?.head().then(
    ({ number }) => number,
    () => undefined,
  );
  const againAt = clock.now().add({ seconds: WAIT_SECONDS });
  const request = await stores.faucetRequests.ask(gift, { tenantId, againAt, afterBlock });
  // Another call was first.
  if (request === undefined) return (await findEarlier(ports, gift, tenantId)) ?? refuseUnderWay();
  const answer = await faucet.give(gift);
  if (answer.kind !== "accepted" && answer.kind !== "unknown") throw await endRefused(ports, request, answer);
  await stores.faucetRequests.end(request, { state: answer.kind === "accepted" ? "given" : "unknown" });
  const transactionHash = chain && (await waitForTransfer(chain, request, lookMilliseconds));
  if (transactionHash !== undefined) await stores.faucetRequests.end(request, { state: "given", transactionHash });
  else if (answer.kind === "unknown") throw lost(request, ports, answer.cause);
  return { transactionHash };
}

/** Throws what the call would be refused with because of an earlier request. */
export async function checkPublicFaucet(
  ports: Omit<FaucetPorts, "faucet">,
  gift: TestGift,
  tenantId: string,
): Promise<void> {
  await findEarlier(ports, gift, tenantId);
}

/** The gift of an earlier request whose outcome nobody has learned so far; undefined: nothing forbids a new one. */
async function findEarlier(
  ports: Omit<FaucetPorts, "faucet">,
  gift: TestGift,
  tenantId: string,
): Promise<Given | undefined> {
  const { stores, clock, usableChains } = ports;
  const earlier = await stores.faucetRequests.find(gift);
  if (earlier === undefined || Temporal.Instant.compare(earlier.againAt, clock.now()) <= 0) return undefined;
  if (earlier.state === "given" || earlier.state === "refused") throw cooling(earlier, ports);
  const answeredBy = earlier.askedAt.add({ seconds: ANSWERED_WITHIN_SECONDS });
  if (earlier.state === "asked" && Temporal.Instant.compare(clock.now(), answeredBy) < 0) return refuseUnderWay();
  const chain = await findChain(usableChains, gift.blockchain);
  const transactionHash = chain && (await findTransfer(chain, earlier));
  if (transactionHash === undefined) throw lost(earlier, ports);
  await stores.faucetRequests.end(earlier, { state: "given", transactionHash });
  if (earlier.tenantId !== tenantId) throw cooling(earlier, ports);
  return { transactionHash };
}

/** Stores that nothing was given, and says why. */
async function endRefused(
  { stores, clock }: Pick<FaucetPorts, "stores" | "clock">,
  request: FaucetRequest,
  answer: Exclude<TestGiftAnswer, { kind: "accepted" | "unknown" }>,
): Promise<Failure> {
  const now = clock.now();
  if (answer.kind === "too_often") {
    const againAt = now.add({ seconds: answer.retryAfterSeconds ?? WAIT_SECONDS });
    await stores.faucetRequests.end(request, { state: "refused", againAt });
    return cooling({ againAt }, { clock });
  }
  await stores.faucetRequests.end(request, { state: "refused", againAt: now });
  const { cause } = answer;
  if (answer.kind === "not_sent") {
    const detail = publicFaucetErrors.faucet_unavailable;
    return new Failure("faucet_unavailable", { detail, retryAfterSeconds: UNDER_WAY_SECONDS, cause });
  }
  const detail = answer.kind === "denied" ? DENIED : publicFaucetErrors.faucet_refused;
  return new Failure("faucet_refused", { detail, cause });
}

/** Undefined: the service does not have the chain, or it does not answer. */
async function findChain(usableChains: Ports["usableChains"], blockchain: string): Promise<Chain | undefined> {
  try {
    return (await usableChains.open(blockchain)).chain;
  } catch (error) {
    if (error instanceof Failure && error.code === "chain_not_available") return undefined;
    throw error;
  }
}

async function waitForTransfer(chain: Chain, request: FaucetRequest, milliseconds: number): Promise<Hex | undefined> {
  const deadline = performance.now() + milliseconds;
  for (;;) {
    const found = await findTransfer(chain, request);
    if (found !== undefined || performance.now() + PAUSE_MILLISECONDS > deadline) return found;
    await delay(PAUSE_MILLISECONDS);
  }
}

/** The first transfer of the token to the address after the request. Undefined also while the chain does not answer. */
async function findTransfer(chain: Chain, { address, token, afterBlock }: FaucetRequest): Promise<Hex | undefined> {
  if (afterBlock === undefined) return undefined;
  try {
    const { number: head } = await chain.head();
    const last = head < afterBlock + MOST_BLOCKS ? head : afterBlock + MOST_BLOCKS;
    for (let from = afterBlock + 1n; from <= last; from += BLOCKS_AT_ONCE) {
      const to = from + BLOCKS_AT_ONCE - 1n;
      const movements = await chain.movements(from, to < last ? to : last);
      const gift = movements.find((one) => one.to === address && one.token === token && one.amount > 0n);
      if (gift !== undefined) return gift.transactionHash;
    }
    return undefined;
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}

function secondsLeft({ againAt }: Pick<FaucetRequest, "againAt">, { clock }: Pick<Ports, "clock">): number {
  return Math.max(1, Math.ceil(clock.now().until(againAt).total("seconds")));
}

function cooling(request: Pick<FaucetRequest, "againAt">, ports: Pick<Ports, "clock">): Failure {
  const waitSeconds = secondsLeft(request, ports);
  return new Failure("faucet_cooldown", { detail: COOLING, extra: { waitSeconds }, retryAfterSeconds: waitSeconds });
}

function lost(request: FaucetRequest, ports: Pick<Ports, "clock">, cause?: unknown): Failure {
  return new Failure("faucet_outcome_unknown", {
    detail: publicFaucetErrors.faucet_outcome_unknown,
    extra: { waitSeconds: secondsLeft(request, ports) },
    retryAfterSeconds: ANSWERED_WITHIN_SECONDS,
    cause,
  });
}

function refuseUnderWay(): never {
  throw new Failure("transfer_in_progress", { detail: UNDER_WAY, retryAfterSeconds: UNDER_WAY_SECONDS });
}
