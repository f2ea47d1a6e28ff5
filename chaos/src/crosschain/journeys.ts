import { formatDecimal, type Micro, parseDecimal } from "../../../server/src/domain/money.ts";
import type { Asker } from "../intents.ts";
import type { Random } from "../random.ts";
import type { Sequences } from "../sequence-storm.ts";

const MICRO = 1_000_000n;
const HUB = "Arc_Testnet";
/** Two further chains: each is a process of its own. */
export const further = ["Base_Sepolia", "Ethereum_Sepolia"] as const;
/** Used for the first time while parts are killed. */
const RARE = "Avalanche_Fuji";
const usual = [HUB, ...further] as const;
/** More than a tenant has on any chain. */
const HOPELESS = 500_000_000;
const TO_EUROS = { fromToken: "USDC", toToken: "EURC" } as const;
const TO_DOLLARS = { fromToken: "EURC", toToken: "USDC" } as const;
const LOOK_MILLISECONDS = 500;

interface Plan {
  random: Random;
  number: number;
}

interface Journey {
  weight: number;
  play(asker: Asker, random: Random, call: { amount: string; key: string }): Promise<void>;
}

const journeys: Readonly<Record<string, Journey>> = {
  bridge_to_arc: {
    weight: 34,
    async play(asker, random, { amount, key }) {
      // The hub itself is refused.
      const fromChain = random.chance(0.05) ? HUB : random.chance(0.05) ? RARE : random.pick(further);
      await follow(asker, await asker.ask("bridge_to_arc", { fromChain, amount }, key));
    },
  },
  gateway_deposit: {
    weight: 10,
    async play(asker, random, { amount, key }) {
      await asker.ask("gateway_deposit", { chain: pickChain(random), amount }, key);
    },
  },
  gateway_withdraw: {
    weight: 8,
    async play(asker, random, { amount, key }) {
      await asker.ask("gateway_withdraw", { chain: pickChain(random), amount }, key);
    },
  },
  gateway_transfer: {
    weight: 20,
    async play(asker, random, { amount, key }) {
      const [from = HUB, to = HUB] = random.shuffle(usual);
      await follow(asker, await asker.ask("gateway_transfer", { from, to, amount }, key));
    },
  },
  swap_tokens: {
    weight: 14,
    async play(asker, random, { amount, key }) {
      const direction = random.chance(0.5) ? TO_EUROS : TO_DOLLARS;
      await asker.ask("swap_tokens", { ...direction, amount }, key);
    },
  },
  swap_and_bridge: {
    weight: 14,
    async play(asker, random, { amount, key }) {
      const asked = {
        fromChain: random.pick(further),
        amount,
        targetToken: random.chance(0.7) ? "EURC" : "USDC",
      } as const;
      await follow(asker, await asker.ask("swap_and_bridge", asked, key));
    },
  },
};

/** Each call moves an amount that no other call moves, which finds it on the chains. */
export const moves: Sequences<Plan> = {
  perRound: 150,
  workers: 14,
  findSubject: ({ tool, key }) => (tool in journeys ? key : undefined),
  plan: (random, number) => ({ random, number }),
  async play(asker, { random, number }) {
    const units = random.chance(0.04) ? HOPELESS : random.between(1, 9);
    const amount = formatDecimal(BigInt(units) * MICRO + BigInt(number) * 10n + 7n);
    await pickJourney(random).play(asker, random, { amount, key: `crosschain-${number}` });
  },
};

export const movingTools = Object.keys(journeys);

/** Undefined: this call has no amount of its own. */
export function readMark({ amount }: Readonly<Record<string, unknown>>): Micro | undefined {
  return typeof amount === "string" ? parseDecimal(amount) : undefined;
}

function pickJourney(random: Random): Journey {
  const all = Object.values(journeys);
  let draw = random.next() * all.reduce((sum, { weight }) => sum + weight, 0);
  for (const journey of all) {
    draw -= journey.weight;
    if (draw < 0) return journey;
  }
  throw new Error("there is no journey");
}

const pickChain = (random: Random) => (random.chance(0.05) ? RARE : random.pick(usual));

/** Asks for a transfer until it has ended. */
async function follow(
  asker: Asker,
  answer: { result: { transferId: string; status: string } } | { refused: string },
): Promise<void> {
  if ("refused" in answer) return;
  const { transferId } = answer.result;
  let status = answer.result.status;
  while (status !== "completed" && status !== "failed") {
    await asker.rest(LOOK_MILLISECONDS);
    const read = await asker.ask("read_transaction", { transferId });
    if ("refused" in read || !("status" in read.result)) return;
    status = String(read.result.status);
  }
}
