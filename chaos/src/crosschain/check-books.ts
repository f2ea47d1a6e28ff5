import { erc20Abi, parseAbi } from "viem";
import type { Finding } from "../area.ts";
import type { CrossChainBooks } from "./books.ts";
import { listIssued } from "./check-chains.ts";
import type { SiteFacts } from "./site-facts.ts";
import type { Site } from "./sites.ts";

/** Our books against each chain's own. */

const gatewayAbi = parseAbi(["function totalBalance(address token, address depositor) view returns (uint256)"]);

function findSite(facts: readonly SiteFacts[], chain: string): SiteFacts | undefined {
  return facts.find(({ site }) => site.chain === chain);
}

export async function checkPurses({ purses }: CrossChainBooks, facts: readonly SiteFacts[]): Promise<Finding> {
  const problems: string[] = [];
  for (const { chain, address, kind, token, amount } of purses) {
    const at = findSite(facts, chain);
    if (at === undefined) continue;
    const { client, tokens, name } = at.site;
    const balance = await client.readContract({
      address: tokens[token],
      abi: erc20Abi,
      functionName: "balanceOf",
      args: [address],
    });
    if (balance !== amount)
      problems.push(`the books give the ${kind} ${address} ${amount} ${token}, ${name} ${balance}`);
  }
  return { invariant: "each wallet has on each chain what the books give it", checked: purses.length, problems };
}

export async function checkDeposits({ inGateway }: CrossChainBooks, facts: readonly SiteFacts[]): Promise<Finding> {
  const problems: string[] = [];
  for (const { chain, address, amount } of inGateway) {
    const site = findSite(facts, chain)?.site;
    if (site === undefined) continue;
    const balance = await readDeposit(site, address);
    if (balance !== amount)
      problems.push(`the books give ${address} ${amount} in the Gateway, ${site.name} ${balance}`);
  }
  return { invariant: "each tenant has in the Gateway what the books say", checked: inGateway.length, problems };
}

const readDeposit = ({ client, tokens, gatewayWallet }: Site, depositor: `0x${string}`): Promise<bigint> =>
  client.readContract({
    address: gatewayWallet,
    abi: gatewayAbi,
    functionName: "totalBalance",
    args: [tokens.USDC, depositor],
  });

export function checkTransfers({ transfers, inFlight }: CrossChainBooks, facts: readonly SiteFacts[]): Finding {
  const problems = transfers.flatMap(({ id, kind, status, amount, to_chain: chain }) => {
    const to = findSite(facts, chain);
    const arrived = [
      ...(to?.mints.map((mint) => mint.amount) ?? []),
      ...(to?.gatewayMints.map((mint) => mint.value) ?? []),
    ].filter((one) => one === amount).length;
    if (status === "completed") return arrived === 1 ? [] : [`${kind} ${id} is completed and arrived ${arrived} times`];
    if (status === "failed")
      return arrived === 0 || kind === "swap_and_bridge" ? [] : [`${kind} ${id} has failed and arrived`];
    return [`${kind} ${id} is still ${status}`];
  });
  const left = inFlight.filter(({ amount }) => amount !== 0n);
  return {
    invariant: "transfers have ended, and arrived if they say so; nothing is in flight",
    checked: transfers.length,
    problems: [...problems, ...left.map(({ chain, amount }) => `${amount} of ${chain} are in flight`)],
  };
}

/** Registrations, the appointment of minters, and the native coin that withdrawals need. */
const MOVING_NOTHING: ReadonlySet<string> = new Set(["agent_registration", "cross_chain_setup", "gateway_gas"]);

/** An order's transaction logs something if it did anything. */
export function checkOrders({ orders }: CrossChainBooks, facts: readonly SiteFacts[]): Finding {
  const problems = orders.flatMap(({ id, chain, purpose, state, hash, earlier_hashes: earlier }) => {
    const hashes = findSite(facts, chain)?.hashes;
    if (hashes === undefined) return [];
    const done = [hash, ...earlier].filter((one) => one !== null && hashes.has(one));
    if (MOVING_NOTHING.has(purpose)) return [];
    const expected = state === "confirmed" ? 1 : 0;
    return done.length === expected
      ? []
      : [`${purpose} ${id} is ${state}, and ${done.length} of its transactions did something`];
  });
  return { invariant: "orders did on their chains what they say", checked: orders.length, problems };
}

/** New money comes from mints that the service ordered, and from the inventory that a chain's pool begins with. */
export function checkIssued({ orders }: CrossChainBooks, facts: readonly SiteFacts[]): Finding {
  const ordered = new Set(orders.filter(({ state }) => state === "confirmed").map(({ hash }) => hash));
  const issued = facts.flatMap((one) => listIssued(one).map((mint) => ({ ...mint, site: one.site })));
  const problems = issued
    .filter(({ hash, to, site }) => !ordered.has(hash) && to !== site.swapPool)
    .map(
      ({ amount, token, hash, site }) =>
        `${amount} ${token} were issued on ${site.name} by ${hash}, which nobody ordered`,
    );
  return { invariant: "money is issued by our orders alone", checked: issued.length, problems };
}
