import { signRecoverable } from "tiny-secp256k1";
import {
  bytesToHex,
  decodeAbiParameters,
  encodeDeployData,
  hexToBytes,
  type Log,
  type PublicClient,
  parseAbiParameters,
  parseTransaction,
  serializeTransaction,
  type TransactionSerializable,
} from "viem";
import { formatDecimal } from "../../../domain/money.ts";
import type { Hex } from "../../../domain/tokens.ts";
import { codeProbeAbi, codeProbeBytecode } from "../../../generated/contracts/code-probe.ts";
import { type Chain, requireToken } from "../../../ports/chain/chain.ts";
import type { ChainOperations, EventLog, OperationEvent, OperationSite } from "../../../ports/chain/chain-operation.ts";
import type { AuthorizationState, ChainSender } from "../../../ports/chain/chain-sender.ts";
import type { ChainTransaction, SignedTransaction } from "../../../ports/chain/chain-transactions.ts";
import type { Signer } from "../../../ports/chain/signer.ts";
import type { Wallet } from "../../../ports/chain/wallets.ts";
import { reach, refusalIn } from "../client.ts";
import { lowerHex } from "../hex.ts";
import { dearer, type Fees, formatNative, microFromNative, nativeAmount } from "../native.ts";
import { readLogs } from "../reading/movements.ts";
import { keccak256 } from "../signing/keccak.ts";
import { OperationSigner, type Payload } from "../signing/sign-operation.ts";
import { refuseWellKnownKey } from "../signing/well-known-keys.ts";
import { broadcast } from "./broadcast.ts";
import { explainRevert } from "./explain-revert.ts";
import { chooseGas, createFeeReader, LEAST_GAS } from "./fees.ts";
import { findOutcome, firstBlockSince } from "./find-outcome.ts";

const toEventLog = ({ address, topics, data, logIndex }: Log): EventLog => ({
  address,
  topics,
  data,
  logIndex: logIndex ?? 0,
});

const ANSWER = parseAbiParameters("bool[]");

export interface EvmSenderOptions {
  client: PublicClient;
  chain: Chain;
  operations: ChainOperations;
  signer: Signer;
  relayer: Wallet;
  findWalletId(address: Hex): Promise<string | undefined>;
  /** The recipient of commissions and service fees: the collection wallet. */
  feeRecipient: Hex;
  /** Not the development chain: gas is estimated, and publicly known keys are refused. */
  live: boolean;
}

