import { encodeFunctionData, type LocalAccount } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import type { Hex } from "../../domain/tokens.ts";
import { faucetAbi } from "../../generated/contracts/faucet.ts";
import { paymentBatchAbi } from "../../generated/contracts/payment-batch.ts";
import { settlementSplitterAbi } from "../../generated/contracts/settlement-splitter.ts";
import { stablecoinAbi } from "../../generated/contracts/stablecoin.ts";
import type { Chain } from "../../ports/chain.ts";
import type { ChainOrder, ChainTransaction } from "../../ports/chain-transactions.ts";
import type { Signer } from "../../ports/signer.ts";
import {
  type Authorization,
  type AuthorizationPlace,
  authorizationOf,
  deadlineOf,
  idHash,
  requireSplitter,
  signAuthorization,
  signCancellation,
  splitTerms,
} from "./authorizations.ts";
import { escrowPayload, prefundPayload } from "./escrow-orders.ts";
import { registryPayload } from "./registry-orders.ts";
import { refuseWellKnownKey } from "./well-known-keys.ts";

/** What the relayer sends, but for its nonce and price. */
export interface Payload {
  to: Hex;
  data: Hex;
  /** More than it can need: measured on the development contracts, and half as much again. */
  gasCeiling: bigint;
  /** Also where gas is estimated: a payer's own code runs in it. */
  isCapped?: boolean;
  /** Where gas is estimated nothing less: payers' code can use more in a block than when it is asked. */
  isFloor?: boolean;
}

const GAS_CEILINGS = {
  transfer: 130_000n,
  split: 330_000n,
  drip: 230_000n,
  mint: 130_000n,
  /** Also of a contract wallet, which checks its signature in its own way. */
  payment: 400_000n,
  /** Less than this is left after the items: PaymentBatch wants the most that one may use before it begins one. */
  batch: 300_000n,
  batchItem: 110_000n,
  /** What PaymentBatch lets an item of a payer with code use, and a little more. */
  batchItemByContract: 265_000n,
  /** Beyond those of a key's signature: to carry it, and to copy it on its way to the payer's contract. */
  signatureByte: 18n,
  withdraw: 110_000n,
} as const;

export interface OrderSigner {
  /** Where the authorization of this order stands on the chain; undefined: it needs none. */
  authorizationOf(transaction: ChainTransaction): Authorization | undefined;
  /** With the wallet's signature where the order, or its withdrawal, needs one. */
  payloadOf(transaction: ChainTransaction): Promise<Payload>;
}

export interface OrderSignerOptions {
  chain: Chain;
  signer: Signer;
  walletIdOf(address: Hex): Promise<string | undefined>;
  /** Those of the accounts that the token itself asks about their signatures. */
  whichHaveCode(accounts: readonly Hex[]): Promise<ReadonlySet<Hex>>;
  feeRecipient: Hex;
  /** Who sends the transactions. */
  relayer: Hex;
  /** Whether keys that everybody knows are refused. */
  live: boolean;
}

