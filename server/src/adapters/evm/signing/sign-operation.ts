import { encodeFunctionData, type PublicClient, type SignedAuthorizationList } from "viem";
import { type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts";
import { splitSignature } from "../../../domain/key-signatures.ts";
import type { Hex } from "../../../domain/tokens.ts";
import { stablecoinAbi } from "../../../generated/contracts/stablecoin.ts";
import { requireToken } from "../../../ports/chain/chain.ts";
import type {
  Authorization,
  ChainOperations,
  EncodedCall,
  GasCeiling,
  OperationCall,
  OperationSite,
  StoredOperation,
  TokenAuthorization,
} from "../../../ports/chain/chain-operation.ts";
import type { MessageToSign } from "../../../ports/chain/chain-sender.ts";
import type { ChainTransaction } from "../../../ports/chain/chain-transactions.ts";
import type { Signer } from "../../../ports/chain/signer.ts";
import { reach } from "../client.ts";
import { keccak256 } from "./keccak.ts";
import { refuseWellKnownKey } from "./well-known-keys.ts";

/** The relayer's transaction without nonce and price. */
export type Payload = Pick<EncodedCall, "to" | "data" | "value"> & {
  /** Gives a wallet its code (EIP-7702). */
  authorizationList?: SignedAuthorizationList;
  ceiling: GasCeiling;
};

export interface OperationSignerOptions {
  client: PublicClient;
  operations: ChainOperations;
  site: OperationSite;
  signer: Signer;
  findWalletId(address: Hex): Promise<string | undefined>;
  /** Whether publicly known keys are refused. */
  live: boolean;
}

/**
 * How long after it was stored an operation can be executed: enough for a network or a database that is unavailable for days.
 * An abandoned operation does not wait that long: its authorization is cancelled (`withdraw`).
 */
const VALID_DAYS = 30;
const SECONDS_PER_DAY = 86_400;

const WITHDRAWAL_GAS = 110_000n;
/** How the code of an account begins that has taken that of a contract (EIP-7702). */
const DELEGATION = "0xef0100";

const AUTHORIZATION = [
  { name: "from", type: "address" },
  { name: "to", type: "address" },
  { name: "value", type: "uint256" },
  { name: "validAfter", type: "uint256" },
  { name: "validBefore", type: "uint256" },
  { name: "nonce", type: "bytes32" },
] as const;
const TYPES = {
  TransferWithAuthorization: AUTHORIZATION,
  ReceiveWithAuthorization: AUTHORIZATION,
  CancelAuthorization: [
    { name: "authorizer", type: "address" },
    { name: "nonce", type: "bytes32" },
  ],
} as const;

/** Encodes a stored operation of any kind, with the required signature of its wallet. */
export class OperationSigner {
  readonly #options: OperationSignerOptions;

  constructor(options: OperationSignerOptions) {
    this.#options = options;
  }

  async buildPayload(transaction: ChainTransaction): Promise<Payload> {
    const { operations } = this.#options;
    const operation = operations.of(transaction.operation);
    const call = this.buildCall(transaction);
    const authorization = operation.authorize(call);
    if (transaction.step === "withdraw") return await this.#withdrawal(transaction.id, authorization);
    const [signature, countersignature] = await Promise.all([
      this.#sign(authorization),
      this.#sign(operation.countersign(call)),
    ]);
    const { to, data, value = 0n, codeFor } = operation.encode(call, signature, countersignature);
    const payload = { to, data, value, ceiling: await operation.gasCeiling(call) };
    const authorizationList = codeFor === undefined ? [] : await this.#giveCode(codeFor, to);
    return authorizationList.length === 0 ? payload : { ...payload, authorizationList };
  }

  /** Empty if the wallet has the code. Two of these under one nonce do the same, so that one suffices. */
  async #giveCode(wallet: Hex, contractAddress: Hex): Promise<SignedAuthorizationList> {
    const { client, site } = this.#options;
    const [code, nonce] = await reach(() =>
      Promise.all([client.getCode({ address: wallet }), client.getTransactionCount({ address: wallet })]),
    );
    if (code?.toLowerCase() === `${DELEGATION}${contractAddress.slice(2)}`) return [];
    const account = await this.#openAccount(wallet);
    return [await account.signAuthorization({ contractAddress, chainId: site.chain.chainId, nonce })];
  }

  buildCall({ id, operation, createdAt }: ChainTransaction): OperationCall<StoredOperation> {
    return {
      input: operation,
      nonce: `0x${keccak256(Buffer.from(id)).toString("hex")}`,
      deadline: BigInt(Math.floor(createdAt.epochMilliseconds / 1000) + VALID_DAYS * SECONDS_PER_DAY),
      site: this.#options.site,
    };
  }

  async #sign(authorization: Authorization | undefined): Promise<Hex> {
    if (authorization === undefined) return "0x";
    if (authorization.kind === "message") {
      const account = await this.#openAccount(authorization.from);
      return await account.signTypedData(authorization.typedData);
    }
    const { primaryType, from, to, value, validAfter, validBefore, nonce } = authorization;
    // Another party has signed it, and the signature is part of the stored operation.
    if (primaryType === undefined) return "0x";
    const account = await this.#openAccount(from);
    const message = { from, to, value, validAfter, validBefore, nonce };
    return await account.signTypedData({
      domain: this.#tokenDomain(authorization),
      types: TYPES,
      primaryType,
      message,
    });
  }

  async #withdrawal(id: string, authorization: Authorization | undefined): Promise<Payload> {
    if (authorization?.kind !== "token") throw new Error(`${id} has no authorization to withdraw`);
    const { from, nonce, token } = authorization;
    const account = await this.#openAccount(from);
    const signature = await account.signTypedData({
      domain: this.#tokenDomain(authorization),
      types: TYPES,
      primaryType: "CancelAuthorization",
      message: { authorizer: from, nonce },
    });
    const args = [from, nonce, ...splitSignature(signature)] as const;
    const data = encodeFunctionData({ abi: stablecoinAbi, functionName: "cancelAuthorization", args });
    return { to: requireToken(this.#options.site.chain, token).address, data, ceiling: { gas: WITHDRAWAL_GAS } };
  }

  #tokenDomain({ token }: TokenAuthorization) {
    const { chain } = this.#options.site;
    const { name, version, address } = requireToken(chain, token);
    return { name, version, chainId: chain.chainId, verifyingContract: address };
  }

  async signMessage(from: Hex, message: MessageToSign): Promise<Hex> {
    return await (await this.#openAccount(from)).signTypedData(message);
  }

  async #openAccount(address: Hex): Promise<PrivateKeyAccount> {
    const { findWalletId, signer, live } = this.#options;
    const walletId = await findWalletId(address);
    if (walletId === undefined) throw new Error(`${address} is no wallet of this network`);
    const privateKey = await signer.readPrivateKey(walletId);
    if (live) refuseWellKnownKey(privateKey);
    return privateKeyToAccount(privateKey);
  }
}
