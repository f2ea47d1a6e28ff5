import { createHash } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { outputSchemas } from "../../../server/src/contributions.ts";
import type { Answer, CallRequest } from "../call.ts";
import { userIds } from "../calls/travelers.ts";
import { lower } from "../chain/chain-view.ts";
import type { Client } from "../client.ts";
import type { Deployment } from "../deployment.ts";
import type { Random } from "../random.ts";
import { runWorkers } from "../workers.ts";
import type { Desk, Verb } from "./desk.ts";

const WORKERS = 20;
const MOST_TRIES = 6;
const MOST_CALLERS = 6;
const CROWD = 50;
const CROWD_EACH = 20;
const DAYS_AHEAD = 60;
const ASKED_AGAIN = 40;
const MOST_QUESTIONS = 240;
/** Added to the price for which a flight's approval was given; the policy's tolerance is between the two. */
const RISES_MICRO = [400_000, 1_000_000] as const;

const routes = ["LHR-CDG", "LHR-AMS", "FRA-MUC", "MAD-BCN", "CDG-FCO", "AMS-BER"] as const;

/** Concurrent decisions about one approval. */
const DECISIONS: readonly [readonly Verb[], ...(readonly Verb[])[]] = [
  ["approve"],
  ["approve"],
  ["approve", "approve"],
  ["approve", "approve", "approve", "reject"],
  ["approve", "reject"],
  ["reject"],
  [],
];
const TWISTS = ["none", "none", "none", "revoke", "expire", "rise"] as const;

/** Something that is wanted and needs an approval each time: an offer that is booked, or an address that is sent to. */
export interface Wish {
  kind: "flight" | "transfer";
  /** The offer, or the address. */
  subject: string;
  userId: string | undefined;
}

interface Caller {
  client: Client;
  name: "by asker" | "by agent";
}

/** Callers whose calls wait for approvals, those who decide, and what happens between the two. */
export class ApprovalStorm {
  /** Everything that was wanted, by its subject. */
  readonly wishes = new Map<string, Wish>();
  /** Approvals that callers were told of, with the subject of their call. */
  readonly subjects = new Map<string, string>();
  readonly codes = new Set<string>();
  readonly #deployment: Deployment;
  readonly #callers: readonly [Caller, Caller];
  readonly #desk: Desk;
  readonly #requests: { client: Client; request: CallRequest }[] = [];
  #number = 0;

