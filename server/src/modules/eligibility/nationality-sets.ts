/** Groups of nationalities that several regimes name, by ISO 3166-1 alpha-3. A regime's file names one as `@EU`. */
const sets: Readonly<Record<string, string>> = {
  EU: "AUT BEL BGR HRV CYP CZE DNK EST FIN FRA DEU GRC HUN IRL ITA LVA LTU LUX MLT NLD POL PRT ROU SVK SVN ESP SWE",
  EFTA: "CHE ISL LIE NOR",
  /** Europe's smallest states, which most regimes treat like their neighbours. */
  MICROSTATES: "AND MCO SMR VAT",
  /** Annex II of Regulation (EU) 2018/1806, without the smallest states, whose nationals need no ETIAS. */
  EU_VISA_EXEMPT:
    "ALB ARE ARG ATG AUS BHS BIH BRA BRB BRN CAN CHL COL CRI DMA FSM GBD GBN GBO GBP GBR GBS GEO GRD GTM HKG HND ISR JPN KIR KNA KOR LCA MAC MDA MEX MHL MKD MNE MUS MYS NIC NZL PAN PER PLW PRY SGP SLB SLV SRB SYC TLS TON TTO TUV TWN UKR URY USA VCT VEN WSM XKX",
  /** The Gulf Cooperation Council. */
  GCC: "ARE BHR KWT OMN QAT SAU",
  /** The Visa Waiver Program of the United States. */
  VWP: "AND AUS AUT BEL BRN CHE CHL CZE DEU DNK ESP EST FIN FRA GBR GRC HRV HUN IRL ISL ISR ITA JPN KOR LIE LTU LUX LVA MCO MLT NLD NOR NZL POL PRT QAT SGP SMR SVK SVN SWE TWN",
};

const NATIONALITY = /^[A-Z]{3}$/;

/**
 * Reads words such as `@EU USA GBR`, and `-IRL` for one that a set has and the rule has not. Throws where a word is neither a
 * known set nor a code of three letters.
 */
export function readNationalities(text: string): ReadonlySet<string> {
  const found = new Set<string>();
  for (const word of text.split(" ")) {
    if (word.startsWith("@")) for (const code of readSet(word.slice(1))) found.add(code);
    else if (word.startsWith("-")) found.delete(codeOf(word.slice(1)));
    else found.add(codeOf(word));
  }
  return found;
}

function readSet(name: string): readonly string[] {
  const set = sets[name];
  if (set === undefined)
    throw new Error(`@${name} is no set of nationalities; these are: ${Object.keys(sets).join(", ")}`);
  return set.split(" ");
}

function codeOf(word: string): string {
  if (!NATIONALITY.test(word)) throw new Error(`"${word}" is no code of three capital letters`);
  return word;
}
