import { toVisibleText } from "../../domain/visible-text.ts";
import type { Environment } from "../../ports/identity.ts";
import type { Person } from "../identity/index.ts";
import { composeMail, SIGN_IN_KIND, sendNow, storedWords, words } from "../outbox/index.ts";
import type { Parts } from "./context.ts";

const LIFE_HOURS = 7 * 24;
const LONGEST_NAME = 100;

type InvitationParts = Pick<Parts, "stores" | "clock" | "delivery" | "urls" | "signInLinks">;

interface Invited {
  expiresAt: Temporal.Instant;
  /** Undefined: it is on its way to the person, and nobody else sees it. */
  url: string | undefined;
}

/** Invites members: a link that works once, within a week. */
export class Invitations {
  readonly #parts: InvitationParts;

  constructor(parts: InvitationParts) {
    this.#parts = parts;
  }

  /** A new link; earlier ones end. With a mail server it is mailed, and so it proves the address. */
  async invite(
    owner: { tenantId: string; environment: Environment },
    person: Person,
    { by, tenantName }: { by: string; tenantName: string },
  ): Promise<Invited> {
    const { signInLinks, clock, urls, delivery } = this.#parts;
    const isMailed = delivery.carriers.has("mail");
    const link = { kind: "invitation", provesAddress: isMailed, lifeHours: LIFE_HOURS } as const;
    const path = await signInLinks.create({ ...owner, personId: person.id }, link);
    const expiresAt = clock.now().add({ hours: LIFE_HOURS });
    const url = `${urls.app}${path}`;
    if (!isMailed) return { expiresAt, url };
    await this.#mail(owner, person, { url, by, tenantName, expiresAt });
    return { expiresAt, url: undefined };
  }

  async #mail(
    { tenantId, environment }: { tenantId: string; environment: Environment },
    { id, name, email, roles }: Person,
    { url, by, tenantName, expiresAt }: { url: string; by: string; tenantName: string; expiresAt: Temporal.Instant },
  ): Promise<void> {
    const tenant = toVisibleText(tenantName, LONGEST_NAME);
    const letter = composeMail({
      to: { address: email },
      subject: `${tenant} invites you to Wayfare`,
      language: "en",
      parts: [
        words(
          `Hello ${toVisibleText(name, LONGEST_NAME)}. ${toVisibleText(by, LONGEST_NAME)} invites you to work at ${tenant} as ${roles.join(", ")}.`,
        ),
        { kind: "link", text: url, label: "Accept the invitation" },
        words("The link works once, within a week. If you did not expect it, you need not do anything."),
      ],
    });
    const message = await this.#parts.stores.messages.insert({
      tenantId,
      environment,
      userId: id,
      kind: SIGN_IN_KIND,
      about: ["invitation", expiresAt.toString()],
      carrier: "mail",
      letter,
      expiresAt,
    });
    if (message !== undefined) await sendNow(this.#parts, storedWords(this.#parts), message);
  }
}
