import { encodeAbiParameters, encodeFunctionData, keccak256, type PublicClient, parseAbiParameters } from "viem";
import type { Hex } from "../../../domain/tokens.ts";
import { tripEscrowAbi } from "../../../generated/contracts/trip-escrow.ts";
import type {
  BookingStateOnChain,
  EscrowContract,
  EscrowFacts,
  EscrowRoles,
  TripTerms,
} from "../../../ports/chain/escrow-contract.ts";
import { chainUnavailable, isRevert, reach, refusalIn } from "../client.ts";
import { lowerHex } from "../hex.ts";
import { explainRevert } from "../sending/explain-revert.ts";
import { ChainSetupError } from "../setup-error.ts";

const FIELDS = parseAbiParameters(
  "uint256, address, (address funder, uint256 budget, uint64 expiresAt, address claimSigner, bytes32 metadataHash, bytes32 salt)",
);

const NOBODY: Hex = "0x0000000000000000000000000000000000000000";
const NO_HASH: Hex = `0x${"00".repeat(32)}`;
/** In the order of TripEscrow.BookingState. */
const STATES: readonly BookingStateOnChain[] = ["none", "reserved", "committed", "confirmed", "settled", "cancelled"];

export interface EscrowOptions {
  client: PublicClient;
  chainId: number;
  /** The token in which trips are held. */
  token: Hex;
  /** The latest confirmed block. */
  headNumber(): Promise<bigint>;
}

/** `since` undefined: from now on. Throws ChainSetupError like `proveEscrow`. */
export async function openEscrow(
  options: EscrowOptions,
  { address, since }: { address: Hex; since: number | undefined },
): Promise<EscrowContract> {
  const found = await proveEscrow(options, address);
  const sinceBlock = since === undefined ? await options.headNumber() : BigInt(since);
  return createEscrowReader(options, { address, sinceBlock, ...found });
}

type ProvenFacts = Pick<EscrowFacts, "graceSeconds" | "returnsToTrip">;

/** Throws ChainSetupError for a contract that is not an escrow of this token: the service could not move money sent there. */
async function proveEscrow(
  { client, chainId, token }: EscrowOptions,
  address: Hex,
  advice = CONFIGURED,
): Promise<ProvenFacts> {
  const contract = { address, abi: tripEscrowAbi } as const;
  const wrong = `The escrow at ${address} on chain ${chainId} is not the service's escrow contract: ${advice.contract}`;
  const [held, graceSeconds, sample] = await answered(wrong, () =>
    Promise.all([
      client.readContract({ ...contract, functionName: "token" }),
      client.readContract({ ...contract, functionName: "graceSeconds" }),
      client.readContract({ ...contract, functionName: "tripIdOf", args: [SAMPLE] }),
    ]),
  );
  if (sample !== computeTripId(chainId, address, SAMPLE)) throw new ChainSetupError(wrong);
  if (lowerHex(held) !== token) {
    throw new ChainSetupError(
      `The escrow at ${address} on chain ${chainId} keeps the token ${lowerHex(held)}, not ${token}: ${advice.token}`,
    );
  }
  return { graceSeconds, returnsToTrip: await canReturnToTrip(client, address) };
}

/** Finds out whether the contract is an escrow of this token with these roles, for an operator who names it. */
export async function probeEscrow(options: EscrowOptions, address: Hex, roles: EscrowRoles): Promise<ProvenFacts> {
  const found = await proveEscrow(options, address, NAMED);
  await checkEscrowRoles(options.client, address, roles, NAMED.roles);
  return found;
}

/** The advice about a wrong contract: one from the configuration, and one that an operator names. */
const CONFIGURED = {
  contract: "check CHAIN_ESCROW, or leave it out.",
  token: "check CHAIN_ESCROW and CHAIN_USDC.",
  roles: "have its owner set that, or check CHAIN_ESCROW.",
};
const NAMED: typeof CONFIGURED = {
  contract: "check the address and the network.",
  token: "name an escrow of this network's USDC.",
  roles: "have its owner set that, and run the command again.",
};

