import { z } from "zod";
import { definePublicRoute } from "../../../kernel/contracts/route.ts";
import type { Environment } from "../../../ports/identity.ts";
import type { PressedButton } from "../channels.ts";
import type { HandlingParts } from "../handling/handling.ts";
import { sayInName } from "../handling/say-in-name.ts";

const TAG = "channels";
const OVER = "The question is not open any more, or the link is not complete.";
const ENVIRONMENTS: readonly Environment[] = ["sandbox", "production"];

const Token = z.strictObject({ token: z.string().min(20).max(100).describe("The part of a mail's link after #") });
const example = { token: "k3m9q9xt7k3m9q9xt7k3m9q9xt7k3m9q" };

const viewAnswer = definePublicRoute({
  id: "view_channel_answer",
  method: "POST",
  path: "/api/channel-answers/view",
  tag: TAG,
  summary: "Read a question that was mailed",
  description: "For the page behind a mail's link: what was asked, and the answer that the link gives.",
  limitByAddress: "refusals",
  body: Token,
  answers: { 200: { description: "The question.", schema: z.object({ question: z.string(), answer: z.string() }) } },
  errors: { not_found: OVER, rate_limited: "Too many links that do not work." },
  example: { body: example, answer: { question: "Book this flight for 412.50 USD?", answer: "Yes" } },
  async run({ body: { token }, fail }, parts: HandlingParts) {
    const open = await findOpen(parts, token);
    if (open === undefined) throw fail("not_found");
    return await open.read();
  },
});

const giveAnswer = definePublicRoute({
  id: "give_channel_answer",
  method: "POST",
  path: "/api/channel-answers",
  tag: TAG,
  summary: "Answer a question that was mailed",
  description:
    "A mail carries no decision, but a link to a page whose button calls this. It counts once, for the person to whom the question was mailed, as long as nothing else was said since.",
  limitByAddress: "refusals",
  body: Token,
  answers: {
    200: { description: "It is said in the person's name.", schema: z.object({ answered: z.literal(true) }) },
  },
  errors: { not_found: OVER, rate_limited: "Too many links that do not work." },
  example: { body: example, answer: { answered: true } },
  async run({ body: { token }, fail }, parts: HandlingParts) {
    const open = await findOpen(parts, token);
    if (open === undefined) throw fail("not_found");
    await open.answer();
    return { answered: true } as const;
  },
});

export const answerRoutes = [viewAnswer, giveAnswer];

/** Undefined: the link is none, or its question is over. */
async function findOpen(parts: HandlingParts, token: string) {
  const { stores, conversations } = parts;
  const button = await findButton(parts, token);
  if (button?.meaning.means !== "say") return undefined;
  const { said } = button.meaning;
  const channel = await stores.channels.open(button.channelId);
  if (channel?.kind !== "email" || channel.state !== "on") return undefined;
  const person = await stores.channelPeople.find(channel.id, button.address);
  const thread = await stores.emailThreads.find(channel.id, button.about);
  if (person?.userId === undefined || thread?.conversationId === undefined) return undefined;
  const owner = { tenantId: channel.tenantId, environment: channel.environment, ownerId: person.userId };
  const { conversationId } = thread;
  const found = await conversations.read(owner, conversationId);
  if (found?.turns.at(-1)?.turnId !== button.about) return undefined;
  return {
    read: async () => {
      const { text, buttons } = await stores.channelMessages.readContent(button.id);
      return { question: text, answer: buttons.find(({ value }) => value === token)?.label ?? said };
    },
    async answer() {
      const id = `answer:${button.about}`;
      await stores.emailThreads.open(channel, id, button.address, {
        references: thread.references,
        subject: thread.subject,
      });
      await sayInName(
        parts,
        channel,
        { ...person, conversationId },
        {
          ...{ id, address: button.address, text: said, saidIn: "web" },
          began: (turn) => stores.emailThreads.began(channel, id, turn),
        },
      );
    },
  };
}

async function findButton({ stores }: HandlingParts, token: string): Promise<PressedButton | undefined> {
  for (const environment of ENVIRONMENTS) {
    const button = await stores.channelMessages.findButton(environment, token);
    if (button !== undefined) return button;
  }
  return undefined;
}
