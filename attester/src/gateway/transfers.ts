import { randomUUID } from "node:crypto";
import { BaseError, ContractFunctionZeroDataError, keccak256, pad, parseAbi, recoverTypedDataAddress } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import {
  burnIntentMessage,
  encodeAttestation,
  encodeBurnIntent,
  hashTransferSpec,
} from "../../../server/src/adapters/gateway/transfer.ts";
import type { Hex } from "../../../server/src/domain/tokens.ts";
import type { BurnIntent, TransferSpec } from "../../../server/src/ports/chain/unified-balance.ts";
import { holdChains, type WatchedChain, type WatchedChains } from "../chains.ts";
import type { Secrets } from "../settings.ts";
import type { Store, StoredTransfer } from "../store.ts";

const ABI = parseAbi([
  "function availableBalance(address token, address depositor) view returns (uint256)",
  "function isAuthorizedForBalance(address token, address depositor, address account) view returns (bool)",
]);

/** 0.005 %. */
const FEE_DIVISOR = 20_000n;
const ADDRESS_START = 26;

/** The request is refused; its text is the caller's. */
export class TransferRefused extends Error {
  override name = "TransferRefused";
}

export type Transfers = ReturnType<typeof openTransfers>;

/** The operator of the Gateway on the chains of the test network. */
export function openTransfers({ store, chains, secrets }: { store: Store; chains: WatchedChains; secrets: Secrets }) {
  const ours = chains.filter(({ network }) => network === "testnet");
  const operator = privateKeyToAccount(secrets.keys.testnet.gateway);
  /** Balances by chain and depositor, as of a block: a chain that has no new one is not asked again. */
  const balances = new Map<string, { block: bigint; amount: bigint }>();
  let last: Promise<unknown> = Promise.resolve();

  const find = (domain: number): WatchedChain => {
    const chain = ours.find((one) => one.domain === domain);
    if (chain === undefined) throw new TransferRefused(`domain ${domain} is not supported`);
    return chain;
  };

  async function readDeposit(chain: WatchedChain, depositor: Hex): Promise<bigint> {
    const block = await chain.client.getBlockNumber();
    const key = `${chain.name} ${depositor}`;
    const known = balances.get(key);
    if (known?.block === block) return known.amount;
    if (block === 0n) return 0n;
    const amount = await readAvailable(chain, depositor);
    balances.set(key, { block, amount });
    return amount;
  }

  /** Without the value of transfers that are attested and not burned yet. */
  async function readBalance(chain: WatchedChain, depositor: Hex): Promise<bigint> {
    const deposit = await readDeposit(chain, depositor);
    const reserved = store.listReserved(chain.name, depositor).reduce((sum, { due }) => sum + due, 0n);
    return deposit > reserved ? deposit - reserved : 0n;
  }

  function computeFee({ sourceDomain, destinationDomain, value }: TransferSpec): bigint {
    const share = sourceDomain === destinationDomain ? 0n : (value + FEE_DIVISOR - 1n) / FEE_DIVISOR;
    return readMicro(secrets.gatewayFee) + share;
  }

  async function check({ maxBlockHeight, maxFee, spec }: BurnIntent, signature: Hex) {
    const [source, destination] = [find(spec.sourceDomain), find(spec.destinationDomain)];
    const fee = computeFee(spec);
    const refuseIf = (isWrong: boolean, why: string): void => {
      if (isWrong) throw new TransferRefused(why);
    };
    refuseIf(spec.sourceContract !== word(source.gatewayWallet), "sourceContract is not the wallet of its domain");
    refuseIf(spec.destinationContract !== word(destination.gatewayMinter), "destinationContract is not the minter");
    refuseIf(spec.sourceToken !== word(source.usdc), "sourceToken is not USDC of its domain");
    refuseIf(spec.destinationToken !== word(destination.usdc), "destinationToken is not USDC of its domain");
    refuseIf(spec.value === 0n, "value must be positive");
    refuseIf(BigInt(spec.destinationRecipient) === 0n, "destinationRecipient must not be zero");
    refuseIf(maxFee < fee, `maxFee is below the fee of ${fee}`);
    const signer = await recoverSigner({ maxBlockHeight, maxFee, spec }, signature);
    refuseIf(word(signer) !== spec.sourceSigner, "the signature is not that of sourceSigner");
    const depositor = unpad(spec.sourceDepositor);
    refuseIf(word(depositor) !== spec.sourceDepositor, "sourceDepositor is not an address");
    if (signer !== depositor) {
      const call = { address: source.gatewayWallet, abi: ABI, functionName: "isAuthorizedForBalance" } as const;
      const may = await source.client.readContract({ ...call, args: [source.usdc, depositor, signer] });
      refuseIf(!may, "sourceSigner may not spend this balance");
    }
    const head = await source.client.getBlockNumber();
    refuseIf(maxBlockHeight < head + BigInt(secrets.lifeBlocks), "maxBlockHeight is too early");
    return { source, destination, depositor, fee };
  }

  async function attest(intent: BurnIntent, intentSignature: Hex): Promise<StoredTransfer> {
    const { source, destination, depositor, fee } = await check(intent, intentSignature);
    const specHash = hashTransferSpec(intent.spec);
    // Told twice, it is the same transfer.
    const known = store.findTransferBySpec(specHash);
    if (known !== undefined) return known;
    const due = intent.spec.value + fee;
    const balance = await readBalance(source, depositor);
    if (balance < due) throw new TransferRefused(`insufficient balance: available ${balance}, required ${due}`);
    const lastBlock = (await destination.client.getBlockNumber()) + BigInt(secrets.lifeBlocks);
    const attestation = encodeAttestation({ maxBlockHeight: lastBlock, spec: intent.spec });
    const row: StoredTransfer = {
      id: randomUUID(),
      specHash,
      source: source.name,
      destination: destination.name,
      depositor,
      due,
      fee,
      intent: encodeBurnIntent(intent),
      intentSignature,
      attestation,
      signature: await operator.signMessage({ message: { raw: keccak256(attestation) } }),
      lastBlock,
      state: "attested",
    };
    store.addTransfer(row);
    void holdChains([source, destination]);
    return row;
  }

  return {
    chains: ours,
    find,
    readBalance,
    computeFee,
    /** One after the other, so that two do not reserve the same balance. */
    attest(intent: BurnIntent, signature: Hex): Promise<StoredTransfer> {
      const mine = last.then(() => attest(intent, signature));
      last = mine.catch(() => undefined);
      return mine;
    },
    findTransfer: (id: string) => store.findTransfer(id),
    findTransferBySpec: (hash: Hex) => store.findTransferBySpec(hash),
  };
}

