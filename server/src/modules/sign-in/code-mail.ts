import { SIGN_IN_PATH } from "../../domain/page-paths.ts";
import type { PersonOfTenant } from "../identity/index.ts";
import { composeMail, SIGN_IN_KIND, sendNow, storedWords, words } from "../outbox/index.ts";
import type { Parts } from "./context.ts";

/** Mails a code to a person, or throws; the outbox tries again what the mail server does not take. */
export function codeMailer(parts: Pick<Parts, "stores" | "clock" | "delivery" | "urls">) {
  return async (
    { tenantId, environment, id, name, email }: PersonOfTenant,
    code: string,
    codeId: string,
    expiresAt: Temporal.Instant,
  ): Promise<void> => {
    const shown = `${code.slice(0, 4)} ${code.slice(4)}`;
    const letter = composeMail({
      to: { address: email },
      subject: "Your code to sign in to Wayfare",
      language: "en",
      parts: [
        words(`Hello ${name}. Your code is ${shown}.`),
        words(
          `Enter it on the page where you asked for it, ${new URL(parts.urls.app).host}${SIGN_IN_PATH}. It works for ten minutes, once.`,
        ),
        words("If you did not ask for a code, you need not do anything. Never tell the code to anybody."),
      ],
    });
    const message = await parts.stores.messages.insert({
      tenantId,
      environment,
      userId: id,
      kind: SIGN_IN_KIND,
      about: [codeId, expiresAt.toString()],
      carrier: "mail",
      letter,
      expiresAt,
    });
    if (message !== undefined) await sendNow(parts, storedWords(parts), message);
  };
}
