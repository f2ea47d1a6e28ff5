import type { Hex } from "../../domain/tokens.ts";
import { addressGroup } from "../http/limits/client-address.ts";
import { takeOrThrow } from "../http/limits/rate-limiter.ts";
import type { RequestLimits } from "../http/limits/request-limits.ts";
import { readRefusal } from "./read-refusal.ts";

export type PaidLimits = Pick<RequestLimits, "refused" | "unpaid" | "unsettledByPayer" | "unsettledByAddress">;

const MOST_PROVED_PAYERS = 100_000;

/** Payers that brought money here: a verification for one of them is not held up by what others of its address try. */
export class ProvedPayers {
  readonly #payers = new Set<Hex>();

  add(payer: Hex): void {
    if (this.#payers.size < MOST_PROVED_PAYERS) this.#payers.add(payer);
  }

  has(payer: Hex): boolean {
    return this.#payers.has(payer);
  }
}

/** What one request with a payment counts towards. */
export class PaymentCounts {
  readonly #limits: PaidLimits;
  readonly #proved: ProvedPayers;
  readonly #address: string;
  readonly #weight: number;
  #payer: Hex | undefined;
  #isRefusalCounted = false;

  /** `weight`: as how many calls it counts. Throws `rate_limited` when too many calls of the address brought no money. */
  constructor(
    limits: PaidLimits,
    proved: ProvedPayers,
    { remoteAddress, weight }: { remoteAddress: string; weight: number },
  ) {
    this.#limits = limits;
    this.#proved = proved;
    this.#address = addressGroup(remoteAddress);
    this.#weight = weight;
    takeOrThrow(limits.unsettledByAddress, this.#address, UNSETTLED, weight);
  }

  /** Before the body is read. Throws `rate_limited` when too many payments of the address were refused, unless this payer has paid before. */
  requireRoom(payer: Hex): void {
    if (!this.#proved.has(payer)) this.#limits.refused.requireRoom(this.#address);
  }

  /** For the charge, once the payer is known to have signed. Throws `rate_limited`. */
  countPayer(payer: Hex): void {
    takeOrThrow(this.#limits.unsettledByPayer, payer, UNSETTLED, this.#weight);
    this.#payer = payer;
  }

  /**
   * For the charge: runs a verification, which asks the chain, while there is room for its refusal. `signer`: whose own key is
   * known to have signed. Throws `rate_limited`.
   */
  async judge<Result>(verification: () => Promise<Result>, signer: Hex | undefined): Promise<Result> {
    if (signer !== undefined && this.#proved.has(signer)) return await verification();
    return await this.#limits.refused.judge(this.#address, verification, (outcome) => {
      const isRefused = outcome.status === "rejected" && readRefusal(outcome.reason) !== undefined;
      if (isRefused) this.#isRefusalCounted = true;
      return isRefused;
    });
  }

  /** A refusal that asked nobody outside counts as well. */
  countRefusal(): void {
    if (!this.#isRefusalCounted) this.#limits.refused.count(this.#address, "refused payments");
  }

  /** The call has brought money: it counts no more. */
  settled(payer: Hex): void {
    this.#limits.unsettledByAddress.giveBack(this.#address, this.#weight);
    if (this.#payer === undefined) return;
    this.#limits.unsettledByPayer.giveBack(this.#payer, this.#weight);
    this.#proved.add(payer);
  }
}

const UNSETTLED = "calls that brought no payment to an end";
