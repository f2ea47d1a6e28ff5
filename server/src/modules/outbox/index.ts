export { composeMail, type MailPart, words } from "./compose-mail.ts";
export { type Mailing, openMailing } from "./mailing.ts";
export { mayBeSent, sendMessage, sendStored, storeMessage } from "./send-message.ts";