/** Nothing where the contract is not deployed yet: the first use of a chain deploys it, some blocks after the first. */
async function readAvailable({ client, gatewayWallet, usdc }: WatchedChain, depositor: Hex): Promise<bigint> {
  const call = { address: gatewayWallet, abi: ABI, functionName: "availableBalance" } as const;
  try {
    return await client.readContract({ ...call, args: [usdc, depositor] });
  } catch (error) {
    const isMissing = (cause: unknown) => cause instanceof ContractFunctionZeroDataError;
    if (error instanceof BaseError && error.walk(isMissing) !== null) return 0n;
    throw error;
  }
}

async function recoverSigner(intent: BurnIntent, signature: Hex): Promise<Hex> {
  try {
    return lower(await recoverTypedDataAddress({ ...burnIntentMessage(intent), signature }));
  } catch {
    throw new TransferRefused("the signature is malformed");
  }
}

function readMicro(decimal: string): bigint {
  const [whole = "0", part = ""] = decimal.split(".");
  return BigInt(whole) * 1_000_000n + BigInt(part.padEnd(6, "0"));
}

export function showMicro(amount: bigint): string {
  const part = String(amount % 1_000_000n)
    .padStart(6, "0")
    .replace(/0+$/, "");
  return `${amount / 1_000_000n}${part === "" ? "" : `.${part}`}`;
}

const lower = (text: Hex): Hex => `0x${text.slice(2).toLowerCase()}`;
const word = (address: Hex): Hex => pad(lower(address), { size: 32 });
const unpad = (padded: Hex): Hex => `0x${padded.slice(ADDRESS_START).toLowerCase()}`;
