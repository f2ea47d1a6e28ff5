import { z } from "zod";
import { createEvmChain, reach } from "../../adapters/evm/index.ts";
import type { KnownChain } from "../../domain/chains/named-chains.ts";
import type { Hex } from "../../domain/tokens.ts";
import { furtherChainUrl } from "../../embedded/devnet-part.ts";
import { nameEvmChain } from "../../ports/chain/chain-key.ts";
import type { DevelopmentChain, OpenedChain } from "../../ports/chain/opened-chain.ts";
import { bindChain, type ChainParts, createChainClient, openChain, storeContracts } from "./open-chain.ts";
import { createSandboxCrossChain, toAddresses } from "./sandbox-cross-chain.ts";

interface FurtherSandboxOptions extends ChainParts {
  /** That of the first development chain. */
  rpcUrl: string;
  funderKey: Hex;
  known: KnownChain;
  hubUsdc: Hex;
}

/** The node may have to start first. */
const FIRST_ANSWER_MILLISECONDS = 20_000;
const HOLD_MILLISECONDS = 5_000;
const HELD = 200;
const LIST_MILLISECONDS = 5_000;
const Listed = z.object({ chains: z.array(z.object({ chainId: z.int(), block: z.int() })) });

/** Opens a development chain beside the home chain and the first time deploys to it; requires the preparation lock. */
export async function openFurtherSandboxChain(options: FurtherSandboxOptions): Promise<OpenedChain> {
  const { known, funderKey, hubUsdc, vault, clock } = options;
  const rpcUrl = furtherChainUrl(options.rpcUrl, known.name);
  const parts = createChainClient({ ...options, rpcUrl, rpcTimeoutMilliseconds: FIRST_ANSWER_MILLISECONDS }, true);
  const { client, wallets } = parts;
  const environment = "sandbox";
  const what = `the development chain ${known.name}`;
  const bound = await bindChain(parts, { environment, isHome: false, what });
  const relayer = await wallets.ensure(bound, "relayer");
  const { address: collection } = await wallets.ensure(bound, "collection");
  const site = { client, funderKey, relayer: relayer.address, collection };
  const deployed = await createSandboxCrossChain(vault).deployToFurther(site, known, hubUsdc);
  const contracts = { tokens: deployed.tokens, crossChain: toAddresses(deployed) };
  const chain = await createEvmChain({ environment, client, contracts, confirmations: 1, clock });
  await storeContracts(parts, chain, contracts, bound.contracts);
  const opened = await openChain(parts, options, { chain, relayer, isLive: false });
  return {
    ...opened,
    development: { appointments: [], inventory: [], parking: describeParking(options, client, rpcUrl) },
  };
}

/** By CAIP-2. A parked chain is not started for it. */
export async function readFurtherTips({
  http,
  rpcUrl,
}: Pick<ChainParts, "http" | "rpcUrl">): Promise<ReadonlyMap<string, bigint>> {
  return await reach(async () => {
    const url = `${rpcUrl}/chains`;
    const { body } = await http.send({ method: "GET", url, timeoutMilliseconds: LIST_MILLISECONDS });
    const { chains } = Listed.parse(JSON.parse(body.toString()));
    return new Map(chains.map(({ chainId, block }) => [nameEvmChain(chainId), BigInt(block)]));
  });
}

function describeParking(
  { http }: Pick<ChainParts, "http">,
  client: ReturnType<typeof createChainClient>["client"],
  rpcUrl: string,
): Required<DevelopmentChain>["parking"] {
  return {
    readTip: () => reach(() => client.getBlockNumber()),
    async hold(holder, seconds) {
      const url = `${rpcUrl}/hold`;
      await reach(async () => {
        const json = { holder, seconds };
        const { status } = await http.send({ method: "POST", url, json, timeoutMilliseconds: HOLD_MILLISECONDS });
        if (status !== HELD) throw new Error(`the hold was refused with status ${status}`);
      });
    },
  };
}
