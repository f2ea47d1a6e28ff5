import { tokenSymbols } from "../../../server/src/domain/tokens.ts";
import type { Finding } from "../area.ts";
import { findRepeated } from "../calls/check-usage.ts";
import { NOBODY } from "../chain/journal.ts";
import type { BridgeLeg, SiteFacts } from "./site-facts.ts";

/** The chains against each other. */

const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((total, amount) => total + amount, 0n);

/** At any moment. Amounts differ, so that a burn that is minted a second time shows by its content even under another nonce. */
export function checkDoneOnce(facts: readonly SiteFacts[]): Finding {
  const problems = facts.flatMap(({ site, burns, mints, gatewayBurns, gatewayMints, swaps }) => {
    const at = (what: string) => `${what} on ${site.name}`;
    return [
      ...findRepeated(burns, ({ content }) => at(`the burn ${content}`)),
      ...findRepeated(mints, ({ content }) => at(`the mint ${content}`)),
      ...findRepeated(mints, ({ nonce }) => at(`the nonce ${nonce}`)),
      ...findRepeated(gatewayBurns, ({ specHash }) => at(`the Gateway's burn of ${specHash}`)),
      ...findRepeated(gatewayMints, ({ specHash }) => at(`the Gateway's mint of ${specHash}`)),
      ...findRepeated(swaps, ({ quoteId }) => at(`the swap ${quoteId}`)),
    ];
  });
  const checked = sum(facts.map(({ burns, mints }) => BigInt(burns.length + mints.length)));
  return { invariant: "each burn, mint and swap is on the chains once", checked: Number(checked), problems };
}

export function checkArrived(facts: readonly SiteFacts[]): Finding {
  const burns = facts.flatMap((one) => one.burns);
  const mints = new Map(facts.flatMap((one) => one.mints).map((mint) => [mint.content, mint]));
  const known = new Set(burns.map(({ content }) => content));
  const lost = burns.flatMap((burn) => {
    const mint = mints.get(burn.content);
    if (mint === undefined) return [`${describe(burn)} never arrived`];
    return mint.fee > burn.fee ? [`${describe(burn)} cost ${mint.fee}`] : [];
  });
  const unfounded = [...mints.values()].filter(({ content }) => !known.has(content));
  return {
    invariant: "every burn for another chain arrived there, less no more fee than was allowed, and nothing else did",
    checked: burns.length,
    problems: [...lost, ...unfounded.map((mint) => `${describe(mint)} arrived and was burned nowhere`)],
  };
}

export function checkGatewayTransfers(facts: readonly SiteFacts[]): Finding {
  const burns = new Map(facts.flatMap((one) => one.gatewayBurns).map((burn) => [burn.specHash, burn.value]));
  const mints = new Map(facts.flatMap((one) => one.gatewayMints).map((mint) => [mint.specHash, mint.value]));
  const hashes = new Set([...burns.keys(), ...mints.keys()]);
  const problems = [...hashes]
    .filter((hash) => burns.get(hash) !== mints.get(hash))
    .map(
      (hash) =>
        `the Gateway burned ${burns.get(hash) ?? "nothing"} of ${hash} and minted ${mints.get(hash) ?? "nothing"}`,
    );
  return { invariant: "the Gateway burned what it minted", checked: hashes.size, problems };
}

/** Gateway transfers that are minted on one chain and not burned on the other yet. */
export function countUnburned(facts: readonly SiteFacts[]): number {
  const burned = new Set(facts.flatMap(({ gatewayBurns }) => gatewayBurns.map(({ specHash }) => specHash)));
  return facts.flatMap(({ gatewayMints }) => gatewayMints).filter(({ specHash }) => !burned.has(specHash)).length;
}

/** Also while transfers are in flight: what left a chain counts until it arrived, and what the Gateway minted early does not. */
export function checkSupply(facts: readonly SiteFacts[]): Finding {
  const problems: string[] = [];
  for (const token of tokenSymbols) {
    const supply = sum(facts.map((one) => one.supply[token]));
    const issued = sum(facts.map((one) => sumIssued(one, token)));
    const inFlight = token === "USDC" ? sumInFlight(facts) : 0n;
    if (supply + inFlight !== issued) {
      problems.push(`${issued} ${token} were issued, the chains have ${supply}, and ${inFlight} are in flight`);
    }
  }
  return {
    invariant: "the supply of all chains and what is in flight are what was issued",
    checked: facts.length * tokenSymbols.length,
    problems,
  };
}

function sumInFlight(facts: readonly SiteFacts[]): bigint {
  const of = (pick: (one: SiteFacts) => readonly bigint[]) => sum(facts.flatMap(pick));
  const onTheBridge =
    of(({ burns }) => burns.map(({ amount }) => amount)) - of(({ mints }) => mints.map(({ amount }) => amount));
  const early =
    of(({ gatewayMints }) => gatewayMints.map(({ value }) => value)) -
    of(({ gatewayBurns }) => gatewayBurns.map(({ value }) => value));
  return onTheBridge - early;
}

/** Mints that are no arrival from another chain. */
export function listIssued({ transfers, mints, gatewayMints }: SiteFacts) {
  const arrivals = new Set([...mints, ...gatewayMints].map(({ hash }) => hash));
  return transfers.filter(({ from, hash }) => from === NOBODY && !arrivals.has(hash));
}

const sumIssued = (facts: SiteFacts, token: string): bigint =>
  sum(listIssued(facts).flatMap((one) => (one.token === token ? [one.amount] : [])));

const describe = ({ amount, content, hash }: BridgeLeg): string => `${amount} of ${hash} (${content})`;
