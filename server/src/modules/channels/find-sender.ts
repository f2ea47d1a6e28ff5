import type { ChatSender } from "../../ports/chat.ts";
import type { Channel } from "./channels.ts";
import { createMailSender, type MailSenderParts } from "./email/mail-sender.ts";
import { findSystem } from "./installation.ts";

/** Brings the channel's messages to where people read. */
export const findSender = (parts: MailSenderParts, channel: Channel): ChatSender =>
  channel.kind === "email" ? createMailSender(parts, channel) : findSystem(parts, channel.kind);
