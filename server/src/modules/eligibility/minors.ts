import type { Passport } from "../travelers/index.ts";

const OF_AGE = 18;

/** Rules of countries about minors who leave without both parents; each was read, as `source` says. */
const LEAVING: Readonly<Record<string, { rule: string; source: string }>> = {
  PER: {
    rule: "Peru lets no child out, whether a national or a resident, without a notarial, consular or court authorization of each parent who does not travel along",
    source: "Migraciones, as elcomercio.pe and noticiaspiura30.pe report it",
  },
  BRA: {
    rule: "Brazil lets no Brazilian child out without a written authorization of each parent who does not travel along, with a certified signature",
    source: "https://www.cnj.jus.br/programas-e-acoes/viagem-ao-exterior/, Resolution CNJ 131/2011",
  },
  ZAF: {
    rule: "South Africa asks for the birth certificate and an affidavit of consent of each parent who does not travel along",
    source: "Immigration Regulations 2014, regulation 6(12), as brookes.co.za reports it",
  },
  PRT: {
    rule: "Portugal asks minors who are nationals or residents and travel without their parents for a certified authorization of those with parental responsibility; if one parent travels along, the other one must not have objected",
    source: "Consulate General of Portugal in San Francisco; brasmarques.com on Decree-Law 138/2006",
  },
  MEX: {
    rule: "Mexico asks minors who are nationals or residents and leave without either parent for a notarial authorization or the form of its migration institute",
    source: "Embassy of Brazil in Mexico, https://gov.br/mre/pt-br/embaixada-mexico",
  },
};

interface Minor {
  /** Undefined if it is not known. */
  bornOn: string | undefined;
  passports: readonly Pick<Passport, "nationality">[];
}

export const isMinor = ({ bornOn }: Pick<Minor, "bornOn">, day: Temporal.PlainDate): boolean =>
  bornOn !== undefined && bornOn > day.subtract({ years: OF_AGE }).toString();

/** None for adults, and if the age is not known. `who` begins the sentence; `countries` are those of the journey. */
export function sayConsent(
  who: string,
  { bornOn, passports }: Minor,
  { day, countries }: { day: Temporal.PlainDate; countries: readonly (string | undefined)[] },
): string[] {
  if (!isMinor({ bornOn }, day)) return [];
  const codes = new Set([...countries, ...passports.map(({ nationality }) => nationality)]);
  const rules = [...codes].flatMap((code) => LEAVING[code ?? ""]?.rule ?? []).map((rule) => `${rule}. `);
  return [
    // Without the age, as a run stores this.
    `${who} is under ${OF_AGE} on ${day}, and the papers of minors are not checked. A minor without both parents can be stopped on leaving: the country of residence or of nationality may require the consent of each parent who does not travel along, certified or granted by a court. ${rules.join("")}Carry it with the birth certificate. Ask the border authority or a consulate of these countries, and the airline, which may have its own form and conditions for children who travel alone.`,
  ];
}
