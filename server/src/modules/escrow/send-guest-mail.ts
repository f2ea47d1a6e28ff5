import type { EffectUse } from "../../kernel/effect-use.ts";
import type { Mailer } from "../../ports/mailer.ts";
import { defineEffectUse } from "../effects/index.ts";
import type { Aggregates } from "./context.ts";
import { type GuestMailPorts, type GuestMailRecord, guestMailEffect, guestMailStore } from "./guest-mail.ts";

/** For the reconciler: mails to guests that a crash or a mail server left unsent. */
export function guestMailUse(ports: GuestMailPorts & { mailer: Mailer }): EffectUse {
  const { stores, clock } = ports;
  const definition = guestMailEffect(ports);
  return defineEffectUse<GuestMailRecord, Aggregates>({
    ...{ name: "guest_mail", stores, clock },
    store: ({ guestMails }) => guestMailStore(guestMails, clock),
    definitionFor: () => definition,
  });
}
