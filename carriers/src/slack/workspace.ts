import { z } from "zod";

export const SlackSetup = z.strictObject({
  teamId: z.string().regex(/^T[0-9A-Z]{6,20}$/),
  name: z.string().max(200),
  botUserId: z.string().regex(/^U[0-9A-Z]{6,20}$/),
  botToken: z.string().min(10),
  appId: z.string().min(1),
  clientId: z.string().min(1),
  clientSecret: z.string().min(10),
  signingSecret: z.string().min(10),
  eventsUrl: z.url(),
  interactionsUrl: z.url(),
});
export type SlackSetup = z.output<typeof SlackSetup>;

export interface SlackMessage {
  readonly ts: string;
  /** Undefined: the app wrote it. */
  readonly userId: string | undefined;
  text: string;
  blocks: unknown;
  metadata: unknown;
  isEdited: boolean;
  /** Set: only this user sees it. */
  readonly onlyFor: string | undefined;
  readonly files: readonly SlackFile[];
}

interface SlackFile {
  readonly id: string;
  readonly name: string;
  content: Buffer | undefined;
}

interface SlackConversation {
  readonly id: string;
  readonly name: string;
  /** The member who talks with the app there; undefined: a channel that everybody sees. */
  readonly memberId: string | undefined;
  readonly messages: SlackMessage[];
}

interface SlackMember {
  readonly id: string;
  readonly name: string;
}

export interface SlackWorkspace {
  setup: SlackSetup;
  isRevoked: boolean;
  readonly members: readonly SlackMember[];
  readonly conversations: readonly SlackConversation[];
  /** Nobody sees them before they are shared. */
  readonly uploads: Map<string, SlackFile>;
  lastTs: number;
}

const MEMBERS = [
  { id: "U0TRAVELER", name: "Tess Traveler" },
  { id: "U0APPROVER", name: "Grace Approver" },
  { id: "U0COLLEAGUE", name: "Colin Colleague" },
] as const;
/** The shared channel of the workspace. */
const SHARED = { id: "C0APPROVALS", name: "#travel-approvals" } as const;
const MOST_MESSAGES = 1_000;

export function createWorkspace(setup: SlackSetup): SlackWorkspace {
  return {
    setup,
    isRevoked: false,
    members: MEMBERS,
    conversations: [
      ...MEMBERS.map(({ id }) => ({ id: `D${id.slice(1)}`, name: "Wayfare", memberId: id, messages: [] })),
      { ...SHARED, memberId: undefined, messages: [] },
    ],
    uploads: new Map(),
    lastTs: 0,
  };
}

/** Slack's ids of messages are times that never repeat in a workspace. */
function nextTs(workspace: SlackWorkspace): string {
  workspace.lastTs = Math.max(workspace.lastTs + 1, Date.now() * 1_000);
  const text = String(workspace.lastTs);
  return `${text.slice(0, -6)}.${text.slice(-6)}`;
}

export function addMessage(
  workspace: SlackWorkspace,
  { messages }: SlackConversation,
  message: Pick<SlackMessage, "userId" | "text" | "blocks" | "metadata" | "onlyFor"> &
    Partial<Pick<SlackMessage, "files">>,
): SlackMessage {
  const stored = { files: [], ...message, ts: nextTs(workspace), isEdited: false };
  messages.push(stored);
  if (messages.length > MOST_MESSAGES) messages.shift();
  return stored;
}

/** By its own id, or by the member with whom it is the direct conversation. */
export function findConversation({ conversations }: SlackWorkspace, id: string): SlackConversation | undefined {
  return conversations.find((one) => one.id === id || one.memberId === id);
}
