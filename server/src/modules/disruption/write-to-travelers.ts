import type { z } from "zod";
import { wordsIn } from "../../domain/texts.ts";
import type { Caller } from "../../kernel/contracts/tool.ts";
import type { Ports } from "./context.ts";
import { findAddressees, OTHER_LEG } from "./find-addressees.ts";
import { type NoticePorts, notifyTraveler, notSent } from "./notify-traveler.ts";
import { identifyDisruption, type ReplanInput } from "./replan-input.ts";
import { composeMessages, type Replanned } from "./replan-messages.ts";
import type { MessageAnswer } from "./replan-parts.ts";

interface Written {
  messages: z.input<typeof MessageAnswer>[];
  language: ReturnType<typeof wordsIn>["answer"];
}

/** Writes to each traveler of the order in their own language; where nobody is written to, the text is for the caller to pass on. */
export async function writeToTravelers(
  { notifyChannels, originalLeg, ...rest }: ReplanInput,
  replanned: Replanned,
  { isOtherLeg, isTrial }: { isOtherLeg: boolean; isTrial: boolean },
  ports: NoticePorts & Pick<Ports, "travelers">,
  caller: Caller,
): Promise<Written> {
  const found = await findAddressees(originalLeg.pnr, ports, caller);
  const { readers, nobody } = isOtherLeg && found.nobody === null ? { readers: [], nobody: OTHER_LEG } : found;
  const disruption = identifyDisruption({ notifyChannels, originalLeg, ...rest });
  if (nobody !== null) {
    const own = await ports.travelers.get(caller.tenantId, caller.travelerId, caller.environment);
    const words = wordsIn(own?.preferredLanguage ?? "en");
    const drafts = composeMessages(notifyChannels, replanned, { profile: undefined, words, isTrial });
    const messages = drafts.map(({ mail: _, ...draft }) => ({ ...draft, traveler: null, ...notSent(nobody) }));
    return { messages, language: words.answer };
  }
  const drafts = readers.flatMap(({ userId, traveler, profile }) => {
    const words = wordsIn(profile?.preferredLanguage ?? "en");
    return composeMessages(notifyChannels, replanned, { profile, words, isTrial }).map((draft) => ({
      ...draft,
      userId,
      traveler,
    }));
  });
  const messages = await notifyTraveler(drafts, disruption, caller, ports);
  return { messages, language: wordsIn(readers[0]?.profile?.preferredLanguage ?? "en").answer };
}
