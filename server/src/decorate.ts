import { type Chains, mapChains } from "./kernel/contracts/by-chain.ts";
import type { PartMakers, Parts } from "./kernel/contracts/whole.ts";
import type { OpenedChain } from "./ports/chain/opened-chain.ts";

/**
 * Replaces parts of the service at its start: each function takes the original part and returns its replacement. For harnesses
 * outside of the product, which remove a guard to see that its absence is noticed, or add parts that only they need. The
 * product itself replaces nothing.
 */
export type Decorators = { readonly [Name in keyof Parts]?: (part: Parts[Name]) => Parts[Name] };

/** Replaces every chain, also one that is opened later. */
export function decorateChains(chains: Chains, replace: (chain: OpenedChain) => OpenedChain): Chains {
  const replaced = mapChains(chains, replace);
  return {
    ...replaced,
    onDemand: chains.onDemand,
    readTips: chains.readTips,
    async open(key) {
      await chains.open(key);
      return replaced.at(key);
    },
  };
}

/** Each part is made on first use, so that their order does not matter. A cycle between parts is a mistake. */
export function createParts(makers: PartMakers, decorate: Decorators = {}): Parts {
  const parts: Parts = Object.create(null);
  const isPart = (name: string): name is keyof Parts => name in makers;

  function define<Name extends keyof Parts>(name: Name): void {
    let made: { readonly part: Parts[Name] } | undefined;
    let isBeingMade = false;
    function get(): Parts[Name] {
      if (made !== undefined) return made.part;
      if (isBeingMade) throw new Error(`The part ${name} is needed to make itself.`);
      isBeingMade = true;
      const make = makers[name];
      if (make === undefined) throw new Error(`The part ${name} has no maker.`);
      const part = make(parts);
      made = { part: decorate[name]?.(part) ?? part };
      return made.part;
    }
    Object.defineProperty(parts, name, { enumerable: true, get });
  }

  for (const name of Object.keys(makers)) if (isPart(name)) define(name);
  return parts;
}
