export type Args = Readonly<Record<string, unknown>>;

const STORED = "wayfare drafts";

/** Keeps a form while another tool is looked at. */
const drafts = new Map<string, Args>(readStored());

export const readDraft = (tool: string): Args => drafts.get(tool) ?? {};

export function writeDraft(tool: string, args: Args): void {
  drafts.set(tool, args);
}

/** A sign-in loads the page again. The forms may name people, so they are stored for this tab and this one way back. */
export function keepDrafts(): void {
  sessionStorage.setItem(STORED, JSON.stringify([...drafts]));
}

function readStored(): [string, Args][] {
  const stored = sessionStorage.getItem(STORED);
  sessionStorage.removeItem(STORED);
  return stored === null ? [] : JSON.parse(stored);
}
