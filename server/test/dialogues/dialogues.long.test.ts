import { describe, expect, it } from "vitest";
import { openSharedService } from "../support/shared-service.ts";
import type { Dialogue } from "./dialogue.ts";
import { english } from "./english.ts";
import { german } from "./german.ts";
import { type Outcome, runDialogue } from "./run-dialogue.ts";
import { spanish } from "./spanish.ts";
import { strangers } from "./strangers.ts";
import { wholeTrips } from "./whole-trips.ts";

const LEAST_SHARE = 0.9;

const languages: Readonly<Record<string, readonly Dialogue[]>> = { english, german, spanish, strangers, wholeTrips };

/** The dialogue as it went, for whoever looks for the reason. */
const describeOutcome = ({ id, missed, wrongSpends, turns }: Outcome): string =>
  [
    id,
    ...missed,
    ...wrongSpends,
    ...turns.flatMap(({ said, reply, status }) => [`  > ${said}`, `  ${status}: ${reply}`]),
  ].join("\n");

describe.each(Object.keys(languages))("golden dialogues: %s", (language) => {
  const outcomes: Outcome[] = [];

  it.each(languages[language] ?? [])("are spoken: $id", async (dialogue) => {
    await using service = await openSharedService();
    outcomes.push(await runDialogue(service, dialogue));
  });

  it("reach nine of ten goals, and never buy or cancel anything else", () => {
    const failed = outcomes.filter(({ missed, wrongSpends }) => missed.length + wrongSpends.length > 0);
    const report = failed.map(describeOutcome).join("\n\n");
    expect(
      outcomes.flatMap(({ id, wrongSpends }) => wrongSpends.map((one) => `${id}: ${one}`)),
      report,
    ).toEqual([]);
    expect(1 - failed.length / outcomes.length, report).toBeGreaterThanOrEqual(LEAST_SHARE);
  });
});