/** Reads an escrow contract that was probed before. */
export function createEscrowReader({ client, chainId, headNumber }: EscrowOptions, facts: EscrowFacts): EscrowContract {
  const { address } = facts;
  const contract = { address, abi: tripEscrowAbi } as const;
  return {
    ...facts,
    tripId: (terms) => computeTripId(chainId, address, terms),

    trip: (tripId) =>
      reach(async () => {
        const blockNumber = await headNumber();
        const trip = await client.readContract({ ...contract, functionName: "trips", args: [tripId], blockNumber });
        if (trip.funder === NOBODY) return undefined;
        const { expiresAt, isClosed, free, held } = trip;
        return { funder: lowerHex(trip.funder), expiresAt, guest: somebody(trip.guest), isClosed, free, held };
      }),

    booking: (tripId, bookingId) =>
      reach(async () => {
        const blockNumber = await headNumber();
        const { state, vendor, ...amounts } = await client.readContract({
          ...contract,
          functionName: "bookings",
          args: [tripId, bookingId],
          blockNumber,
        });
        const known = STATES[state];
        if (known === undefined) throw new Error(`the escrow has a booking in state ${state}`);
        return { ...amounts, state: known, vendor: somebody(vendor) };
      }),

    withdrawable: (account) =>
      reach(async () => {
        const blockNumber = await headNumber();
        return await client.readContract({ ...contract, functionName: "withdrawable", args: [account], blockNumber });
      }),
  };
}

/** The function reverts with a reason for everyone but the operator. An older contract without it reverts without one. */
async function canReturnToTrip(client: PublicClient, address: Hex): Promise<boolean> {
  const args = [NO_HASH, NO_HASH, NO_HASH] as const;
  const data = encodeFunctionData({ abi: tripEscrowAbi, functionName: "returnToTrip", args });
  try {
    await client.call({ to: address, data });
    return false;
  } catch (error) {
    const refusal = refusalIn(error);
    if (refusal === undefined || !isRevert(error)) throw chainUnavailable(error);
    return explainRevert(refusal).startsWith("NotOperator(");
  }
}

/** Throws ChainSetupError if another account than the service's operates the escrow or gets its fees. */
export async function checkEscrowRoles(
  client: PublicClient,
  address: Hex | undefined,
  expected: Partial<EscrowRoles>,
  advice = CONFIGURED.roles,
): Promise<void> {
  if (address === undefined) return;
  for (const [functionName, wanted, what] of [
    ["operator", expected.operator, "is operated by"],
    ["serviceFeeRecipient", expected.serviceFeeRecipient, "sends its service fees to"],
  ] as const) {
    if (wanted === undefined) continue;
    const found = await reach(() => client.readContract({ address, abi: tripEscrowAbi, functionName }));
    if (lowerHex(found) === wanted) continue;
    throw new ChainSetupError(`The escrow at ${address} ${what} ${lowerHex(found)}, not ${wanted}: ${advice}`);
  }
}

const SAMPLE = {
  funder: "0x0000000000000000000000000000000000000001",
  budget: 999_999n,
  expiresAt: 2n ** 40n,
  claimSigner: "0x0000000000000000000000000000000000000002",
  metadataHash: `0x${"77".repeat(32)}`,
  salt: `0x${"11".repeat(32)}`,
} as const;

const somebody = (address: Hex): Hex | undefined => (address === NOBODY ? undefined : lowerHex(address));

async function answered<Result>(wrong: string, ask: () => Promise<Result>): Promise<Result> {
  try {
    return await ask();
  } catch (error) {
    const isAnswered =
      refusalIn(error) !== undefined ||
      (error instanceof Error && /returned no data|out of bounds/.test(error.message));
    throw isAnswered ? new ChainSetupError(wrong) : chainUnavailable(error);
  }
}

/** Matches TripEscrow.tripIdOf. */
function computeTripId(chainId: number, escrow: Hex, terms: TripTerms): Hex {
  return keccak256(encodeAbiParameters(FIELDS, [BigInt(chainId), escrow, terms]));
}
