import { expect } from "vitest";
import { z } from "zod";
import type { TestService } from "./service.ts";

/** Rules have days on which they begin and end, so that their tests have a day of their own, from whose noon the clock goes on. */
export function clockFrom(day: string) {
  const started = Temporal.Now.instant();
  const clock = {
    day,
    now: () => Temporal.Instant.from(`${clock.day}T12:00:00Z`).add(started.until(Temporal.Now.instant())),
  };
  return clock;
}

export interface Document {
  nationality: string;
  number?: string;
  issuedOn?: string;
  expiresOn?: string;
}

const passport = ({ number = "P12345642", issuedOn = "2022-01-01", expiresOn = "2031-12-31", ...rest }: Document) => ({
  ...rest,
  number,
  issuedOn,
  expiresOn,
});

const Checked = z.looseObject({
  verdict: z.string(),
  summary: z.string(),
  checks: z.array(
    z.object({
      id: z.string(),
      status: z.string(),
      detail: z.string(),
      source: z.object({ title: z.string(), url: z.string(), asOf: z.string(), basis: z.string() }).nullable(),
    }),
  ),
  authorization: z.object({ type: z.string(), leadTime: z.string(), officialUrl: z.string() }).nullable(),
  maxStayDays: z.number().nullable(),
  stale: z.boolean(),
  asOf: z.string().nullable(),
  nextSteps: z.array(z.string()),
});
export type Checked = z.output<typeof Checked>;

export type Journey = readonly [destination: string, from: string, to: string | undefined, purpose?: string];

export const findStatus = ({ checks }: Checked, id: string) => checks.find((one) => one.id === id)?.status;
export const findDetail = ({ checks }: Checked, id: string) => checks.find((one) => one.id === id)?.detail;

/** Asks `check_travel_eligibility` about travelers who are made for the question. */
export function openDesk(service: Pick<TestService, "call">) {
  let made = 0;

  async function travelerWith(...documents: readonly Document[]): Promise<string> {
    made += 1;
    const userId = `desk_${made}`;
    const saved = await service.call("save_traveler", { userId, passports: documents.map(passport) });
    expect(saved.status, saved.text).toBe(200);
    return userId;
  }

  const ask = async (travelerUserId: string, [to, departureDate, returnDate, purpose = "leisure"]: Journey) =>
    await service.call("check_travel_eligibility", {
      travelerUserId,
      originIso3: to === "URY" ? "PRY" : "URY",
      destinationIso3: to,
      departureDate,
      ...(returnDate === undefined ? {} : { returnDate }),
      purpose,
    });

  return {
    travelerWith,
    ask,
    async check(documents: string | Document | readonly Document[], journey: Journey): Promise<Checked> {
      const list = typeof documents === "string" ? [{ nationality: documents }] : [documents].flat();
      const answer = await ask(await travelerWith(...list), journey);
      expect(answer.status, answer.text).toBe(200);
      return Checked.parse(answer.body.result);
    },
  };
}
