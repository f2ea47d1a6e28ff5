import { z } from "zod";
import { isNationality } from "../../domain/countries.ts";
import { IsoDate } from "../../domain/schemas.ts";

/** Groups of nationalities that several regimes use, by ISO 3166-1 alpha-3. A regime's file names one as `@EU`. */
const sets: Readonly<Record<string, string>> = {
  EU: "AUT BEL BGR HRV CYP CZE DNK EST FIN FRA DEU GRC HUN IRL ITA LVA LTU LUX MLT NLD POL PRT ROU SVK SVN ESP SWE",
  EFTA: "CHE ISL LIE NOR",
  /** Europe's smallest states, which most regimes treat like their neighbours. */
  MICROSTATES: "AND MCO SMR VAT",
  /** Annex II of Regulation (EU) 2018/1806, without the microstates, whose nationals need no ETIAS. */
  EU_VISA_EXEMPT:
    "ALB ARE ARG ATG AUS BHS BIH BRA BRB BRN CAN CHL COL CRI DMA FSM GBD GBN GBO GBP GBR GBS GEO GRD GTM HKG HND ISR JPN KIR KNA KOR LCA MAC MDA MEX MHL MKD MNE MUS MYS NIC NZL PAN PER PLW PRY SGP SLB SLV SRB SYC TLS TON TTO TUV TWN UKR URY USA VCT VEN WSM XKX",
  /** The Gulf Cooperation Council. */
  GCC: "ARE BHR KWT OMN QAT SAU",
  /** The Visa Waiver Program of the United States. */
  VWP: "AND AUS AUT BEL BRN CHE CHL CZE DEU DNK ESP EST FIN FRA GBR GRC HRV HUN IRL ISL ISR ITA JPN KOR LIE LTU LUX LVA MCO MLT NLD NOR NZL POL PRT QAT SGP SMR SVK SVN SWE TWN",
};

const NATIONALITY = /^[A-Z]{3}$/;

/** The format of a regime's file, ours or an operator's; docs/entry-rules.md describes it. */

const Nationalities = z.string().transform((text, context) => {
  try {
    const codes = readNationalities(text);
    for (const code of codes) if (!isNationality(code)) throw new Error(`${code} is no country`);
    return codes;
  } catch (error) {
    context.addIssue({ code: "custom", message: error instanceof Error ? error.message : String(error) });
    return z.NEVER;
  }
});

const Source = z.strictObject({
  title: z.string().min(1),
  url: z.url(),
  asOf: IsoDate,
  basis: z.enum(["read", "recalled"]),
});

/** The rule for a nationality. */
const Grant = z.strictObject({
  /** `unknown`: the known rule has ended or begins on an unknown day, as the note says. */
  kind: z.enum(["visa_free", "authorization", "evisa", "visa_on_arrival", "visa", "refused", "unknown"]),
  /** The longest stay, including its first and last day. */
  maxStayDays: z.number().int().positive().optional(),
  /** If set, `maxStayDays` limits all stays in any period of this many days. */
  withinDays: z.number().int().positive().optional(),
  /** The purposes covered. A visa or a refusal covers all of them. */
  purposes: z.array(z.enum(["business", "leisure", "study", "medical"])).default(["business", "leisure"]),
  /** The name of one of the regime's authorizations. */
  authorization: z.string().optional(),
  /** An authorization that is being introduced: nobody is refused without it yet. */
  announced: z
    .strictObject({ authorization: z.string(), from: IsoDate, note: z.string(), source: z.string() })
    .optional(),
  source: z.string(),
  note: z.string().optional(),
});

const Rule = Grant.extend({
  nationalities: Nationalities,
  /** In force for arrivals on these days, both included. */
  from: IsoDate.optional(),
  until: IsoDate.optional(),
  /** Only for travelers who have been in one of these countries on or after that day. */
  stayedIn: z.strictObject({ countries: Nationalities, since: IsoDate }).optional(),
  /** Only for travelers who are also nationals of one of these. */
  alsoNationals: Nationalities.optional(),
  /** Not for journeys that return to their origin. */
  onwardOnly: z.boolean().default(false),
});

const Validity = z.strictObject({
  /** The required months of validity after the arrival or the departure; 0 means until then. */
  months: z.number().int().nonnegative(),
  after: z.enum(["arrival", "departure"]),
  /** For these nationalities validity until the departure is enough. */
  exempt: Nationalities.optional(),
  issuedWithinYears: z.number().int().positive().optional(),
  /** As another source has it: with fewer months than this, the answer is unknown. */
  orMonths: z.number().int().positive().optional(),
  source: z.string(),
});

