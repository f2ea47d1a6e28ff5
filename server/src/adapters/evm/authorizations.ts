import { encodeAbiParameters, keccak256, type LocalAccount, parseAbiParameters, stringToHex } from "viem";
import type { Hex } from "../../domain/tokens.ts";
import type { ChainToken } from "../../ports/chain.ts";
import type { ChainOrder, ChainTransaction } from "../../ports/chain-transactions.ts";

/**
 * How long after it was stored an order can be carried out. Long enough for a network or a database that is away for days; an
 * order that is given up is not waited for that long: its authorization is cancelled (`withdraw`).
 */
const VALID_DAYS = 30;
const SECONDS_PER_DAY = 86_400;

const TYPES = {
  TransferWithAuthorization: authorizationFields(),
  ReceiveWithAuthorization: authorizationFields(),
  CancelAuthorization: [
    { name: "authorizer", type: "address" },
    { name: "nonce", type: "bytes32" },
  ],
} as const;

/** What one wallet allows once. Of a wallet of ours it follows from the stored order alone, so that signing it again gives the same. */
export interface Authorization {
  from: Hex;
  to: Hex;
  value: bigint;
  validAfter: bigint;
  validBefore: bigint;
  nonce: Hex;
}

export interface SplitTerms {
  token: Hex;
  supplier: Hex;
  commissionRecipient: Hex;
  serviceFeeRecipient: Hex;
  gross: bigint;
  commissionBps: number;
  serviceFeeBps: number;
  settlementId: Hex;
}

export interface AuthorizationPlace {
  chainId: number;
  token: ChainToken;
  splitter: Hex | undefined;
  /** Where commission and service fee go. */
  feeRecipient: Hex;
}

export const idHash = (id: string): Hex => keccak256(stringToHex(id));

export function splitTerms(
  transaction: Pick<ChainTransaction, "id">,
  order: ChainOrder & { kind: "split" },
  { token, feeRecipient }: AuthorizationPlace,
): SplitTerms {
  return {
    token: token.address,
    supplier: order.supplier,
    // The payer's own earnings: they come back to its wallet.
    commissionRecipient: order.from,
    serviceFeeRecipient: feeRecipient,
    gross: order.gross,
    commissionBps: order.commissionBps,
    serviceFeeBps: order.serviceFeeBps,
    settlementId: idHash(transaction.id),
  };
}

/** Unix seconds. */
export function deadlineOf({ createdAt }: Pick<ChainTransaction, "createdAt">): bigint {
  return BigInt(Math.floor(createdAt.epochMilliseconds / 1000) + VALID_DAYS * SECONDS_PER_DAY);
}

/** Undefined: the order needs none. */
export function authorizationOf(
  transaction: Pick<ChainTransaction, "id" | "order" | "createdAt">,
  place: AuthorizationPlace,
): Authorization | undefined {
  const { order } = transaction;
  const validity = { validAfter: 0n, validBefore: deadlineOf(transaction) };
  switch (order.kind) {
    case "transfer":
      return { from: order.from, to: order.to, value: order.amount, ...validity, nonce: idHash(transaction.id) };
    case "split": {
      const splitter = requireSplitter(place);
      const nonce = splitNonce(place.chainId, splitter, order.from, splitTerms(transaction, order, place));
      return { from: order.from, to: splitter, value: order.gross, ...validity, nonce };
    }
    case "payment": {
      const { from, to, amount, validAfter, validBefore, nonce } = order;
      return { from, to, value: amount, validAfter, validBefore, nonce };
    }
    case "trip_prefund": {
      const { funder, budget, expiresAt } = order.terms;
      // From its expiry on the escrow takes no trip.
      const validBefore = expiresAt < validity.validBefore ? expiresAt : validity.validBefore;
      return { from: funder, to: order.escrow, value: budget, validAfter: 0n, validBefore, nonce: order.tripId };
    }
    case "drip":
    case "mint":
    // Carried out by nobody but the relayer, whose own transaction decides.
    case "escrow":
    case "agent_registry":
    // A batch has many: each is asked for by itself.
    case "payment_batch":
      return undefined;
  }
}

export function requireSplitter({ splitter, chainId }: Pick<AuthorizationPlace, "splitter" | "chainId">): Hex {
  if (splitter === undefined) throw new Error(`chain ${chainId} has no splitter`);
  return splitter;
}

/** As SettlementSplitter.authorizationNonce. */
function splitNonce(chainId: number, splitter: Hex, payer: Hex, terms: SplitTerms): Hex {
  return keccak256(
    encodeAbiParameters(
      parseAbiParameters(
        "uint256, address, address, (address token, address supplier, address commissionRecipient, address serviceFeeRecipient, uint256 gross, uint16 commissionBps, uint16 serviceFeeBps, bytes32 settlementId)",
      ),
      [BigInt(chainId), splitter, payer, terms],
    ),
  );
}

export async function signAuthorization(
  account: LocalAccount,
  primaryType: "TransferWithAuthorization" | "ReceiveWithAuthorization",
  authorization: Authorization,
  place: AuthorizationPlace,
): Promise<Hex> {
  return await account.signTypedData({ domain: domainOf(place), types: TYPES, primaryType, message: authorization });
}

export async function signCancellation(
  account: LocalAccount,
  { from, nonce }: Authorization,
  place: AuthorizationPlace,
): Promise<Hex> {
  const message = { authorizer: from, nonce };
  return await account.signTypedData({
    domain: domainOf(place),
    types: TYPES,
    primaryType: "CancelAuthorization",
    message,
  });
}

function domainOf({ token, chainId }: AuthorizationPlace) {
  return { name: token.name, version: token.version, chainId, verifyingContract: token.address };
}

function authorizationFields() {
  return [
    { name: "from", type: "address" },
    { name: "to", type: "address" },
    { name: "value", type: "uint256" },
    { name: "validAfter", type: "uint256" },
    { name: "validBefore", type: "uint256" },
    { name: "nonce", type: "bytes32" },
  ] as const;
}
