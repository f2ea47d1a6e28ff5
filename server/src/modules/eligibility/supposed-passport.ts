import type { Passport } from "../travelers/index.ts";
import { sayWithDoubts } from "./answer.ts";
import type { Assessed } from "./choose-passport.ts";

const VALID_YEARS = 9;
const SUPPOSED =
  "This supposes an ordinary passport that is new enough and valid long enough; no other stays are known.";

/** Somebody without a profile: only the nationality is known, and what a passport must fulfil is told instead of checked. */
export const supposePassport = (nationality: string, today: Temporal.PlainDate) => ({
  passports: [
    {
      nationality,
      number: "",
      issuedOn: today.toString(),
      expiresOn: today.add({ years: VALID_YEARS }).toString(),
    },
  ],
  bookedStays: [],
  bornOn: undefined,
});

/** The parts of an answer that must not tell the supposed dates and number. */
export function describeSupposed([best]: readonly Assessed<Passport>[], isFirst: boolean) {
  if (best === undefined) return {};
  const { checks } = best.assessment;
  return {
    summary: `${sayWithDoubts(best.assessment, isFirst)} ${SUPPOSED}`,
    passport: null,
    checks: checks.map((check) =>
      check.id === "passport" || check.id === "validity"
        ? { ...check, status: "unknown" as const, detail: withoutDates(check.detail) }
        : check,
    ),
  };
}

/** Leaves out the sentences that tell the supposed dates. */
function withoutDates(detail: string): string {
  const [rule] = detail.split(/(?<=\.) (?=It expires)/);
  return rule === undefined || /valid until \d{4}-/.test(rule) ? SUPPOSED : `${rule} ${SUPPOSED}`;
}
