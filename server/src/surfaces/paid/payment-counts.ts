import type { Hex } from "../../domain/tokens.ts";
import { addressGroup } from "../http/limits/client-address.ts";
import { takeOrThrow } from "../http/limits/rate-limiter.ts";
import type { RequestLimits } from "../http/limits/request-limits.ts";
import { readRefusal } from "./read-refusal.ts";

export type PaidLimits = Pick<RequestLimits, "refused" | "unpaid" | "unsettledByPayer" | "unsettledByAddress">;

const MOST_PROVED_PAYERS = 100_000;

/** Payers that have paid here: their verifications are not delayed by other attempts from their address. */
export class ProvedPayers {
  readonly #payers = new Set<Hex>();

  add(payer: Hex): void {
    if (this.#payers.size < MOST_PROVED_PAYERS) this.#payers.add(payer);
  }

  has(payer: Hex): boolean {
    return this.#payers.has(payer);
  }
}

/** The limits that a request with a payment counts towards. */
export class PaymentCounts {
  readonly #limits: PaidLimits;
  readonly #proved: ProvedPayers;
  readonly #address: string;
  readonly #weight: number;
  #payer: Hex | undefined;
  #isRefusalCounted = false;

  /** `weight`: the number of calls it counts as. Throws `rate_limited` if too many calls from the address brought no money. */
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

  /**
   * Called before the body is read. Throws `rate_limited` if too many payments from the address were refused, unless this payer
   * has paid before.
   */
  requireRoom(payer: Hex): void {
    if (!this.#proved.has(payer)) this.#limits.refused.requireRoom(this.#address);
  }

  /** For the charge, once the payer's signature is verified. Throws `rate_limited`. */
  countPayer(payer: Hex): void {
    takeOrThrow(this.#limits.unsettledByPayer, payer, UNSETTLED, this.#weight);
    this.#payer = payer;
  }

  /**
   * For the charge: runs a verification, which asks the chain, while there is room for its refusal. `signer`: the verified
   * signer, if known. Throws `rate_limited`.
   */
  async judge<Result>(verification: () => Promise<Result>, signer: Hex | undefined): Promise<Result> {
    if (signer !== undefined && this.#proved.has(signer)) return await verification();
    return await this.#limits.refused.judge(this.#address, verification, (outcome) => {
      const isRefused = outcome.status === "rejected" && readRefusal(outcome.reason) !== undefined;
      if (isRefused) this.#isRefusalCounted = true;
      return isRefused;
    });
  }

  /** Counts a refusal that was made without outside requests. */
  countRefusal(): void {
    if (!this.#isRefusalCounted) this.#limits.refused.count(this.#address, "refused payments");
  }

  /** The call has brought money and no longer counts. */
  settled(payer: Hex): void {
    this.#limits.unsettledByAddress.giveBack(this.#address, this.#weight);
    if (this.#payer === undefined) return;
    this.#limits.unsettledByPayer.giveBack(this.#payer, this.#weight);
    this.#proved.add(payer);
  }
}

const UNSETTLED = "calls that brought no payment to an end";
