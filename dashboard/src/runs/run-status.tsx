import type { ReadWorkflowRunAnswer } from "../answers.ts";
import { Status } from "../parts/states.tsx";

const KINDS = { running: "money", paused: "wait", completed: "done", failed: "fail" } as const;
const WORDS = { running: "Running", paused: "Paused", completed: "Completed", failed: "Failed" } as const;

/** List and detail say the same of a run. */
export function RunStatus({ status }: { status: ReadWorkflowRunAnswer["status"] }) {
  return <Status kind={KINDS[status]}>{WORDS[status]}</Status>;
}

/** "service.book_flight" is "Book flight". */
export function sayWorkflow(id: string): string {
  const words = id.slice(id.indexOf(".") + 1).replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
