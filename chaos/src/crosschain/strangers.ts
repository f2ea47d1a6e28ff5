import { setTimeout as delay } from "node:timers/promises";
import { createWalletClient, http, parseAbi } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { z } from "zod";
import type { Hex } from "../../../server/src/domain/tokens.ts";
import { attesterAccess } from "../../../server/src/embedded/attester-part.ts";
import type { Deployment } from "../deployment.ts";
import type { Random } from "../random.ts";
import type { BridgeLeg } from "./site-facts.ts";
import { readSiteFacts } from "./site-facts.ts";
import { readSites, type Site } from "./sites.ts";

const abi = parseAbi(["function receiveMessage(bytes message, bytes attestation) returns (bool)"]);
const GAS = 500_000n;
const PAUSE_MILLISECONDS = 150;
const Messages = z.object({
  messages: z.array(
    z.object({ status: z.string(), message: z.templateLiteral(["0x", z.string()]), attestation: z.string() }),
  ),
});

/**
 * Delivers to the hub what is attested for it, before the service or after it, and again: anybody may finish a transfer, and nobody may
 * finish one twice.
 */
export function createStranger(deployment: Deployment) {
  const { chain, payer } = deployment.quickstart();
  const account = privateKeyToAccount(payer.privateKey);
  const known = new Map<Hex, { message: Hex; attestation: Hex }>();
  let delivered = 0;
  let refused = 0;

  async function findAttested(burn: BridgeLeg, source: Site) {
    const found = known.get(burn.hash);
    if (found !== undefined) return found;
    const url = attesterAccess(deployment.dataDir)?.url;
    const response = await fetch(`${url}/v2/messages/${source.domain}?transactionHash=${burn.hash}`);
    if (!response.ok) return undefined;
    const { messages } = Messages.parse(await response.json());
    const [only] = messages;
    if (only?.status !== "complete") return undefined;
    const attested = {
      message: only.message,
      attestation: z.templateLiteral(["0x", z.string()]).parse(only.attestation),
    };
    known.set(burn.hash, attested);
    return attested;
  }

  async function deliverOne(random: Random): Promise<void> {
    const sites = await readSites(deployment);
    const hub = sites.find(({ isHome }) => isHome);
    const [source] = random.shuffle(sites.filter((one) => one !== hub));
    if (hub === undefined || source === undefined) return;
    const { burns } = await readSiteFacts(source);
    const toHub = burns.filter(({ destination }) => destination === hub.domain);
    // The latest, which nobody may have delivered yet, or any.
    const burn = random.chance(0.5) ? toHub.at(-1) : random.shuffle(toHub)[0];
    const attested = burn && (await findAttested(burn, source));
    if (attested === undefined) return;
    const wallet = createWalletClient({ account, transport: http(chain.rpcUrl, { retryCount: 0 }) });
    const hash = await wallet.writeContract({
      address: hub.transmitter,
      abi,
      functionName: "receiveMessage",
      args: [attested.message, attested.attestation],
      gas: GAS,
      chain: null,
    });
    const receipt = await hub.client.waitForTransactionReceipt({ hash, timeout: 5_000, pollingInterval: 50 });
    if (receipt.status === "success") delivered += 1;
    else refused += 1;
  }

  return {
    async run(random: Random, signal: AbortSignal): Promise<void> {
      while (!signal.aborted) {
        // Whatever is down at the moment is asked again later.
        await deliverOne(random).catch(() => undefined);
        await delay(PAUSE_MILLISECONDS, undefined, { signal }).catch(() => undefined);
      }
    },
    notes: (): string[] => [
      `strangers     delivered ${delivered} messages before the service, and were refused ${refused} that were delivered`,
    ],
  };
}