/** The relayer's key is decrypted once, here, and stays in this closure. */
export async function createEvmSender(options: EvmSenderOptions): Promise<ChainSender> {
  const { client, chain, operations, relayer, feeRecipient, live } = options;
  const relayerKey = await options.signer.readPrivateKey(relayer.id);
  if (live) refuseWellKnownKey(relayerKey);
  const key = hexToBytes(relayerKey);
  const site: OperationSite = {
    chain,
    feeRecipient,
    relayer: relayer.address,
    whichHaveCode: (accounts) => whichHaveCode(client, accounts),
  };
  const signing = new OperationSigner({ ...options, site });
  const readFees = createFeeReader(client);

  return {
    environment: chain.environment,
    relayerWalletId: relayer.id,

    async prepare(transaction) {
      const payload = await signing.buildPayload(transaction);
      const [fees, gas] = await Promise.all([readFees(), chooseGas(client, relayer.address, payload, live)]);
      return async (nonce) => signTransaction(key, { chainId: chain.chainId, nonce, gas, fees, payload });
    },

    async prepareReplacement({ raw }, how) {
      if (raw === undefined) throw new Error("nothing was signed that could be replaced");
      const old = parseTransaction(raw);
      const signed: Fees = {
        maxFeePerGas: nativeAmount(old.maxFeePerGas ?? 0n),
        maxPriorityFeePerGas: nativeAmount(old.maxPriorityFeePerGas ?? 0n),
      };
      const fees = atLeast(await readFees(), dearer(signed));
      const base = { chainId: chain.chainId, nonce: old.nonce ?? 0, fees };
      if (how === "empty") {
        const payload = { to: relayer.address, data: "0x" } as const;
        return signTransaction(key, { ...base, gas: LEAST_GAS, payload });
      }
      const isStillGood = (await readFees()).maxFeePerGas.wei <= signed.maxFeePerGas.wei;
      const { to, data = "0x", value = 0n, authorizationList } = old;
      if (isStillGood || to === undefined || to === null) return undefined;
      const payload = { to, data, value, ...(authorizationList === undefined ? {} : { authorizationList }) };
      return signTransaction(key, { ...base, gas: old.gas ?? 0n, payload });
    },

    broadcast: (raw) => broadcast(client, raw),

    relayerNonce: () =>
      reach(async () => {
        const { number } = await chain.head();
        return await client.getTransactionCount({ address: relayer.address, blockNumber: number });
      }),

    gasBalance: () =>
      reach(async () => {
        const balance = nativeAmount(await client.getBalance({ address: relayer.address }));
        return chain.nativeToken === undefined
          ? formatNative(balance)
          : `${formatDecimal(microFromNative(balance))} ${chain.nativeToken}`;
      }),

    async authorization(transaction) {
      const { createdAt } = transaction;
      const operation = operations.of(transaction.operation);
      const call = signing.buildCall(transaction);
      const event = operation.event(call);
      if (event !== undefined) return await findEvent(client, chain, event, createdAt);
      const authorization = operation.authorize(call);
      if (authorization?.kind !== "token") return { kind: "none" };
      const token = requireToken(chain, authorization.token).address;
      return await findOutcome(client, chain, token, authorization, createdAt);
    },

    ...ownSigner(options, signing, readFees),

    explain: (transaction, receipt) => explain(client, relayer.address, transaction, receipt.block.number),
  };
}

/** Signs for wallets other than the relayer. */
function ownSigner(
  { client, chain, signer, live }: EvmSenderOptions,
  signing: OperationSigner,
  readFees: () => Promise<Fees>,
): Pick<ChainSender, "signMessage" | "signOwnCall" | "ownNonce" | "lackedForGas"> {
  return {
    signMessage: (from, message) => signing.signMessage(from, message),

    async signOwnCall({ id, address }, { gas, ...payload }) {
      const key = await signer.readPrivateKey(id);
      if (live) refuseWellKnownKey(key);
      const [fees, nonce] = await Promise.all([
        readFees(),
        reach(() => client.getTransactionCount({ address, blockTag: "latest" })),
      ]);
      const parts = { chainId: chain.chainId, nonce, gas, fees, payload };
      return { ...signTransaction(hexToBytes(key), parts), nonce };
    },

    ownNonce: (address) =>
      reach(async () => client.getTransactionCount({ address, blockNumber: (await chain.head()).number })),

    lackedForGas: (address, gas) =>
      reach(async () => {
        const [{ maxFeePerGas }, balance] = await Promise.all([readFees(), client.getBalance({ address })]);
        // The price may rise until it is used.
        const needed = gas * maxFeePerGas.wei * 2n;
        return balance >= needed ? 0n : needed - balance;
      }),
  };
}

