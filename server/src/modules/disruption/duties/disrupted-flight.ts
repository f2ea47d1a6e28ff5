import { distanceMeters } from "../../../domain/distance.ts";
import type { Maps } from "../../../ports/maps.ts";
import type { ReplanInput } from "../replan-input.ts";
import { formatFlightNumber } from "../replan-input.ts";
import type { Setting } from "../replan-setting.ts";
import type { DisruptedFlight } from "./airline-duty.ts";

const EVENTS: Readonly<Record<ReplanInput["disruption"]["kind"], DisruptedFlight["event"]>> = {
  delay: "delay",
  cancellation: "cancellation",
  missed_connection: "missed_connection",
  weather: "unclear",
  other: "unclear",
};

/**
 * The disrupted flight by the caller's account. When the traveler can leave says nothing of how late a missed connection
 * or a lost one arrives: that is decided by the flight that the airline then gives. The flights of one
 * booking count as one journey.
 */
export function readDisruptedFlight(
  { originalLeg, disruption }: ReplanInput,
  { own, origin, destination, scheduled, connection }: Setting,
  { maps, now, firstDay }: { maps: Pick<Maps, "airport">; now: Temporal.Instant; firstDay: string | undefined },
): DisruptedFlight {
  const from = own === undefined ? origin : (maps.airport(own.comesFrom ?? own.segment.origin) ?? origin);
  const event = EVENTS[disruption.kind];
  const { earliestUsableDepartureIso: said } = disruption;
  const usable = said === undefined ? undefined : Temporal.Instant.from(said);
  const findDay = (moment: Temporal.Instant) => moment.toZonedDateTimeISO(origin?.timeZone ?? "Etc/UTC").toPlainDate();
  const isMissed = event === "missed_connection";
  const isKnown = usable !== undefined && event !== "cancellation" && !isMissed;
  const isLaterDay = usable && Temporal.PlainDate.compare(findDay(scheduled), findDay(usable)) < 0;
  // Another airline's first flight is the earliest that the passenger's own can give, too, as far as is known here.
  const isFirstLater = isMissed && firstDay !== undefined && firstDay > findDay(scheduled).toString();
  return {
    event,
    from: from?.countryCode ?? "",
    to: destination?.countryCode ?? "",
    kilometers: from && destination && distanceMeters(from, destination) / 1_000,
    departsLaterMinutes: isKnown ? Math.round(scheduled.until(usable).total("minutes")) : undefined,
    arrivesLaterMinutes: undefined,
    leavesNextDay: isMissed ? isLaterDay || isFirstLater || undefined : isLaterDay,
    isConnectionLost: connection?.state === "lost",
    isElsewhere: false,
    noticeDays: Math.max(0, Math.floor(now.until(scheduled).total("days"))),
    operatingCarrier: own?.segment.operatingCarrier ?? "",
    marketingCarrier:
      own?.segment.carrier || originalLeg.carrier?.toUpperCase() || formatFlightNumber(originalLeg).slice(0, 2),
  };
}
