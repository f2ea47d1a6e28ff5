import { concat, keccak256, pad, parseAbi, parseEventLogs, stringToHex, type TransactionReceipt, toHex } from "viem";
import { decodeMessage, type TokenMessage } from "../../../server/src/adapters/cctp/message.ts";
import type { Hex } from "../../../server/src/domain/tokens.ts";
import { findDestination, holdChains, type WatchedChain, type WatchedChains } from "../chains.ts";
import type { Secrets } from "../settings.ts";
import type { Store, StoredMessage } from "../store.ts";
import { computeFee, FAST, fillMessage, STANDARD, signMessage } from "./sign-message.ts";

const ABI = parseAbi(["event MessageSent(bytes message)"]);
const DEFAULT_FAST_FEE = 1;
const MESSAGE_VERSION = 1;

/** A message as it is answered: attested, or why not yet. */
export interface SeenMessage {
  row: StoredMessage;
  decoded: TokenMessage;
  delayReason: "insufficient_fee" | null;
}

export type Messages = ReturnType<typeof watchMessages>;

/**
 * Looks up the messages of a transaction when somebody asks for them, and attests those that are final. The chain's answer is read again
 * right before the signature, so that a burn that a reorganisation has taken back is not signed.
 */
export function watchMessages(parts: {
  store: Store;
  chains: WatchedChains;
  secrets: Secrets;
  nowMilliseconds(): number;
}) {
  const { store, chains, secrets, nowMilliseconds } = parts;

  const feeOfDomain = (domain: number): number => secrets.fastFees[String(domain)] ?? DEFAULT_FAST_FEE;

  /**
   * Asks each chain of the domain, as test networks and main networks have the same ones. One that cannot be asked keeps no burn of the
   * other from being attested.
   */
  async function findNew(domain: number, transactionHash: Hex): Promise<void> {
    const asked = chains.filter((one) => one.domain === domain).map((chain) => findNewAt(chain, transactionHash));
    const outcomes = await Promise.allSettled(asked);
    const failure = outcomes.find((outcome) => outcome.status === "rejected");
    const isFound = outcomes.some((outcome) => outcome.status === "fulfilled" && outcome.value);
    if (failure !== undefined && !isFound) throw failure.reason;
  }

  /** Whether the chain has burns of this transaction. */
  async function findNewAt(chain: WatchedChain, transactionHash: Hex): Promise<boolean> {
    // The number of the last block is known without starting the chain: one that nobody has used is not started.
    if ((await chain.client.getBlockNumber()) === 0n) return false;
    const burns = (await readSent(chain, transactionHash)).filter(({ message }) => isBurn(chain, message));
    for (const { message, logIndex } of burns) {
      store.addMessage({
        nonce: keccak256(concat([stringToHex(chain.name), transactionHash, toHex(logIndex, { size: 4 })])),
        chain: chain.name,
        transactionHash,
        logIndex,
        message,
        seenAt: nowMilliseconds(),
        attested: null,
        attestation: null,
      });
    }
    return burns.length > 0;
  }

  /** Undefined: no longer in the chain. */
  async function attest(row: StoredMessage, wantsNew: boolean): Promise<SeenMessage | undefined> {
    const decoded = decodeMessage(row.message);
    if (row.attested !== null && !wantsNew) return { row, decoded, delayReason: null };
    const source = chains.find(({ name }) => name === row.chain);
    const destination = source && findDestination(chains, source, decoded.destinationDomain);
    if (source === undefined || destination === undefined || decoded.recipient !== word(destination.messenger)) {
      return { row, decoded, delayReason: null };
    }
    const { amount, maxFee } = decoded.burn;
    const fastFee = computeFee(amount, feeOfDomain(source.domain));
    const wantsFast = decoded.minFinalityThreshold <= FAST;
    const ageMilliseconds = nowMilliseconds() - row.seenAt;
    const isFinal = ageMilliseconds >= secrets.standardMilliseconds;
    const isFast = wantsFast && fastFee <= maxFee && !(wantsNew && isFinal);
    const delayReason = wantsFast && fastFee > maxFee ? "insufficient_fee" : null;
    if (isFast ? ageMilliseconds < secrets.fastMilliseconds : !isFinal) return { row, decoded, delayReason };

    const sent = await readSent(source, row.transactionHash);
    if (!sent.some(({ message, logIndex }) => message === row.message && logIndex === row.logIndex)) {
      store.removeMessage(row.nonce);
      return undefined;
    }
    const head = isFast ? await destination.client.getBlockNumber() : 0n;
    const attested = fillMessage(decoded, {
      nonce: row.nonce,
      finality: isFast ? FAST : STANDARD,
      fee: isFast ? fastFee : 0n,
      expirationBlock: isFast ? head + BigInt(secrets.lifeBlocks) : 0n,
    });
    const attestation = await signMessage(attested, secrets.keys[destination.network].attesters);
    store.setAttestation(row.nonce, attested, attestation);
    void holdChains([source, destination]);
    return { row: { ...row, attested, attestation }, decoded: decodeMessage(attested), delayReason: null };
  }

  async function attestAll(rows: readonly StoredMessage[]): Promise<SeenMessage[]> {
    const seen = await Promise.all(rows.map((row) => attest(row, false)));
    return seen.filter((one) => one !== undefined);
  }

  return {
    async findByTransaction(domain: number, transactionHash: Hex): Promise<SeenMessage[]> {
      const isOfDomain = ({ message }: StoredMessage) => decodeMessage(message).sourceDomain === domain;
      if (!store.findMessages(transactionHash).some(isOfDomain)) await findNew(domain, transactionHash);
      return await attestAll(store.findMessages(transactionHash).filter(isOfDomain));
    },

    async findByNonce(domain: number, nonce: Hex): Promise<SeenMessage[]> {
      const row = store.findMessage(nonce);
      return row !== undefined && decodeMessage(row.message).sourceDomain === domain ? await attestAll([row]) : [];
    },

    /** A fast message that has expired gets another end, or none once its burn is final. Its nonce stays: it is minted once. */
    async attestAnew(nonce: Hex): Promise<"unknown" | "final" | "requested"> {
      const row = store.findMessage(nonce);
      if (row === undefined) return "unknown";
      const attested = row.attested === null ? undefined : decodeMessage(row.attested);
      if (attested?.finalityThresholdExecuted === STANDARD) return "final";
      return (await attest(row, true)) === undefined ? "unknown" : "requested";
    },

    listFees: (source: number) => [
      { finalityThreshold: FAST, minimumFee: feeOfDomain(source) },
      { finalityThreshold: STANDARD, minimumFee: 0 },
    ],
    hasDomain: (domain: number) => chains.some((chain) => chain.domain === domain),
  };
}

