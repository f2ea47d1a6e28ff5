import type { ToolMap } from "../../../server/src/modules/index.ts";
import type { Asker } from "../intents.ts";
import type { Random } from "../random.ts";
import type { Sequences } from "../sequence-storm.ts";
import type { Decider } from "./decider.ts";

type Run = ToolMap["read_run"]["output"];

const DESTINATIONS = ["CDG", "AMS", "FCO", "MAD"] as const;
const DAYS_AHEAD = 60;
/** A run that still moves after so many looks is left to the end of the whole run. */
const MOST_LOOKS = 12;
const BETWEEN_LOOKS_MILLISECONDS = 1_500;
const LOOK_SECONDS = 2;
const CLAIMS = ["before", "before", "before", "before", "after", "after", "twice", "never"] as const;
/** People's decisions on an offer that needs an approval; two contradicting ones are made at the same moment. */
const DECISIONS = [
  ["approved"],
  ["approved"],
  ["approved", "approved"],
  ["approved", "rejected"],
  ["rejected"],
  [],
] as const;

export interface Plan {
  number: number;
  name: string;
  departureDate: string;
  destination: string;
  claim: (typeof CLAIMS)[number];
  guestWallet: string;
  /** Undefined: the policy lets the offers through. */
  decisions: readonly string[] | undefined;
  passengers: number;
  /** At this look. */
  cancelAt: number | undefined;
}

function draw(random: Random, number: number, today: Temporal.PlainDate): Plan {
  const digits = Array.from({ length: 20 }, () => random.between(1, 255).toString(16).padStart(2, "0")).join("");
  return {
    number,
    name: `${number}-${random.between(0, 2 ** 30)}`,
    guestWallet: `0x${digits}`,
    departureDate: today.add({ days: DAYS_AHEAD + random.between(0, 30) }).toString(),
    destination: random.pick(DESTINATIONS),
    claim: random.pick(CLAIMS),
    decisions: random.chance(0.3) ? random.pick(DECISIONS) : undefined,
    passengers: random.chance(0.08) ? 2 : 1,
    cancelAt: random.chance(0.08) ? random.between(0, 4) : undefined,
  };
}

/** Trips that are funded, claimed before, after or never, run, decided about, cancelled, and read until the run has ended. */
export const bookings = (today: Temporal.PlainDate, decider: Decider): Sequences<Plan> => ({
  perRound: 60,
  workers: 24,
  findSubject: ({ tool, args, key }) =>
    tool === "prefund_trip" || tool === "run_workflow"
      ? key
      : tool === "guest_claim_link"
        ? String(args.codeNonce)
        : undefined,
  plan: (random, number) => draw(random, number, today),
  play: (asker, plan) => bookByRun(asker, plan, decider),
});

async function bookByRun(asker: Asker, plan: Plan, decider: Decider): Promise<void> {
  const { name, destination, departureDate, passengers, decisions, claim, guestWallet } = plan;
  const budgetUsdc = decisions === undefined ? "900" : "9000";
  const funded = await asker.ask("prefund_trip", { budgetUsdc }, `prefund-${name}`);
  if ("refused" in funded) return;
  const { tripId, guestLink, codeNonce } = funded.result;
  // A repeated answer does not hold what is shown once: then nobody can claim, and there is nothing to run.
  if (!guestLink.includes("#")) return;
  const click = () => asker.ask("guest_claim_link", { guestLink, codeNonce, guestWallet });
  if (claim === "before" || claim === "twice") await click();
  const input = {
    tripId,
    origin: "LHR",
    destination,
    departureDate,
    passengers,
    acceptOverlap: true,
    cabinClass: decisions === undefined ? "economy" : "business",
  };
  const begun = await asker.ask("run_workflow", { workflowId: "service.book_flight", input }, `run-${name}`);
  if (claim === "after" || claim === "twice") await click();
  if ("refused" in begun) return;
  const { runId } = begun.result;
  for (let looks = 0, since: string | undefined; looks < MOST_LOOKS; looks += 1) {
    if (looks === plan.cancelAt) await decider.cancel(runId);
    const known = since === undefined ? {} : { since };
    const read = await asker.ask("read_run", { runId, wait: LOOK_SECONDS, ...known });
    if ("refused" in read || (await isLeft(asker, read.result, plan, decider))) return;
    since = read.result.updatedAt;
    await asker.rest(BETWEEN_LOOKS_MILLISECONDS);
  }
}

/** Does what the pause asks for. True: nobody does anything more about the run. */
async function isLeft(asker: Asker, run: Run, { decisions, claim, number }: Plan, decider: Decider): Promise<boolean> {
  const { status, sessionId, decidedBy, nextStepId } = run;
  if (status === "completed" || status === "failed") return true;
  if (status !== "paused" || sessionId === null) return false;
  if (decidedBy === "person") {
    if (decisions === undefined || decisions.length === 0) return true;
    await decider.decide(sessionId, decisions);
  }
  if (decidedBy === "caller") {
    const isGiven = nextStepId === "travelers" && number % 2 === 0;
    const resolution = isGiven ? { status: "given", customerUserIds: [] } : { status: "cancelled" };
    await asker.ask("resume_run", { sessionId, resolution });
  }
  return decidedBy === "service" && nextStepId === "guest_claim" && claim === "never";
}
