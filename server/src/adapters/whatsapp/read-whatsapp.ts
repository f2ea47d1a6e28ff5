import { z } from "zod";
import type { ChatEvent } from "../../ports/chat.ts";

/** Ids of Meta are short; a longer one is none. */
const Id = z.string().min(1).max(200);
const Text = z.looseObject({ body: z.string().max(20_000) });
const Reply = z.looseObject({ id: z.string().max(300) });
const Media = z.looseObject({
  id: Id,
  mime_type: z.string().max(200).default(""),
  filename: z.string().max(300).optional(),
  caption: z.string().max(5_000).optional(),
});
const Message = z.looseObject({
  id: Id,
  // People may hide their phone number.
  from: Id.optional(),
  from_user_id: Id.optional(),
  timestamp: z.coerce.number().int().min(0),
  type: z.string(),
  group_id: Id.optional(),
  text: Text.optional(),
  interactive: z.looseObject({ button_reply: Reply.optional(), list_reply: Reply.optional() }).optional(),
  button: z.looseObject({ payload: z.string().max(300).optional(), text: z.string().max(300).optional() }).optional(),
  image: Media.optional(),
  document: Media.optional(),
  system: z
    .looseObject({
      type: z.string(),
      wa_id: Id.optional(),
      user_id: Id.optional(),
      previous_user_id: Id.optional(),
    })
    .optional(),
});
const Status = z.looseObject({
  id: Id,
  status: z.string(),
  timestamp: z.coerce.number().int().min(0),
  biz_opaque_callback_data: z.string().max(512).optional(),
  errors: z.array(z.looseObject({ code: z.number(), title: z.string().max(300).default("") })).optional(),
});
const Value = z.looseObject({
  metadata: z.looseObject({ phone_number_id: Id }),
  contacts: z
    .array(z.looseObject({ wa_id: Id.optional(), user_id: Id.optional() }))
    .max(1_000)
    .default([]),
  messages: z.array(z.unknown()).max(1_000).default([]),
  statuses: z.array(z.unknown()).max(1_000).default([]),
});
const Body = z.looseObject({
  object: z.literal("whatsapp_business_account"),
  entry: z
    .array(z.looseObject({ changes: z.array(z.looseObject({ field: z.string(), value: z.unknown() })).max(1_000) }))
    .max(1_000),
});

type Message = z.output<typeof Message>;
type Value = z.output<typeof Value>;

const STATUSES = ["sent", "delivered", "read", "failed"] as const;
/** Only a template may be sent to this person now. */
const WINDOW_CLOSED = new Set([131_047, 470]);

/** Each part is read by itself: one that we do not understand hides none of the others. */
function readValues(text: string): readonly Value[] {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return [];
  }
  const read = Body.safeParse(body).data;
  const changes = read?.entry.flatMap((entry) => entry.changes) ?? [];
  return changes.flatMap(({ field, value }) => {
    const known = field === "messages" ? Value.safeParse(value).data : undefined;
    return known === undefined ? [] : [known];
  });
}

export function readWhatsAppAccounts(text: string): readonly string[] {
  return [...new Set(readValues(text).map(({ metadata }) => metadata.phone_number_id))];
}

export function readWhatsAppEvents(text: string, accountId: string): readonly ChatEvent[] {
  return readValues(text)
    .filter(({ metadata }) => metadata.phone_number_id === accountId)
    .flatMap((value) => [
      ...value.messages.flatMap((one) => {
        const message = Message.safeParse(one).data;
        return message === undefined ? [] : (readMessage(message, value) ?? []);
      }),
      ...value.statuses.flatMap((one) => {
        const status = Status.safeParse(one).data;
        return status === undefined ? [] : (readStatus(status) ?? []);
      }),
    ]);
}

function readMessage(message: Message, { contacts }: Value): ChatEvent | readonly ChatEvent[] | undefined {
  const { id, timestamp, type, system } = message;
  if (type === "system") return system === undefined ? undefined : readChange(message, system);
  const [only] = contacts.length === 1 ? contacts : [];
  const phone = message.from ?? only?.wa_id;
  const from = message.from_user_id ?? only?.user_id ?? phone;
  if (from === undefined) return undefined;
  const common = { id, atSeconds: timestamp, from, address: from, ...(phone === undefined ? {} : { phone }) };
  const value = readPress(message);
  if (value !== undefined) return { ...common, type: "press", value };
  const media = message.document ?? message.image;
  const isDirect = message.group_id === undefined;
  return {
    ...common,
    type: "message",
    text: message.text?.body ?? media?.caption ?? "",
    isDirect,
    ...(media === undefined
      ? {}
      : { media: { id: media.id, contentType: media.mime_type, fileName: media.filename ?? "" } }),
  };
}

/** A button of ours in a message, a row of a list, or a button of a template. */
function readPress({ interactive, button }: Message): string | undefined {
  return interactive?.button_reply?.id ?? interactive?.list_reply?.id ?? button?.payload;
}

/** Somebody's id changed, with the phone number or without. */
function readChange(
  { id, from, from_user_id, timestamp: atSeconds }: Message,
  { type, wa_id: phone, user_id, previous_user_id }: NonNullable<Message["system"]>,
): readonly ChatEvent[] {
  if (type !== "user_changed_number" && type !== "user_changed_user_id") return [];
  const after = user_id ?? phone;
  if (after === undefined) return [];
  // Whoever wrote before there were ids is known by phone number.
  const before = new Set([previous_user_id ?? from_user_id, from].filter((one) => one !== undefined && one !== after));
  return [...before].flatMap((former, index) =>
    former === undefined
      ? []
      : [
          {
            id: index === 0 ? id : `${id}.number`,
            atSeconds,
            type: "renamed" as const,
            from: former,
            to: after,
            ...(phone === undefined ? {} : { phone }),
          },
        ],
  );
}

function readStatus({
  id,
  status,
  timestamp: atSeconds,
  errors,
  biz_opaque_callback_data: ref,
}: z.output<typeof Status>): ChatEvent | undefined {
  const known = STATUSES.find((one) => one === status);
  if (known === undefined) return undefined;
  const [error] = errors ?? [];
  return {
    // A status has no id of its own.
    id: `${id}.${known}`,
    type: "status",
    messageId: id,
    ...(ref === undefined ? {} : { ref }),
    status: known,
    atSeconds,
    isWindowClosed: known === "failed" && error !== undefined && WINDOW_CLOSED.has(error.code),
    ...(error === undefined ? {} : { problem: `${error.code}: ${error.title}` }),
  };
}
