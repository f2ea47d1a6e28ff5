import { z } from "zod";
import { StepFailure } from "../kernel/contracts/workflow.ts";
import type { Answer, Steps } from "./tools.ts";

const Overlap = z.object({ status: z.enum(["go_on", "stop"]) });

/** As both workflows describe it. */
export const overlapStep = {
  id: "overlap",
  description:
    "Whether to book although a traveler already has an order for the same time; shown names it. stop ends the run before anything is bought.",
  resolvedBy: "caller",
  resolution: Overlap,
} as const;

export const AcceptOverlap = z
  .boolean()
  .default(false)
  .describe("true: book without asking even if a traveler already has an order for the same time");

const OVERLAP_HOURS = 72;

/** The orders with which a run's booking may overlap. */
export class Overlaps {
  readonly #steps: Steps;
  readonly #isAccepted: boolean;
  readonly #known = new Set<string>();

  constructor(steps: Steps, { isAccepted }: { isAccepted: boolean }) {
    this.#steps = steps;
    this.#isAccepted = isAccepted;
  }

  /** For an order that the run itself has made, such as a hold. */
  ignore(orderId: string): void {
    this.#known.add(orderId);
  }

  /** Asks about each order once, before anything is bought. Throws if the answer is to stop. */
  async confirm(
    { overlappingOrderIds, warnings }: Pick<Answer<"preview_call">, "overlappingOrderIds" | "warnings">,
    { isReserved }: { isReserved: boolean },
  ): Promise<void> {
    const asked = overlappingOrderIds.filter((orderId) => !this.#known.has(orderId));
    if (this.#isAccepted || asked.length === 0) return;
    const said = warnings.filter((warning) => asked.some((orderId) => warning.includes(orderId)));
    const { status } = await this.#steps.pause({
      step: overlapStep.id,
      reason: `${said.join(" ")} Nothing has been bought yet. Answer with go_on to book as well, or with stop to end the run.`,
      resolution: Overlap,
      by: "caller",
      shown: { orderIds: asked },
      timeoutHours: OVERLAP_HOURS,
      onTimeout: { status: "stop" },
      needsOpenTrip: !isReserved,
    });
    if (status === "stop") {
      throw new StepFailure(
        "overlap_not_accepted",
        `Nothing was bought, because a traveler already has an order for the same time: ${asked.join(", ")}.`,
      );
    }
    for (const orderId of asked) this.#known.add(orderId);
  }
}