export function createOrderSigner(options: OrderSignerOptions): OrderSigner {
  const { chain, signer, walletIdOf, feeRecipient, relayer, live } = options;
  const placeOf = ({ order }: Pick<ChainTransaction, "order">): AuthorizationPlace => ({
    chainId: chain.chainId,
    token: chain.tokens[order.token],
    splitter: chain.splitter,
    feeRecipient,
  });

  async function accountOf(address: Hex): Promise<LocalAccount> {
    const walletId = await walletIdOf(address);
    if (walletId === undefined) throw new Error(`${address} is no wallet of this network`);
    const privateKey = await signer.privateKeyOf(walletId);
    if (live) refuseWellKnownKey(privateKey);
    return privateKeyToAccount(privateKey);
  }

  async function withdrawal(transaction: ChainTransaction): Promise<Payload> {
    const place = placeOf(transaction);
    const authorization = authorizationOf(transaction, place);
    if (authorization === undefined) throw new Error(`${transaction.id} has no authorization to withdraw`);
    const signature = await signCancellation(await accountOf(authorization.from), authorization, place);
    const data = encodeFunctionData({
      abi: stablecoinAbi,
      functionName: "cancelAuthorization",
      args: [authorization.from, authorization.nonce, ...vrsOf(signature)],
    });
    return { to: place.token.address, data, gasCeiling: GAS_CEILINGS.withdraw };
  }

  return {
    authorizationOf: (transaction) => authorizationOf(transaction, placeOf(transaction)),

    async payloadOf(transaction) {
      if (transaction.step === "withdraw") return await withdrawal(transaction);
      const { order } = transaction;
      const place = placeOf(transaction);
      const token = place.token.address;
      switch (order.kind) {
        case "transfer": {
          const authorization = authorizationOf(transaction, place);
          if (authorization === undefined) throw new Error(`${transaction.id} has no authorization`);
          const { from, to, value, validAfter, validBefore, nonce } = authorization;
          const account = await accountOf(from);
          const signature = await signAuthorization(account, "TransferWithAuthorization", authorization, place);
          const data = encodeFunctionData({
            abi: stablecoinAbi,
            functionName: "transferWithAuthorization",
            args: [from, to, value, validAfter, validBefore, nonce, ...vrsOf(signature)],
          });
          return { to: token, data, gasCeiling: GAS_CEILINGS.transfer };
        }
        case "split": {
          const authorization = authorizationOf(transaction, place);
          if (authorization === undefined) throw new Error(`${transaction.id} has no authorization`);
          const { from, validAfter, validBefore } = authorization;
          const account = await accountOf(from);
          const signature = await signAuthorization(account, "ReceiveWithAuthorization", authorization, place);
          const data = encodeFunctionData({
            abi: settlementSplitterAbi,
            functionName: "splitWithAuthorization",
            args: [splitTerms(transaction, order, place), from, validAfter, validBefore, signature],
          });
          return { to: requireSplitter(place), data, gasCeiling: GAS_CEILINGS.split };
        }
        case "drip": {
          if (chain.faucet === undefined) throw new Error(`chain ${chain.chainId} has no faucet`);
          const data = encodeFunctionData({ abi: faucetAbi, functionName: "drip", args: [token, order.to] });
          return { to: chain.faucet, data, gasCeiling: GAS_CEILINGS.drip };
        }
        case "mint": {
          const data = encodeFunctionData({ abi: stablecoinAbi, functionName: "mint", args: [order.to, order.amount] });
          return { to: token, data, gasCeiling: GAS_CEILINGS.mint };
        }
        case "payment":
          return paymentPayload(token, order);
        case "payment_batch": {
          if (chain.paymentBatch === undefined) {
            throw new Error(`chain ${chain.chainId} has no contract for batches of payments`);
          }
          const wallets = await options.whichHaveCode([...new Set(order.payments.map(({ from }) => from))]);
          return batchPayload(chain.paymentBatch, token, order, wallets);
        }
        case "trip_prefund": {
          requireEscrow(chain, order.escrow);
          const authorization = authorizationOf(transaction, place);
          if (authorization === undefined) throw new Error(`${transaction.id} has no authorization`);
          const account = await accountOf(authorization.from);
          const signature = await signAuthorization(account, "ReceiveWithAuthorization", authorization, place);
          return prefundPayload(order, authorization, signature);
        }
        case "escrow":
          requireEscrow(chain, order.escrow);
          return escrowPayload(order);
        case "agent_registry": {
          const { chainId, agentRegistries } = chain;
          if (agentRegistries === undefined) throw new Error(`chain ${chainId} has no registries of agents`);
          const { from, action } = order;
          const call = { from, nonce: idHash(transaction.id), deadline: deadlineOf(transaction), relayer };
          const account = await accountOf(from);
          return await registryPayload({ chainId, contracts: agentRegistries.contracts, action, account, call });
        }
      }
    },
  };
}

/** An order of a time when the network had another one must not be signed for a contract that nobody vouches for. */
function requireEscrow({ escrow, chainId }: Chain, wanted: Hex): void {
  if (escrow?.address !== wanted)
    throw new Error(`the escrow of chain ${chainId} is ${escrow?.address}, not ${wanted}`);
}

/** The payer's own signature: nothing is signed here. */
function paymentPayload(token: Hex, order: ChainOrder & { kind: "payment" }): Payload {
  const { from, to, amount, validAfter, validBefore, nonce, signature } = order;
  const args = [from, to, amount, validAfter, validBefore, nonce] as const;
  const call = { abi: stablecoinAbi, functionName: "transferWithAuthorization" } as const;
  const data = hasKeyForm(signature)
    ? encodeFunctionData({ ...call, args: [...args, ...vrsOf(signature)] })
    : encodeFunctionData({ ...call, args: [...args, signature] });
  return { to: token, data, gasCeiling: GAS_CEILINGS.payment, isCapped: true };
}

/** A wallet with code may use as much as it likes of what PaymentBatch lets it, also with a signature of a key's form. */
function batchPayload(
  contract: Hex,
  token: Hex,
  { to, payments }: ChainOrder & { kind: "payment_batch" },
  wallets: ReadonlySet<Hex>,
): Payload {
  const items = payments.map(({ amount, ...rest }) => ({ ...rest, value: amount }));
  const data = encodeFunctionData({ abi: paymentBatchAbi, functionName: "settle", args: [token, to, items] });
  let gasCeiling: bigint = GAS_CEILINGS.batch;
  for (const { from, signature } of payments) {
    const isKey = hasKeyForm(signature) && !wallets.has(from);
    gasCeiling += isKey ? GAS_CEILINGS.batchItem : GAS_CEILINGS.batchItemByContract;
    gasCeiling += GAS_CEILINGS.signatureByte * BigInt(Math.max(0, bytesOf(signature) - KEY_SIGNATURE_BYTES));
  }
  return { to: contract, data, gasCeiling, isFloor: true };
}

const KEY_SIGNATURE_BYTES = 65;
const bytesOf = (hex: Hex): number => (hex.length - 2) / 2;
const hasKeyForm = (signature: Hex): boolean => bytesOf(signature) === KEY_SIGNATURE_BYTES;

/** The form that every version of the tokens takes. */
function vrsOf(signature: Hex): [number, Hex, Hex] {
  return [
    Number.parseInt(signature.slice(130, 132), 16),
    `0x${signature.slice(2, 66)}`,
    `0x${signature.slice(66, 130)}`,
  ];
}
