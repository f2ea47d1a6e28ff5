import type { CommonParts } from "../../../kernel/contracts/parts.ts";
import type { Carrier } from "./carrier.ts";

/** Sends through the operator's mail server. The key becomes the `Message-ID`. Undefined: there is no mail server. */
export function openMailCarrier({ mailer }: Pick<CommonParts, "mailer">): Carrier | undefined {
  if (mailer === undefined) return undefined;
  return {
    send: (letter, key) => mailer.send({ ...letter, messageId: key }),
    close: () => mailer.close(),
  };
}
