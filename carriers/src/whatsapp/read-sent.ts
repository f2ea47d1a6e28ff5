import { z } from "zod";
import type { WhatsAppMessage, WhatsAppSetup } from "./account.ts";

const Reply = z.object({ id: z.string().min(1).max(256), title: z.string().min(1).max(20) });
const Row = z.object({
  id: z.string().min(1).max(200),
  title: z.string().min(1).max(24),
  description: z.string().max(72).optional(),
});
const Interactive = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("button"),
    body: z.object({ text: z.string().min(1).max(1_024) }),
    action: z.object({
      buttons: z
        .array(z.object({ type: z.literal("reply"), reply: Reply }))
        .min(1)
        .max(3),
    }),
  }),
  z.object({
    type: z.literal("list"),
    body: z.object({ text: z.string().min(1).max(4_096) }),
    action: z.object({
      button: z.string().min(1).max(20),
      sections: z.array(z.object({ rows: z.array(Row).min(1) })).min(1),
    }),
  }),
]);
/** Without line breaks, tabs and more than four blanks in a row. */
const Parameter = z.object({
  type: z.literal("text"),
  text: z
    .string()
    .min(1)
    .max(1_024)
    .regex(/^(?!.*(?:[\n\t]| {5}))/s),
});
const Component = z.discriminatedUnion("type", [
  z.object({ type: z.literal("body"), parameters: z.array(Parameter) }),
  z.object({
    type: z.literal("button"),
    sub_type: z.enum(["url", "quick_reply"]),
    index: z.string(),
    parameters: z.array(z.union([Parameter, z.object({ type: z.literal("payload"), payload: z.string().max(256) })])),
  }),
]);
const Common = {
  messaging_product: z.literal("whatsapp"),
  recipient_type: z.literal("individual").optional(),
  to: z.string().optional(),
  recipient: z.string().optional(),
  biz_opaque_callback_data: z.string().max(512).optional(),
};
const Sent = z.discriminatedUnion("type", [
  z.object({ ...Common, type: z.literal("text"), text: z.object({ body: z.string().min(1).max(4_096) }) }),
  z.object({ ...Common, type: z.literal("interactive"), interactive: Interactive }),
  z.object({
    ...Common,
    type: z.literal("document"),
    document: z.object({
      id: z.string(),
      filename: z.string().max(240).optional(),
      caption: z.string().max(1_024).optional(),
    }),
  }),
  z.object({
    ...Common,
    type: z.literal("template"),
    template: z.object({
      name: z.string(),
      language: z.object({ code: z.string() }),
      components: z.array(Component),
    }),
  }),
]);

/** A one-time code is short; a link never fits. */
const LONGEST_CODE = 15;

export type ReadSent =
  | { code: number; message: string }
  | (Pick<WhatsAppMessage, "text" | "buttons" | "type" | "ref" | "file"> & {
      to: string | undefined;
      recipient: string | undefined;
      isTemplate: boolean;
      isCode: boolean;
    });

/** A body of `POST /messages` as it would look to whoever gets it, or Meta's refusal. */
export function readSent({ templates }: WhatsAppSetup, body: unknown): ReadSent {
  const read = Sent.safeParse(body);
  if (!read.success) return { code: 131_009, message: `Parameter value is not valid: ${z.prettifyError(read.error)}` };
  const { data: sent } = read;
  const { to, recipient, biz_opaque_callback_data: ref } = sent;
  const common = { to, recipient, ref, isTemplate: false, isCode: false };
  if (sent.type === "text") return { ...common, type: "text", text: sent.text.body, buttons: [] };
  if (sent.type === "document") {
    const { id, filename = "document", caption = "" } = sent.document;
    return { ...common, type: "document", text: caption, buttons: [], file: { id, name: filename } };
  }
  if (sent.type === "interactive") {
    const { interactive } = sent;
    const buttons =
      interactive.type === "button"
        ? interactive.action.buttons.map(({ reply }) => ({ value: reply.id, label: reply.title }))
        : interactive.action.sections.flatMap(({ rows }) =>
            rows.map(({ id, title, description }) => ({ value: id, label: description ?? title })),
          );
    if (buttons.length > 10) return { code: 131_009, message: "a list has at most ten rows" };
    return { ...common, type: interactive.type, text: interactive.body.text, buttons };
  }
  return readTemplate(templates, sent.template, common);
}

const TEXTS = {
  update: (gap: string) => `News about your trip: ${gap} Answer here to go on.`,
  approval: (gap: string) => `A trip needs your decision: ${gap} Choose below.`,
  claimLink: (gap: string) => `You are invited to a trip. Open this link to accept: ${gap} It is meant for you alone.`,
  claimCode: (gap: string) => `${gap} is your verification code. For your security, do not share this code.`,
} as const;

function readTemplate(
  { language, ...names }: WhatsAppSetup["templates"],
  template: Extract<z.output<typeof Sent>, { type: "template" }>["template"],
  common: Pick<Exclude<ReadSent, { code: number }>, "to" | "recipient" | "ref" | "isTemplate" | "isCode">,
): ReadSent {
  const keys = ["update", "approval", "claimLink", "claimCode"] as const;
  const key = keys.find((one) => names[one] === template.name);
  if (key === undefined || template.language.code !== language)
    return { code: 132_001, message: "Template name does not exist in the translation" };
  const parameters = template.components.flatMap((one) => (one.type === "body" ? one.parameters : []));
  const [gap] = parameters;
  if (gap === undefined || parameters.length > 1)
    return { code: 132_000, message: "Number of parameters does not match the expected number of params" };
  const isCode = key === "claimCode";
  if (isCode && gap.text.length > LONGEST_CODE) return { code: 132_018, message: "the code is too long" };
  const payloads = template.components.flatMap((one) =>
    one.type === "button" ? one.parameters.flatMap((given) => (given.type === "payload" ? [given.payload] : [])) : [],
  );
  if (payloads.length !== (key === "approval" ? 2 : 0)) return { code: 132_000, message: "the buttons do not match" };
  const buttons = payloads.map((value, index) => ({ value, label: index === 0 ? "Approve" : "Reject" }));
  return { ...common, type: template.name, text: TEXTS[key](gap.text), buttons, isTemplate: true, isCode };
}
