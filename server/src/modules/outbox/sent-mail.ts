/** A mail as its Message-ID names it. */
export type SentMail = { readonly id: string } | { readonly kind: string; readonly recordId: string };

const GUEST_MAIL = "guest_mail";

/** Undefined: it is none of ours. The reverse of the keys of messages (`MessageKind.key`). */
export function readSentMail(messageId: string): SentMail | undefined {
  const [, kind = "", name = ""] =
    /^<(message|pause-reminder|guest-mail)\.([^@<>\s]{1,80})@[^@<>\s]+>$/.exec(messageId) ?? [];
  const [id] = /[0-9A-Z]{26}$/.exec(name.toUpperCase()) ?? [];
  if (kind === "guest-mail") return { kind: GUEST_MAIL, recordId: name };
  return kind === "" || id === undefined ? undefined : { id: `msg_${id}` };
}
