import { Failure } from "../../../domain/errors.ts";
import { formatDecimal, type Micro } from "../../../domain/money.ts";
import type { BurnFees, MessageAttestations } from "../../../ports/chain/message-attestations.ts";
import type { Ports } from "../context.ts";

type OpenChain = Awaited<ReturnType<Ports["usableChains"]["open"]>>;

/** The finality after which a burn is attested. */
export type BridgeFinality = "fast" | "standard";

const THRESHOLDS = { fast: 1_000, standard: 2_000 } as const;
const MILLION = 1_000_000n;

/** When a transfer should have arrived, from what the bridge's operator says of the finality of its chains. */
const EXPECTED_SECONDS = { emulated: 30, fast: 60, arc: 30, standard: 20 * 60 } as const;
const ARC_DOMAIN = 26;

export interface BridgeTerms {
  destinationDomain: number;
  minFinality: number;
  /** The most that is taken off. */
  maxFee: Micro;
  expectedSeconds: number;
}

interface BridgeEnds {
  source: OpenChain;
  target: OpenChain;
  attestations: MessageAttestations | undefined;
  finality: BridgeFinality;
}

/** The terms of a burn. Throws Failure `chain_not_available` if one of the chains has no bridge to the other. */
export async function readBridgeTerms(
  { source, target, attestations, finality }: BridgeEnds,
  amount: Micro,
): Promise<BridgeTerms> {
  const bridge = source.chain.crossChain.bridge;
  const [from, to] = [source.domain, target.domain];
  if (source.chain.key.chain === target.chain.key.chain) throw refuseChain(`The money is already on ${target.name}.`);
  // A test network shares its domain with its main network: money burned for the other one would be lost. The emulated Arc is reached
  // from both.
  const isReached = source.network === target.network || (source.isEmulated && to === ARC_DOMAIN);
  if (!isReached) throw refuseChain(`${source.name} and ${target.name} do not belong to the same network.`);
  const isMissing = bridge?.signedBurns === undefined || target.chain.crossChain.bridge === undefined;
  if (isMissing || from === undefined || to === undefined || attestations === undefined) {
    throw refuseChain(`There is no bridge from ${source.name} to ${target.name}.`);
  }
  const [fees, least] = await Promise.all([
    attestations.readFees(from, to),
    source.chain.bridge.leastFee(bridge.messenger, amount),
  ]);
  const { speed, millionths } = chooseFee(fees, finality);
  const fee = (amount * millionths + MILLION - 1n) / MILLION;
  const maxFee = fee > least ? fee : least;
  if (maxFee >= amount) {
    throw new Failure("amount_too_low", {
      detail: `The bridge charges up to ${formatDecimal(maxFee)} USDC. Nothing was done; send more than that.`,
    });
  }
  const expectedSeconds = expectSeconds({ speed, from, isEmulated: source.isEmulated });
  return {
    destinationDomain: to,
    minFinality: THRESHOLDS[speed],
    maxFee,
    expectedSeconds,
  };
}

function chooseFee(fees: BurnFees, finality: BridgeFinality) {
  return finality === "fast" && fees.fast !== undefined
    ? { speed: "fast" as const, millionths: fees.fast }
    : { speed: "standard" as const, millionths: fees.standard };
}

function expectSeconds(of: { speed: BridgeFinality; from: number; isEmulated: boolean }): number {
  if (of.isEmulated) return EXPECTED_SECONDS.emulated;
  if (of.from === ARC_DOMAIN) return EXPECTED_SECONDS.arc;
  return EXPECTED_SECONDS[of.speed];
}

function refuseChain(why: string): Failure {
  return new Failure("chain_not_available", { detail: `${why} Nothing was done.` });
}
