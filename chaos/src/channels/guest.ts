import { setTimeout as delay } from "node:timers/promises";
import { outputSchemas } from "../../../server/src/contributions.ts";
import type { ToolMap } from "../../../server/src/modules/index.ts";
import { isFinal } from "../call.ts";
import type { Client } from "../client.ts";
import type { Random } from "../random.ts";
import type { LineKind, Shown } from "./line.ts";

const LOOK_MILLISECONDS = 300;
const RUN_SECONDS = 2;
const PATIENCE_MILLISECONDS = 30_000;
/** Longer than a message is sent again, where it is not known whether it arrived. */
const DELIVERY_MILLISECONDS = 120_000;
const LINK = /\/claim\/(0x[0-9a-f]{64})#([\w-]{43})/;
const CODE = /\b\d{6}\b/;
/** Codes of answers that come while the claim is on its way. */
const NOT_YET = new Set(["in_progress", "unavailable", "rate_limited", "starting"]);

/** How an invitation to a trip has ended. */
export interface Invited {
  readonly guestWallet: string;
  readonly runId: string;
  /** The link or the code did not arrive, as their states say. */
  readonly isUndelivered: boolean;
}

interface GuestOptions {
  readonly client: Client;
  readonly appUrl: string;
  readonly userId: string;
  readonly kind: LineKind;
  /** Who the link is sent to, as the channel names them. */
  readonly address: string;
  /** Messages that the guest has. */
  read(): Promise<readonly Shown[]>;
  /** The approver says yes to the run. */
  approve(): Promise<void>;
}

interface Trip {
  readonly random: Random;
  readonly name: string;
  readonly departureDate: string;
  /** The policy asks the approver before the run may book. */
  readonly needsApproval: boolean;
}

/** Somebody who gets a trip's link and code over the channel, and whose acceptance a run waits for. */
export class Guest {
  readonly #options: GuestOptions;

  constructor(options: GuestOptions) {
    this.#options = options;
  }

  /** From the trip's funding to the end of its run. */
  async travel({ random, name, departureDate, needsApproval }: Trip, signal: AbortSignal): Promise<Invited> {
    const { kind: channel, address: recipient } = this.#options;
    const digits = Array.from({ length: 20 }, () => random.between(1, 255).toString(16).padStart(2, "0"));
    const guestWallet = `0x${digits.join("")}`;
    const budget = { budgetUsdc: "2000", require2fa: true };
    const { tripId } = await this.#ask("prefund_trip", budget, `fund-${name}`, signal);
    const flight = { origin: "LHR", destination: "CDG", departureDate, acceptOverlap: true };
    const input = { tripId, ...flight, ...(needsApproval ? { policyId: "approving" } : {}) };
    const begun = { workflowId: "service.book_flight", input };
    const { runId } = await this.#ask("run_workflow", begun, `run-${name}`, signal);
    const send = () => this.#ask("send_claim_link", { tripId, channel, recipient }, undefined, signal);
    await send();
    const found = await this.#receive(tripId, send, signal);
    if (found === undefined) return { guestWallet, runId, isUndelivered: true };
    // A guest who clicks twice.
    const claim = () => this.#claim(tripId, { ...found, guestWallet }, signal);
    await Promise.all([claim(), claim()]);
    await this.#untilEnded(runId, signal);
    return { guestWallet, runId, isUndelivered: false };
  }

  /** Undefined: one of the two has failed. */
  async #receive(tripId: string, send: () => Promise<ToolMap["send_claim_link"]["output"]>, signal: AbortSignal) {
    for (;;) {
      const deadline = performance.now() + DELIVERY_MILLISECONDS;
      while (performance.now() < deadline) {
        const messages = await this.#options.read();
        const at = messages.findIndex(({ text }) => LINK.exec(text)?.[1] === tripId);
        const link = messages[at];
        const claimCode = messages.slice(at + 1).flatMap(({ text }) => CODE.exec(text) ?? [])[0];
        if (link !== undefined && claimCode !== undefined) {
          if (link.text.includes(claimCode)) throw new Error("the link and the code were in one message");
          return { linkSecret: LINK.exec(link.text)?.[2] ?? "", claimCode };
        }
        await delay(LOOK_MILLISECONDS, undefined, { signal });
      }
      const { link, code } = await send();
      if ([link, code].some((state) => state === "failed" || state === "unknown")) return undefined;
    }
  }

  /** As the page behind the link does it. */
  async #claim(tripId: string, body: object, signal: AbortSignal): Promise<void> {
    for (;;) {
      signal.throwIfAborted();
      const code = await fetch(`${this.#options.appUrl}/api/claims/${tripId}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(PATIENCE_MILLISECONDS),
      })
        .then(async (response) => (response.ok ? "ok" : String(Object(await response.json()).code)))
        .catch(() => "unavailable");
      if (code === "ok") return;
      if (!NOT_YET.has(code)) throw new Error(`the claim was answered ${code}`);
      await delay(LOOK_MILLISECONDS, undefined, { signal });
    }
  }

  async #untilEnded(runId: string, signal: AbortSignal): Promise<void> {
    for (;;) {
      const run = await this.#ask("read_run", { runId, wait: RUN_SECONDS }, undefined, signal);
      if (run.status === "completed" || run.status === "failed") return;
      if (run.status === "paused" && run.decidedBy === "person") await this.#options.approve();
      if (run.status === "paused" && run.decidedBy === "caller") throw new Error(`the run asks: ${run.nextStepId}`);
      await delay(LOOK_MILLISECONDS, undefined, { signal });
    }
  }

  /** Repeated until its answer is final. */
  async #ask<Name extends keyof ToolMap>(
    tool: Name,
    args: ToolMap[Name]["input"],
    key: string | undefined,
    signal: AbortSignal,
  ): Promise<ToolMap[Name]["output"]> {
    const { client, userId } = this.#options;
    for (;;) {
      const answer = await client.call({ tool, args, userId, key }, signal);
      signal.throwIfAborted();
      if (answer.kind === "ok") return outputSchemas[tool].parse(answer.result);
      if (isFinal(answer)) throw new Error(`${tool} was answered ${answer.code}`);
      await delay(LOOK_MILLISECONDS, undefined, { signal });
    }
  }
}
