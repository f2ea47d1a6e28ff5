export type { Letter } from "./carriers/carrier.ts";
export { composeMail, type MailPart, words } from "./compose-mail.ts";
export type { Delivery } from "./delivery.ts";
export {
  type MessageKind,
  mayBeSent,
  type OutboxPorts,
  outboxUse,
  SIGN_IN_KIND,
  sendMessage,
  sendNow,
  storedWords,
} from "./send-message.ts";
export { readSentMail } from "./sent-mail.ts";
