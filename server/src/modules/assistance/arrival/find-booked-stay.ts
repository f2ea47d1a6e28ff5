import { hasScope } from "../../../domain/scopes.ts";
import type { Caller } from "../../../kernel/contracts/tool.ts";
import type { Ports } from "../context.ts";

interface Named {
  destinationAddress: string;
  destinationLabel?: string | undefined;
}

/** Names of fewer letters would stand in too many addresses. */
const SHORTEST_NAME = 5;

/**
 * The destination by the coordinates of the stay of this name that the caller has booked here for the night of the landing, where the
 * supplier said where that is: maps know few hotels by name. Else as it was given.
 */
export async function atBookedStay<Input extends Named>(
  input: Input,
  landing: { at: Temporal.Instant; timeZone: string } | undefined,
  { stores }: Pick<Ports, "stores">,
  { tenantId, environment, userId, scopes }: Caller,
): Promise<Input> {
  if (landing === undefined || !hasScope(scopes, "stays:read")) return input;
  const day = landing.at.toZonedDateTimeISO(landing.timeZone).toPlainDate();
  // Who lands after midnight sleeps in the night of the day before.
  const days = { from: day.subtract({ days: 1 }).toString(), to: day.add({ days: 1 }).toString() };
  const said = `${input.destinationLabel ?? ""} ${input.destinationAddress}`.toLowerCase();
  const stays = await stores.orders.staysDuring(tenantId, environment, userId, days);
  const stay = stays.find(({ accommodationName }) => {
    const name = accommodationName.replace(/\s*\([^)]*\)$/, "").toLowerCase();
    return name.length >= SHORTEST_NAME && said.includes(name);
  });
  if (stay === undefined) return input;
  const seen = await stores.seenOffers.find({ tenantId, environment }, stay.quoteId);
  const { latitude = null, longitude = null } = (seen?.kind === "stay" ? seen.place : null) ?? {};
  if (latitude === null || longitude === null) return input;
  const destinationLabel = input.destinationLabel || stay.accommodationName;
  return { ...input, destinationLabel, destinationAddress: `${latitude.toFixed(6)}, ${longitude.toFixed(6)}` };
}
