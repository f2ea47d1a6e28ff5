import type { ChatMessage, ChatSending, ChatTemplate } from "../../ports/chat.ts";

/** Limits of the Cloud API. */
const LONGEST_TEXT = 4_096;
const LONGEST_WITH_BUTTONS = 1_024;
const LONGEST_CAPTION = 1_024;
const MOST_BUTTONS = 3;
const LONGEST_BUTTON = 20;
const MOST_ROWS = 10;
const LONGEST_ROW = 24;
const LONGEST_ROW_DESCRIPTION = 72;
const LONGEST_PARAMETER = 900;
const OPENS_LIST = "Choose";

const PHONE = /^\d{5,20}$/;

/** A body for `POST /{phone number id}/messages`. Our own id of it comes back in the statuses. */
export function composeForWhatsApp({ to, ref, message, document, template }: ChatSending, mediaId?: string) {
  return {
    messaging_product: "whatsapp",
    recipient_type: "individual",
    // A business-scoped id in `to` would be taken for a phone number, accepted, and lost.
    ...(PHONE.test(to) ? { to } : { recipient: to }),
    biz_opaque_callback_data: ref,
    ...(template !== undefined
      ? composeTemplate(template, message)
      : mediaId === undefined
        ? composeFree(message)
        : composeDocument(message, mediaId, document?.fileName)),
  };
}

function composeDocument({ text }: ChatMessage, id: string, filename: string | undefined) {
  return { type: "document", document: { id, filename, caption: cut(text, LONGEST_CAPTION) } };
}

function composeFree({ text, buttons }: ChatMessage) {
  const shown = cut(text, LONGEST_TEXT);
  if (buttons.length === 0) return { type: "text", text: { preview_url: false, body: shown } };
  const fits = ({ label }: ChatMessage["buttons"][number]) => label.length <= LONGEST_BUTTON;
  if (text.length <= LONGEST_WITH_BUTTONS && buttons.length <= MOST_BUTTONS && buttons.every(fits)) {
    const shownButtons = buttons.map(({ value, label }) => ({ type: "reply", reply: { id: value, title: label } }));
    return { type: "interactive", interactive: { type: "button", body: { text }, action: { buttons: shownButtons } } };
  }
  const rows = buttons.slice(0, MOST_ROWS).map(({ value, label }) => ({
    id: value,
    title: cut(label, LONGEST_ROW),
    ...(label.length <= LONGEST_ROW ? {} : { description: cut(label, LONGEST_ROW_DESCRIPTION) }),
  }));
  const action = { button: OPENS_LIST, sections: [{ rows }] };
  return { type: "interactive", interactive: { type: "list", body: { text: shown }, action } };
}

function composeTemplate({ name, language, parameter, shape }: ChatTemplate, { buttons }: ChatMessage) {
  const text = { type: "text", text: flatten(parameter) };
  const body = { type: "body", parameters: [text] };
  const further =
    shape === "code"
      ? [{ type: "button", sub_type: "url", index: "0", parameters: [text] }]
      : shape === "buttons"
        ? buttons.map(({ value }, index) => ({
            type: "button",
            sub_type: "quick_reply",
            index: String(index),
            parameters: [{ type: "payload", payload: value }],
          }))
        : [];
  return {
    type: "template",
    template: { name, language: { code: language, policy: "deterministic" }, components: [body, ...further] },
  };
}

/** A parameter has no line breaks, no tabs, and no rows of blanks. */
function flatten(text: string): string {
  return cut(
    text
      .split(/\s*\n\s*/)
      .filter((line) => line !== "")
      .join(" · ")
      .replaceAll(/\s+/g, " "),
    LONGEST_PARAMETER,
  );
}

function cut(text: string, longest: number): string {
  return text.length <= longest ? text : `${text.slice(0, longest - 1)}…`;
}