const RegimeShape = z.strictObject({
  id: z.string().regex(/^[a-z][a-z-]*$/),
  title: z.string().min(1),
  /** The government's page for travelers. */
  officialUrl: z.url(),
  countries: Nationalities,
  /** Whose own country all of them are; by default, each country is that of its own nationals alone. */
  citizens: Nationalities.optional(),
  sources: z.record(z.string(), Source),
  authorizations: z
    .record(z.string(), z.strictObject({ type: z.string(), leadTime: z.string(), officialUrl: z.url() }))
    .default({}),
  /** They may stay for any purpose without a limit. */
  freeMovement: z
    .array(
      z.strictObject({
        nationalities: Nationalities,
        source: z.string(),
        note: z.string(),
        /** They may travel on a national identity card, too. */
        onIdentityCard: z.boolean().default(false),
      }),
    )
    .default([]),
  /** How nationals enter, and those who move freely: no visa or authorization for visitors is issued to them. */
  nationals: z
    .strictObject({
      source: z.string(),
      note: z.string(),
      /** No other passport is enough for citizens, even where its holders need no visa, except for `passports`. */
      isOnlyOwn: z.boolean().default(false),
      passports: Nationalities.optional(),
    })
    .optional(),
  /** The first rule that fits the nationality, the day of arrival and the purpose applies. */
  entry: z.array(Rule),
  /** For every other nationality. Left out if the lists are incomplete, so that others are not covered. */
  otherwise: Grant.optional(),
  validity: Validity,
  transit: z
    .strictObject({
      /** `entry`: the airports have no transit area, so a traveler who changes planes must be admitted. */
      airside: z.union([z.literal("entry"), z.strictObject({ rules: z.array(Rule), otherwise: Grant.optional() })]),
      /** They take precedence over the rules of entry. */
      landside: z.array(Rule).default([]),
    })
    .optional(),
  /** The source that says so: no border is checked between the countries of the regime. */
  openInside: z.string().optional(),
  notes: z.array(z.string()).default([]),
  /** Whether the notes are also for citizens and those who move freely. */
  notesFor: z.enum(["everybody", "visitors"]).default("everybody"),
});

export const Regime = RegimeShape.check((context) => {
  for (const message of danglingNames(context.value)) {
    context.issues.push({ code: "custom", message, input: context.value.id });
  }
});

export type Regime = z.output<typeof RegimeShape>;
export type Grant = z.output<typeof Grant>;
export type Rule = z.output<typeof Rule>;

const NEEDS_AUTHORIZATION: ReadonlySet<Grant["kind"]> = new Set(["authorization", "evisa", "visa_on_arrival"]);

/** Sources and authorizations that a rule names but the regime lacks. */
function danglingNames({
  sources,
  authorizations,
  freeMovement,
  nationals,
  entry,
  otherwise,
  validity,
  transit,
  openInside,
}: Regime): string[] {
  const airside = transit === undefined || transit.airside === "entry" ? undefined : transit.airside;
  const grants = [...entry, otherwise, ...(airside?.rules ?? []), airside?.otherwise, ...(transit?.landside ?? [])];
  const known = grants.filter((grant) => grant !== undefined);
  const inside = openInside === undefined ? [] : [{ source: openInside }];
  const announcements = known.flatMap(({ announced }) => announced ?? []);
  const own = nationals === undefined ? [] : [nationals];
  const sourceNames = [...freeMovement, ...own, ...known, validity, ...announcements, ...inside];
  const authorizationNames = known.flatMap(({ authorization, announced }) => [authorization, announced?.authorization]);
  return [
    ...sourceNames
      .filter(({ source }) => !Object.hasOwn(sources, source))
      .map(({ source }) => `there is no source "${source}"`),
    ...authorizationNames
      .filter((name) => name !== undefined && !Object.hasOwn(authorizations, name))
      .map((name) => `there is no authorization "${name}"`),
    ...known
      .filter(({ kind, authorization }) => NEEDS_AUTHORIZATION.has(kind) && authorization === undefined)
      .map(({ kind }) => `a rule of the kind ${kind} names no authorization`),
  ];
}

/** The format of an operator's dataset. */
export const Dataset = z.strictObject({ regimes: z.array(Regime) });

/**
 * Parses words such as `@EU USA GBR`, and `-IRL` to exclude one of a set. Throws if a word is neither a known set nor a
 * code of three letters.
 */
function readNationalities(text: string): ReadonlySet<string> {
  const found = new Set<string>();
  for (const word of text.split(" ")) {
    if (word.startsWith("@")) for (const code of readSet(word.slice(1))) found.add(code);
    else if (word.startsWith("-")) found.delete(requireCode(word.slice(1)));
    else found.add(requireCode(word));
  }
  return found;
}

function readSet(name: string): readonly string[] {
  const set = sets[name];
  if (set === undefined)
    throw new Error(`@${name} is no set of nationalities; these are: ${Object.keys(sets).join(", ")}`);
  return set.split(" ");
}

function requireCode(word: string): string {
  if (!NATIONALITY.test(word)) throw new Error(`"${word}" is no code of three capital letters`);
  return word;
}
