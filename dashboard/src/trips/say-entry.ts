import type { GetTripAnswer } from "../answers.ts";
import { toolName } from "../format.ts";
import { sayWorkflow } from "../runs/run-status.tsx";
import { sayAnswer, sayStep } from "../runs/say-step.ts";
import { sayWait } from "../runs/say-wait.ts";

type Entry = Pick<GetTripAnswer["record"][number], "text" | "details">;

/** An entry of a trip's record for people. The text in the API names tools, steps and codes, with which agents go on. */
export function sayEntry({ text, details }: Entry): string {
  return sayOfRun(text, details) ?? text.replace(CODE_NAME, (_whole, _area, name: string) => `“${toolName(name)}”`);
}

/** "book_flight", "service.book_flight", "require_approval"; not a part of an address, an id or a file's name. */
const CODE_NAME = /(?<![\w./@#-])(?:(service)\.)?([a-z]+(?:_[a-z0-9]+)+)(?![\w/@-]|\.\w)/g;

function sayOfRun(text: string, details: Entry["details"]): string | undefined {
  const { workflowId, state, step, status, decidedBy, code, mails } = details;
  if (typeof workflowId === "string") {
    const run = `The run “${sayWorkflow(workflowId)}”`;
    if (state === undefined) return `${run} began.`;
    return typeof code === "string" ? `${run} failed: ${sayCode(code)}.` : `${run} was completed.`;
  }
  if (typeof step !== "string") return undefined;
  if (typeof decidedBy === "string") {
    const said = sayWait({ nextStepId: step, pauseReason: text.replace(/^Waiting: /, ""), shown: details });
    // The rest says what to do, which is over.
    return `Waiting: ${said.split(/(?<=\.) /)[0]}`;
  }
  if (typeof status === "string") {
    return `${sayAnswer(step, status)}${text.endsWith(", as nobody answered in time.") ? ", as nobody answered in time" : ""}.`;
  }
  if (typeof mails === "number") {
    const told = mails === 0 ? "nobody who can answer has an address" : `${sayPeople(mails)} by email`;
    return `Half of the time for “${sayStep(step)}” has passed: ${told}.`;
  }
  return typeof code === "string" ? `“${sayStep(step)}” failed: ${sayCode(code)}.` : undefined;
}

const sayPeople = (count: number): string =>
  count === 1 ? "one person was reminded" : `${count} people were reminded`;

/** "no_offer_left" is "no offer left". */
const sayCode = (code: string): string => code.replaceAll("_", " ");