async function readReceipt(chain: WatchedChain, transactionHash: Hex): Promise<TransactionReceipt | undefined> {
  const receipt = await chain.client.request({ method: "eth_getTransactionReceipt", params: [transactionHash] });
  return receipt === null ? undefined : await chain.client.getTransactionReceipt({ hash: transactionHash });
}

async function readSent(chain: WatchedChain, transactionHash: Hex): Promise<{ message: Hex; logIndex: number }[]> {
  const receipt = await readReceipt(chain, transactionHash);
  if (receipt?.status !== "success") return [];
  return parseEventLogs({ abi: ABI, logs: receipt.logs })
    .filter(({ address }) => address.toLowerCase() === chain.transmitter)
    .map(({ args, logIndex }) => ({ message: args.message, logIndex }));
}

/** Anybody can send a message through a transmitter: only those of our messengers say what was burned. */
function isBurn(chain: WatchedChain, message: Hex): boolean {
  try {
    const { version, sourceDomain, sender, burn } = decodeMessage(message);
    const isOurs = sourceDomain === chain.domain && sender === word(chain.messenger);
    return version === MESSAGE_VERSION && isOurs && burn.burnToken === word(chain.usdc);
  } catch {
    return false;
  }
}

const word = (address: Hex): Hex => pad(address, { size: 32 });
