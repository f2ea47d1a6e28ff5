import { createHash } from "node:crypto";
import { formatDecimal } from "../../../server/src/domain/money.ts";
import { type Hex, tokenSymbols } from "../../../server/src/domain/tokens.ts";
import type { CallRequest } from "../call.ts";
import type { Client } from "../client.ts";
import type { Random } from "../random.ts";
import { NOBODY, type Operation } from "./journal.ts";

/** A tenant that sends. */
export interface Sender {
  client: Client;
  tenantId: string;
  treasury: Hex;
}

/** An operation with the request that asks for it; several requests may, by one key. */
export interface Asked {
  operation: Operation;
  client: Client;
  request: CallRequest;
}

const MICRO = 1_000_000n;
/** More than any tenant of a run has. */
const HOPELESS = 500_000_000n;

/** Makes operations whose marks on the chain differ from each other, and from whatever else moves. */
export function createOperations(senders: readonly [Sender, ...Sender[]], newKey: () => string) {
  const operations: Operation[] = [];

  /** Prices of flights end in whole cents, so that none is a mark. */
  function markedAmount(number: number, units: number): bigint {
    return BigInt(units) * MICRO + BigInt(number) * 10n + 7n;
  }

  function outsideAddress(name: string): Hex {
    return `0x${createHash("sha256").update(`chaos ${name}`).digest("hex").slice(0, 40)}`;
  }

  function ask(sender: Sender, operation: Operation, args: Readonly<Record<string, unknown>>, keyed: boolean): Asked {
    operations.push(operation);
    const key = keyed ? { key: newKey() } : {};
    return { operation, client: sender.client, request: { tool: operation.tool, args, ...key, keepResult: true } };
  }

  const next = (): number => operations.length + 1;

  return {
    operations,

    send(random: Random, keyed: boolean, isHopeless = random.chance(0.04)): Asked {
      const sender = random.pick(senders);
      const number = next();
      const token = random.pick(tokenSymbols);
      const others = senders.filter((one) => one !== sender).map(({ treasury }) => treasury);
      const outside = outsideAddress(random.chance(0.3) ? `regular ${random.between(1, 4)}` : `send ${number}`);
      const to = random.chance(0.35) ? (others[0] ?? outside) : outside;
      const amount = markedAmount(number, isHopeless ? Number(HOPELESS) : random.between(0, 9));
      const operation: Operation = {
        number,
        tool: "send_tokens",
        token,
        from: sender.treasury,
        to,
        amount,
        answers: [],
      };
      return ask(sender, operation, { to, amount: formatDecimal(amount), token }, keyed);
    },

    split(random: Random, keyed: boolean): Asked {
      const sender = random.pick(senders);
      const number = next();
      const to = outsideAddress(`supplier ${number}`);
      const amount = markedAmount(number, random.between(0, 9));
      const commissionBps = random.between(0, 3_000);
      const serviceFeeBps = random.between(0, 200);
      const operation: Operation = {
        number,
        tool: "settle_split",
        token: "USDC",
        from: sender.treasury,
        to,
        amount,
        answers: [],
      };
      const args = { gross: formatDecimal(amount), supplier: to, commissionBps, serviceFeeBps };
      return ask(sender, operation, args, keyed);
    },

    drip(random: Random, keyed: boolean): Asked {
      const sender = random.pick(senders);
      const number = next();
      const token = random.pick(tokenSymbols);
      const to = outsideAddress(`drip ${number}`);
      const operation: Operation = {
        number,
        tool: "faucet_drip",
        token,
        from: NOBODY,
        to,
        amount: undefined,
        answers: [],
      };
      return ask(sender, operation, { address: to, token }, keyed);
    },
  };
}
