import type { Abi, PublicClient } from "viem";
import { z } from "zod";
import { findChainById } from "../../../domain/chains/named-chains.ts";
import type { ByToken, Hex } from "../../../domain/tokens.ts";
import { gatewayMinterAbi } from "../../../generated/contracts/gateway-minter.ts";
import { gatewayWalletAbi } from "../../../generated/contracts/gateway-wallet.ts";
import { messageTransmitterAbi } from "../../../generated/contracts/message-transmitter.ts";
import { signedBurnsAbi } from "../../../generated/contracts/signed-burns.ts";
import { swapPoolAbi } from "../../../generated/contracts/swap-pool.ts";
import { tokenMessengerAbi } from "../../../generated/contracts/token-messenger.ts";
import type { CrossChainAddresses } from "../../../ports/chain/cross-chain-contracts.ts";
import { chainUnavailable, refusalIn } from "../client.ts";
import { lowerHex } from "../hex.ts";
import { ChainSetupError } from "../setup-error.ts";

interface CheckedChain {
  client: PublicClient;
  chainId: number;
  tokens: ByToken<Hex>;
  /** Signs the swap pool's quotes. */
  relayer: Hex;
}

type Contract = readonly [address: Hex, abi: Abi];

/**
 * Returns the chain's number in the bridge and the Gateway; undefined: it has neither. Throws ChainSetupError for contracts that are
 * not those of this chain and these tokens: money that they took would not arrive.
 */
export async function checkCrossChain(
  chain: CheckedChain,
  { bridge, gateway, swapPool }: CrossChainAddresses,
): Promise<number | undefined> {
  const known = findChainById(chain.chainId)?.domain;
  const domain = bridge === undefined ? known : await checkBridge(chain, bridge, known);
  if (gateway !== undefined) await checkGateway(chain, gateway, domain);
  if (swapPool !== undefined) await checkSwapPool(chain, swapPool);
  return domain;
}

async function checkBridge(
  chain: CheckedChain,
  { transmitter, messenger, signedBurns }: Required<CrossChainAddresses>["bridge"],
  known: number | undefined,
): Promise<number> {
  const ask = askContract(chain, "CHAIN_BRIDGE_TRANSMITTER and CHAIN_BRIDGE_MESSENGER");
  const domain = z.int().parse(await ask([transmitter, messageTransmitterAbi], "localDomain"));
  const itsTransmitter = await ask([messenger, tokenMessengerAbi], "localMessageTransmitter");
  if (domain !== (known ?? domain)) {
    throw refuse(chain, `the message transmitter has domain ${domain}, not ${known}`, "CHAIN_BRIDGE_TRANSMITTER");
  }
  if (!isSame(itsTransmitter, transmitter)) {
    throw refuse(chain, "the token messenger belongs to another message transmitter", "CHAIN_BRIDGE_MESSENGER");
  }
  if (signedBurns === undefined) return domain;
  const askBurns = askContract(chain, "CHAIN_SIGNED_BURNS");
  if (!isSame(await askBurns([signedBurns, signedBurnsAbi], "tokenMessenger"), messenger)) {
    throw refuse(chain, "the contract of signed burns belongs to another token messenger", "CHAIN_SIGNED_BURNS");
  }
  return domain;
}

async function checkGateway(
  chain: CheckedChain,
  { wallet, minter }: Required<CrossChainAddresses>["gateway"],
  domain: number | undefined,
): Promise<void> {
  const variables = "CHAIN_GATEWAY_WALLET and CHAIN_GATEWAY_MINTER";
  const ask = askContract(chain, variables);
  for (const contract of [[wallet, gatewayWalletAbi] as const, [minter, gatewayMinterAbi] as const]) {
    if ((await ask(contract, "isTokenSupported", [chain.tokens.USDC])) !== true) {
      throw refuse(chain, `the Gateway's contract ${contract[0]} does not take ${chain.tokens.USDC}`, variables);
    }
    const own = await ask(contract, "domain");
    if (domain !== undefined && own !== domain) {
      throw refuse(chain, `the Gateway's contract ${contract[0]} has domain ${own}, not ${domain}`, variables);
    }
  }
}

async function checkSwapPool(chain: CheckedChain, address: Hex): Promise<void> {
  const ask = askContract(chain, "CHAIN_SWAP_POOL");
  const pool = [address, swapPoolAbi] as const;
  const [usdc, eurc, quoter] = [await ask(pool, "usdc"), await ask(pool, "eurc"), await ask(pool, "quoter")];
  if (!isSame(usdc, chain.tokens.USDC) || !isSame(eurc, chain.tokens.EURC)) {
    throw refuse(chain, "the swap pool exchanges other tokens", "CHAIN_SWAP_POOL, CHAIN_USDC and CHAIN_EURC");
  }
  if (!isSame(quoter, chain.relayer)) {
    throw refuse(chain, `the swap pool takes quotes of ${quoter}, not of ${chain.relayer}`, "CHAIN_SWAP_POOL");
  }
}

const isSame = (read: unknown, address: Hex | undefined): boolean =>
  typeof read === "string" && read.toLowerCase() === address?.toLowerCase();

const refuse = ({ chainId }: CheckedChain, why: string, variables: string): ChainSetupError =>
  new ChainSetupError(`On chain ${chainId}, ${why}: check ${variables}, or leave it out.`);

/** Asks a contract that may be another one, or none. */
function askContract(chain: CheckedChain, variables: string) {
  return async ([address, abi]: Contract, functionName: string, args: readonly unknown[] = []): Promise<unknown> => {
    try {
      return await chain.client.readContract({ address, abi, functionName, args });
    } catch (error) {
      const isAnswered =
        refusalIn(error) !== undefined ||
        (error instanceof Error && /returned no data|out of bounds/.test(error.message));
      if (!isAnswered) throw chainUnavailable(error);
      throw refuse(chain, `the contract at ${lowerHex(address)} is not the expected one`, variables);
    }
  };
}