  constructor(deployment: Deployment, clients: { agent: Client; asker: Client }, desk: Desk) {
    this.#deployment = deployment;
    this.#callers = [
      { client: clients.agent, name: "by agent" },
      { client: clients.asker, name: "by asker" },
    ];
    this.#desk = desk;
  }

  async run(random: Random, signal: AbortSignal): Promise<void> {
    await runWorkers(WORKERS, random, signal, async (own) => {
      while (!signal.aborted) await this.#play(own, signal);
    });
  }

  /** Without kills: some calls once more, as they were sent. */
  async askAgain(random: Random, signal: AbortSignal): Promise<void> {
    for (const { client, request } of random.shuffle(this.#requests).slice(0, ASKED_AGAIN)) {
      await this.#untilTold(client, request, signal, MOST_QUESTIONS);
    }
  }

  async #play(random: Random, signal: AbortSignal): Promise<void> {
    this.#number += 1;
    const number = this.#number;
    const { client, name } = random.pick(this.#callers);
    const request = await this.#wish(number, random, client, signal);
    if (request === undefined) return void (await delay(200, undefined, { signal }));
    this.#requests.push({ client, request });
    // A used approval may be requested, and its call made, once more.
    for (let times = random.between(1, 2); times > 0; times -= 1) {
      const asked = await this.#untilTold(client, request, signal, MOST_TRIES);
      const approvalId = asked?.kind === "refused" ? asked.approvalId : undefined;
      if (approvalId === undefined) return;
      const verbs = number % CROWD_EACH === 0 ? crowd(random) : random.pick(DECISIONS);
      await this.#desk.decide(approvalId, verbs, random, name);
      await Promise.all([
        this.#twist(approvalId, random),
        ...Array.from({ length: random.between(1, MOST_CALLERS) }, async (_, index) => {
          const key = random.chance(0.4) ? { key: `chaos-${number}-${times}-${random.between(0, 1)}` } : {};
          await delay(random.between(0, 30 * index), undefined, { signal });
          await this.#untilTold(client, { ...request, ...key }, signal, MOST_TRIES);
        }),
      ]);
    }
  }

  /** Undefined: nothing was found. */
  async #wish(number: number, random: Random, client: Client, signal: AbortSignal): Promise<CallRequest | undefined> {
    const userId = random.pick([...userIds, userIds[2]]);
    if (random.chance(0.5)) {
      const to = `0x${createHash("sha256").update(`approved ${number}`).digest("hex").slice(0, 40)}`;
      this.wishes.set(lower(to), { kind: "transfer", subject: lower(to), userId });
      return { tool: "send_tokens", args: { to, amount: `${random.between(20, 60)}.25`, token: "USDC" }, userId };
    }
    const [origin, destination] = random.pick(routes).split("-");
    const departureDate = Temporal.Now.plainDateISO("UTC").add({ days: DAYS_AHEAD + random.between(0, 200) });
    const args = { origin, destination, departureDate: departureDate.toString() };
    const answer = await client.call({ tool: "search_flights", args, keepResult: true }, signal);
    const found =
      answer.kind === "ok" ? (outputSchemas.search_flights.safeParse(answer.result).data?.offers ?? []) : [];
    const offerId = random.shuffle(found)[0]?.id;
    if (offerId === undefined || this.wishes.has(offerId)) return undefined;
    this.wishes.set(offerId, { kind: "flight", subject: offerId, userId });
    return { tool: "book_flight", args: { offerId }, userId };
  }

  /** The last answer; undefined when nobody answered. */
  async #untilTold(
    client: Client,
    request: CallRequest,
    signal: AbortSignal,
    mostTries: number,
  ): Promise<Answer | undefined> {
    for (let tries = 1; tries <= mostTries; tries += 1) {
      const answer = await client.call(request, signal);
      if (answer.kind === "refused") this.#hear(request, answer);
      if (answer.kind === "ok" || (answer.kind === "refused" && isDecided(answer))) return answer;
      await delay(100 * tries, undefined, { signal });
    }
    return undefined;
  }

  #hear({ tool, args }: CallRequest, { code, approvalId }: Answer & { kind: "refused" }): void {
    this.codes.add(code);
    if (approvalId === undefined) return;
    const subject = tool === "book_flight" ? String(args.offerId) : lower(String(args.to));
    this.subjects.set(approvalId, subject);
  }

  /** A change to a granted approval while its call is in progress. */
  async #twist(approvalId: string, random: Random): Promise<void> {
    const twist = random.pick(TWISTS);
    if (twist === "revoke") return await this.#desk.revoke(approvalId);
    const change =
      twist === "expire"
        ? "expires_at = now() - interval '1 second'"
        : // The price has risen by as much, as the one that was approved was lower.
          `amount_micro = amount_micro - ${random.pick(RISES_MICRO)}`;
    if (twist === "none") return;
    // When the database is away just now, nothing happens to it.
    await this.#deployment
      .query(`update approval set ${change} where id = '${approvalId}' and state in ('pending', 'approved')`)
      .catch(() => undefined);
  }
}

/** Half of them want it. */
const crowd = (random: Random): Verb[] =>
  Array.from({ length: CROWD }, () => (random.chance(0.5) ? "approve" : "reject"));

/** The same call at once brings nothing else: it was answered for good, or somebody has to decide first. */
function isDecided({ code, retryable }: Answer & { kind: "refused" }): boolean {
  return !retryable || code === "approval_required" || code === "spend_limit_exceeded" || code === "rate_limited";
}
