import { z } from "zod";
import type { Asker } from "../intents.ts";
import type { Random } from "../random.ts";
import type { Sequences } from "../sequence-storm.ts";

const Trip = z.object({ tripId: z.string(), codeNonce: z.string(), guestLink: z.string() });
const Run = z.object({
  runId: z.string(),
  status: z.string(),
  sessionId: z.string().nullable(),
  decidedBy: z.string().nullable(),
});

const DESTINATIONS = ["CDG", "AMS", "FCO", "MAD"] as const;
const DAYS_AHEAD = 60;
/** A run that still moves after so many looks is left to the end of the whole run. */
const MOST_LOOKS = 30;
const BETWEEN_LOOKS_MILLISECONDS = 1_000;

export interface Plan {
  random: Random;
  number: number;
  departureDate: string;
}

/** Trips that are funded, claimed before or after their run begins, run, and read until the run has ended. */
export const bookings = (today: Temporal.PlainDate): Sequences<Plan> => ({
  perRound: 24,
  workers: 8,
  subjectOf: ({ tool, args, key }) =>
    tool === "prefund_trip" || tool === "run_workflow"
      ? key
      : tool === "guest_claim_link"
        ? String(args.codeNonce)
        : undefined,
  plan: (random, number) => ({
    ...{ random, number },
    departureDate: today.add({ days: DAYS_AHEAD + random.between(0, 30) }).toString(),
  }),
  play: bookByRun,
});

async function bookByRun(asker: Asker, { random, number, departureDate }: Plan): Promise<void> {
  const name = `${number}-${random.between(0, 2 ** 30)}`;
  const funded = await asker.ask(Trip, "prefund_trip", { budgetUsdc: "900" }, `prefund-${name}`);
  if ("refused" in funded) return;
  const { tripId, guestLink, codeNonce } = funded.result;
  // A repeated answer does not hold what is shown once: then nobody can claim, and there is nothing to run.
  if (!guestLink.includes("#")) return;
  const guestWallet = `0x${Array.from({ length: 20 }, () => random.between(1, 255).toString(16).padStart(2, "0")).join("")}`;
  const claim = () => asker.ask(z.unknown(), "guest_claim_link", { guestLink, codeNonce, guestWallet });
  const isClaimedFirst = random.chance(0.7);
  if (isClaimedFirst) await claim();
  const input = { tripId, origin: "LHR", destination: random.pick(DESTINATIONS), departureDate };
  const asked = { workflowId: "service.book_flight", input };
  const begun = await asker.ask(Run, "run_workflow", asked, `run-${name}`);
  if (!isClaimedFirst) await claim();
  if ("refused" in begun) return;
  for (let looks = 0; looks < MOST_LOOKS; looks += 1) {
    const read = await asker.ask(Run, "read_run", { runId: begun.result.runId });
    if ("refused" in read) return;
    const { status, sessionId, decidedBy } = read.result;
    if (status === "completed" || status === "failed") return;
    if (status === "paused" && decidedBy === "caller" && sessionId !== null) {
      await asker.ask(Run, "resume_run", { sessionId, resolution: { status: "cancelled" } });
    }
    await asker.rest(BETWEEN_LOOKS_MILLISECONDS);
  }
}
