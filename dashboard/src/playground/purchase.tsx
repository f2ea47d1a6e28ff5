import { member } from "../boot.ts";
import { Names } from "../parts/names.tsx";
import type { Args } from "./drafts.ts";
import { findSeenOffer } from "./seen-offers.ts";

/** The flight that the form is about, and who travels, for whoever is about to pay. */
export function Purchase({ args, isAccepted }: { args: Args; isAccepted: boolean }) {
  const offer = findSeenOffer(args.offerId);
  if (offer === undefined) return null;
  const { additionalCustomerUserIds: named } = args;
  const others = Array.isArray(named) ? named.map(String) : [];
  // With as many names as seats, whoever books stays at home.
  const ids = others.length >= offer.travelers ? others : [member.personId, ...others];
  return (
    <dl className="details">
      <dt>Flight</dt>
      <dd>{offer.says}</dd>
      <dt>Traveling</dt>
      <dd>
        <Names ids={ids} haveProfiles={isAccepted} />
      </dd>
    </dl>
  );
}
