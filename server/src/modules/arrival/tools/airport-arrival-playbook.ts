import { z } from "zod";
import type { Words } from "../../../domain/texts.ts";
import { toVisibleText } from "../../../domain/visible-text.ts";
import { ArrivalAnswer, arrivalErrors } from "../arrival-answer.ts";
import { arrivalFields, checkAirportPosition, WayMode } from "../arrival-input.ts";
import { defineTool } from "../context.ts";
import {
  type ArrivalPlan,
  arrivalCard,
  listAttribution,
  listNotes,
  sayDecision,
  sayDuration,
  sayExit,
  saySafety,
  sayWay,
} from "../plan-arrival.ts";
import { planAskedArrival } from "../plan-asked-arrival.ts";
import { playbookTexts } from "../playbook-texts.ts";
import { tripTexts } from "../trip-texts.ts";

const LONGEST_TEXT = 100;

const Step = z.object({
  kind: z.enum(["before_landing", "border", "bags", "arrivals_hall", "way", "destination"]),
  title: z.string(),
  lines: z.array(z.string()).describe("Names in them are third-party text"),
});

export const airportArrivalPlaybook = defineTool({
  name: "airport_arrival_playbook",
  title: "Write an arrival playbook",
  summary: "Write the steps from aircraft seat to hotel door, with times, map and directions.",
  area: "trip",
  effect: "read",
  price: 3_000n,
  payableWithoutKey: true,
  uses: ["maps", "ways", "mapTiles", "mapRenderer", "fileShelf", "stores", "clock"],
  input: z
    .strictObject({
      ...arrivalFields,
      travelerName: z.string().optional(),
      flightNumber: z.string().optional(),
      pnr: z.string().optional(),
      mode: WayMode.default("driving"),
    })
    .superRefine(checkAirportPosition),
  output: ArrivalAnswer.extend({ steps: z.array(Step) }),
  errors: arrivalErrors,
  example: (today) => ({
    airport: "NRT",
    destinationAddress: "Shinjuku, Tokyo",
    arrivalTimeIso: `${today.add({ days: 60 })}T07:30:00Z`,
    flightNumber: "JL44",
    pnr: "RZPNX8",
    travelerName: "Ada Lovelace",
    mode: "transit" as const,
  }),

  async run(input, { caller, call, fail, ...ports }) {
    const { signal } = call;
    const { plan, words, provenance } = await planAskedArrival(input, ports, { caller, signal, fail });
    const { answer } = plan;
    const steps = listSteps(plan, input, words);
    // The deciding facts and the duration of the way head the card; the steps follow in the order of time.
    const decision = sayDecision(plan, words);
    const duration = sayDuration(plan, words);
    const head = [
      ...decision,
      ...sayExit(plan, words),
      ...(duration === undefined ? [] : [`${playbookTexts(words)("onward")}: ${duration}`]),
    ];
    const lines = steps.map(({ title, lines: said }) => {
      const others = said.filter((line) => !decision.includes(line) && line !== duration);
      return `${title}: ${others.join(". ")}`;
    });
    return {
      ...answer,
      steps,
      card: arrivalCard(plan, [head.join(" · "), ...lines], words),
      notes: listNotes(plan),
      language: words.answer,
      ...provenance,
      attribution: listAttribution(plan, provenance.attribution),
    };
  },
});

interface Traveler {
  travelerName?: string | undefined;
  flightNumber?: string | undefined;
  pnr?: string | undefined;
}

function listSteps(
  plan: ArrivalPlan,
  { travelerName, flightNumber, pnr }: Traveler,
  words: Words,
): z.output<typeof Step>[] {
  const say = playbookTexts(words);
  const sayTrip = tripTexts(words);
  const [name, flight, reference] = [travelerName, flightNumber, pnr].map((text) =>
    toVisibleText(text ?? "", LONGEST_TEXT),
  );
  const safety = saySafety(plan, words);
  return [
    {
      kind: "before_landing",
      title: say("before"),
      lines: [...(name ? [sayTrip("traveler", { name })] : []), say("beforeText")],
    },
    { kind: "border", title: say("border"), lines: [say("borderText")] },
    {
      kind: "bags",
      title: say("bags"),
      lines: [
        ...(flight ? [say("flight", { flight })] : []),
        ...(reference ? [sayTrip("bookingReference", { pnr: reference })] : []),
        say("bagsText"),
      ],
    },
    { kind: "arrivals_hall", title: say("hall"), lines: sayExit(plan, words) },
    { kind: "way", title: say("onward"), lines: [...sayDecision(plan, words), ...sayWay(plan, words), ...safety] },
    { kind: "destination", title: say("door"), lines: [plan.answer.destination.label, say("doorText")] },
  ];
}
