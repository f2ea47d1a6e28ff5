import type { Mailer } from "../../../ports/mailer.ts";
import type { Carrier } from "./carrier.ts";

/** Sends through the operator's mail server. The key becomes the `Message-ID`. */
export function createMailCarrier(mailer: Mailer): Carrier {
  return { send: (letter, key) => mailer.send({ ...letter, messageId: key }) };
}