/** In compiled code, which takes a quarter of the time. */
function signTransaction(
  key: Uint8Array,
  parts: { chainId: number; nonce: number; gas: bigint; fees: Fees; payload: Omit<Payload, "ceiling"> },
): SignedTransaction {
  if (parts.gas < LEAST_GAS) throw new Error(`a transaction with ${parts.gas} gas cannot be in a block`);
  const { to, data, value = 0n, authorizationList } = parts.payload;
  const fields = {
    chainId: parts.chainId,
    nonce: parts.nonce,
    to,
    data,
    value,
    gas: parts.gas,
    maxFeePerGas: parts.fees.maxFeePerGas.wei,
    maxPriorityFeePerGas: parts.fees.maxPriorityFeePerGas.wei,
  };
  const transaction: TransactionSerializable =
    authorizationList === undefined
      ? { type: "eip1559", ...fields }
      : { type: "eip7702", ...fields, authorizationList };
  const { signature, recoveryId } = signRecoverable(hashHex(serializeTransaction(transaction)), key);
  const raw = serializeTransaction(transaction, {
    r: bytesToHex(signature.subarray(0, 32)),
    s: bytesToHex(signature.subarray(32)),
    yParity: recoveryId,
  });
  return { raw, hash: `0x${hashHex(raw).toString("hex")}` };
}

const hashHex = (hex: Hex): Buffer => keccak256(Buffer.from(hex.slice(2), "hex"));

function atLeast(fees: Fees, least: Fees): Fees {
  const larger = (one: { wei: bigint }, other: { wei: bigint }) =>
    nativeAmount(one.wei > other.wei ? one.wei : other.wei);
  return {
    maxFeePerGas: larger(fees.maxFeePerGas, least.maxFeePerGas),
    maxPriorityFeePerGas: larger(fees.maxPriorityFeePerGas, least.maxPriorityFeePerGas),
  };
}

/** Repeats the call on the state after its block: usually it fails there for the same reason. */
async function explain(
  client: PublicClient,
  relayer: Hex,
  { raw }: ChainTransaction,
  blockNumber: bigint,
): Promise<string> {
  const { to, data } = raw === undefined ? {} : parseTransaction(raw);
  if (to === undefined || to === null || data === undefined) return "an empty transaction took its place";
  try {
    await client.call({ account: relayer, to, data, blockNumber });
    return "reverted, and would not be any more";
  } catch (error) {
    const refusal = refusalIn(error);
    return refusal === undefined ? "reverted" : explainRevert(refusal);
  }
}

/** Returns the accounts that have code, with one request to the node. */
function whichHaveCode(client: PublicClient, accounts: readonly Hex[]): Promise<ReadonlySet<Hex>> {
  return reach(async () => {
    const data = encodeDeployData({ abi: codeProbeAbi, bytecode: codeProbeBytecode, args: [accounts] });
    const answer = await client.request({ method: "eth_call", params: [{ data }, "latest"] });
    const [haveCode] = decodeAbiParameters(ANSWER, answer);
    if (haveCode.length !== accounts.length) throw new Error("the node answers for other accounts than it was asked");
    return new Set(accounts.filter((_, index) => haveCode[index]));
  });
}

/** Finds an event that shows the operation executed since it was stored, by any transaction. */
async function findEvent(
  client: PublicClient,
  chain: Chain,
  event: OperationEvent,
  storedAt: Temporal.Instant,
): Promise<AuthorizationState> {
  const { address, topics, isIt = () => true, pickMovements } = event;
  return await reach(async () => {
    const { number } = await chain.head();
    const fromBlock = await firstBlockSince(client, storedAt, number);
    const filter = {
      address,
      topics: topics.map((topic) => (typeof topic === "object" && topic !== null ? [...topic] : topic)),
    };
    const logs = await readLogs(client, filter, fromBlock, number);
    const found = logs.find((log) => log.transactionHash !== null && isIt(toEventLog(log)));
    if (found === undefined || found.transactionHash === null) return { kind: "none" };
    const hash = lowerHex(found.transactionHash);
    const receipt = await chain.receipt(hash);
    if (receipt === undefined) throw new Error("an operation was carried out in no block");
    if (pickMovements === undefined) return { kind: "done", receipt };
    const { logs: all } = await client.getTransactionReceipt({ hash });
    const movements = pickMovements(receipt.movements, toEventLog(found), all.map(toEventLog));
    return { kind: "done", receipt: { ...receipt, movements } };
  });
}
