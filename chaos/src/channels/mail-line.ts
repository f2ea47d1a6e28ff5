import { z } from "zod";
import { ask, type Card, type Fault, Line, type LineOptions, type Seen, type Shown } from "./line.ts";

/** Somebody whose mailbox is in the simulator from the beginning. */
const TRAVELER = "tess@people.test";

const Mail = z.object({ messageId: z.string(), isReceived: z.boolean(), text: z.string() });
const Viewed = z.object({ answer: z.string() });
const State = z.object({
  email: z.object({ mailboxes: z.array(z.object({ address: z.string(), mails: z.array(Mail) })) }),
});

export const EMAIL = { kind: "email" };
/** Mails in a row. */
const SOME = 6;
/** A mail carries links, never a decision. */
const ANSWER_LINK = /\/answer#([\w-]+)/g;
const APPROVAL_LINK = /\/approve\/(apr_[0-9A-Z]{26})\/([^\s#]+)#([\w-]+)/;

/** Mailboxes: a mail cannot be changed, and its receiver shows the same one once. */
export class MailLine extends Line {
  readonly kind = "email";
  readonly travelerNames = [TRAVELER];
  readonly approverCodes = undefined;
  readonly guestAddress = undefined;
  readonly places: readonly string[];
  readonly faults: readonly [Fault, ...Fault[]] = [["/_events/email", "duplicated", SOME]];

  /** @param approver their address. */
  constructor(options: LineOptions, approver: string) {
    super(options);
    this.places = [approver];
  }

  async read(): Promise<Seen> {
    const { email } = State.parse(await this.play("GET", "state"));
    const list = (address: string) =>
      (email.mailboxes.find((one) => one.address === address)?.mails ?? []).map(toShown);
    const talk = list(TRAVELER);
    const cards = this.places.flatMap((place) =>
      list(place)
        .filter(({ text }) => APPROVAL_LINK.test(text))
        .map((message) => ({ place, message })),
    );
    return { talk, cards, guest: [], all: talk };
  }

  async say(_who: "traveler" | "approver", text: string): Promise<void> {
    await this.play("POST", "mail/mails", { from: TRAVELER, text });
  }

  /** As the page behind the link does it: it shows the question and the answer before anything is given. */
  async answer({ buttons }: Shown, label: string): Promise<void> {
    for (const { value: token } of buttons) {
      const view = await ask(`${this.appUrl}/api/channel-answers/view`, "", "POST", { token });
      if (Viewed.parse(view).answer !== label) continue;
      await ask(`${this.appUrl}/api/channel-answers`, "", "POST", { token });
      return;
    }
    throw new Error(`the mail has no link to answer ${label}`);
  }

  async decide({ message }: Card, label: "Approve" | "Reject"): Promise<void> {
    const [, approvalId = "", personId = "", linkSecret = ""] = APPROVAL_LINK.exec(message.text) ?? [];
    const body = { personId: decodeURIComponent(personId), linkSecret, decision: label.toLowerCase() };
    await ask(`${this.appUrl}/api/approval-links/${approvalId}`, "", "POST", body);
  }
}

/** Received mails begin with a line below which nothing of a reply counts. */
function toShown({ messageId: id, isReceived, text }: z.output<typeof Mail>): Shown {
  if (!isReceived) return { id, text, isOwn: true, buttons: [], onlyFor: null };
  const links = [...text.matchAll(ANSWER_LINK)].map(([, token = ""]) => ({ label: "", value: token }));
  return { id, text: text.slice(text.indexOf("\n\n") + 2), isOwn: false, buttons: links, onlyFor: null };
}
