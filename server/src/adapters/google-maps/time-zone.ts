import { z } from "zod";
import type { Provider } from "../../platform/providers/provider.ts";
import type { TimeZoneAnswer, TimeZoneQuestion } from "../../ports/maps.ts";
import { aboutGoogle, askOlderGoogle, type GoogleApi } from "./google-source.ts";

const answered = z.object({
  timeZoneId: z.string().refine(isKnownZone, "no time zone that this service can compute with"),
  /** Seconds. */
  rawOffset: z.number(),
  dstOffset: z.number(),
});

/** Its moments are seconds from 1970 on. */
const FIRST_SECOND = 0;
/** The end of the year 2100: nobody knows the clock changes of later ones. */
const LAST_SECOND = 4_133_980_799;

/** The time zone at a point, and its offset from UTC at a moment, from the Time Zone API. */
export function createGoogleTimeZones(api: GoogleApi): Provider<TimeZoneQuestion, TimeZoneAnswer> {
  return {
    ...aboutGoogle,
    async ask({ latitude, longitude, at }, signal) {
      const seconds = Math.floor(at.epochMilliseconds / 1_000);
      const timestamp = Math.min(Math.max(seconds, FIRST_SECOND), LAST_SECOND);
      const query = { location: `${latitude},${longitude}`, timestamp };
      const { answer, asOf } = await askOlderGoogle(api, "/maps/api/timezone/json", query, { answered, signal });
      if (answer === undefined) return { answer, asOf };
      const { timeZoneId, rawOffset, dstOffset } = answer;
      const utcOffsetMinutes = timestamp === seconds ? Math.round((rawOffset + dstOffset) / 60) : undefined;
      return { answer: { timeZones: [timeZoneId], utcOffsetMinutes }, asOf };
    },
  };
}

function isKnownZone(timeZone: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone });
    return true;
  } catch {
    return false;
  }
}
