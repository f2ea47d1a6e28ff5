import { foldText, isWholePage, type PrintedLine } from "./printed-text.ts";

/** Labels before or above values, in the languages of such documents. Folded: capitals, no accents. */
export type Label =
  | "familyName"
  | "givenName"
  | "bornOn"
  | "issuedOn"
  | "expiresOn"
  | "sex"
  | "nationality"
  | "documentNumber"
  | "other";

const PHRASES: Readonly<Record<Label, readonly string[]>> = {
  familyName: [
    ..."SURNAME|FAMILY NAME|LAST NAME|NAME|NOM|NOMS|NACHNAME|FAMILIENNAME|APELLIDOS|APELLIDO|COGNOME|APELIDO|APELIDOS".split(
      "|",
    ),
    ..."SOBRENOME|ACHTERNAAM|NAAM|EFTERNAMN|ETTERNAVN|EFTERNAVN|SUKUNIMI|NAZWISKO|PRIJMENI|PREZIME|SOYADI|NUME".split(
      "|",
    ),
  ],
  givenName: [
    ..."GIVEN NAMES|GIVEN NAME|FIRST NAMES|FIRST NAME|FORENAMES|FORENAME|PRENOMS|PRENOM|VORNAMEN|VORNAME|NOMBRES|NOMBRE".split(
      "|",
    ),
    ..."NOME|NOMES|NOMI|NOMES PROPRIOS|VOORNAMEN|VOORNAAM|FORNAMN|FORNAVN|ETUNIMET|IMIONA|IMIE|JMENO|JMENA|IME|ADI|PRENUME".split(
      "|",
    ),
  ],
  bornOn: [
    ..."DATE OF BIRTH|BIRTH DATE|DATE DE NAISSANCE|GEBURTSDATUM|GEBURTSTAG|GEBOORTEDATUM|FECHA DE NACIMIENTO".split(
      "|",
    ),
    ..."DATA DI NASCITA|DATA DE NASCIMENTO|FODSELSDATO|FODELSEDATUM|SYNTYMAAIKA|DATA URODZENIA|DATUM NAROZENI|DOB".split(
      "|",
    ),
  ],
  issuedOn: [
    ..."DATE OF ISSUE|ISSUE DATE|ISSUED ON|DATE DE DELIVRANCE|DATE DELIVRANCE|AUSSTELLUNGSDATUM|AUSGESTELLT AM".split(
      "|",
    ),
    ..."FECHA DE EXPEDICION|FECHA DE EMISION|FECHA EXPEDICION|DATA DI RILASCIO|DATA DE EMISSAO|DATA DE EXPEDICAO".split(
      "|",
    ),
    ..."DATUM VAN AFGIFTE|DATUM VAN UITGIFTE|UTFARDAT DEN|UTSTEDT|UDSTEDT|UDSTEDELSESDATO|MYONTAMISPAIVA|DATA WYDANIA".split(
      "|",
    ),
    ..."DATUM VYDANI|DUZENLEME TARIHI|VERILIS TARIHI|DATUM IZDAVANJA|DATE OF ISSUANCE".split("|"),
  ],
  expiresOn: [
    ..."DATE OF EXPIRY|EXPIRY DATE|EXPIRATION DATE|DATE OF EXPIRATION|DATE D EXPIRATION|GULTIG BIS|VALID UNTIL|EXPIRES ON".split(
      "|",
    ),
    ..."FECHA DE CADUCIDAD|FECHA DE VENCIMIENTO|DATA DI SCADENZA|DATA DE VALIDADE|VALIDO HASTA|GELDIG TOT|ABLAUFDATUM".split(
      "|",
    ),
    ..."GILTIGT T O M|GYLDIG TIL|VIIMEINEN VOIMASSAOLOPAIVA|DATA WAZNOSCI|PLATNOST DO|VALID THRU|GILTIG TILL".split(
      "|",
    ),
  ],
  sex: "SEX|SEXE|GESCHLECHT|SEXO|SESSO|GESLACHT|KON|KJONN|KOEN|SUKUPUOLI|PLEC|POHLAVI|CINSIYETI|GENDER|SPOL".split("|"),
  nationality: [
    ..."NATIONALITY|NATIONALITE|STAATSANGEHORIGKEIT|NACIONALIDAD|CITTADINANZA|NACIONALIDADE|NATIONALITEIT".split("|"),
    ..."STATSBORGERSKAP|NATIONALITET|MEDBORGARSKAP|KANSALAISUUS|OBYWATELSTWO|STATNI OBCANSTVI|UYRUGU|CITIZENSHIP".split(
      "|",
    ),
  ],
  documentNumber: [
    ..."PASSPORT NO|PASSPORT NUMBER|PASSEPORT NO|PASSEPORT N|DOCUMENT NO|DOCUMENT NUMBER|PASS NR|PASSNUMMER|REISEPASS NR".split(
      "|",
    ),
    ..."NUMERO DE PASAPORTE|PASAPORTE NO|PASAPORTE N|PASSAPORTO N|PASSAPORTE N|CARD NO|CARD NUMBER".split("|"),
  ],
  other: [
    ..."TYPE|TYP|TIPO|CODE|AUTHORITY|AUTORITE|BEHORDE|AUTORIDAD|AUTORITA|AUTORIDADE|SIGNATURE|PLACE OF BIRTH|GEBURTSORT".split(
      "|",
    ),
    ..."LIEU DE NAISSANCE|LUGAR DE NACIMIENTO|LUOGO DI NASCITA|HEIGHT|TAILLE|GROSSE|RESIDENCE|DOMICILE|WOHNORT|PASSPORT".split(
      "|",
    ),
    ..."PASSEPORT|REISEPASS|PASAPORTE|PASSAPORTO|PASSAPORTE|COUNTRY CODE|ISSUING STATE|ISSUING COUNTRY|VISA|CARD|CARTE".split(
      "|",
    ),
  ],
};

const LABELS: readonly Label[] = [
  "bornOn",
  "issuedOn",
  "expiresOn",
  "givenName",
  "familyName",
  "sex",
  "nationality",
  "documentNumber",
  "other",
];
/** Longest first: DATE OF BIRTH before shorter phrases with the same beginning. */
const phrases = LABELS.flatMap((label) => PHRASES[label].map((text) => ({ label, words: text.split(" ") }))).sort(
  (one, other) => other.words.length - one.words.length,
);
const COMMON: ReadonlySet<string> = new Set(
  "NAME NOM NOMS NAAM NUME IME IMIE ADI NOME NOMI PRENUME PREZIME JMENO".split(" "),
);
const labelWords: ReadonlySet<string> = new Set(phrases.flatMap(({ words }) => words));
const byFirstWord = Map.groupBy(phrases, ({ words }) => words[0] ?? "");

/** A label on a page: the positions of its first word and of the one after its last. */
export interface PrintedLabel {
  label: Label;
  /** It is often part of another phrase, such as NAME. */
  isCommonWord: boolean;
  line: PrintedLine;
  /** The index of its line among those given. */
  row: number;
  from: number;
  to: number;
}

export function findLabels(lines: readonly PrintedLine[]): readonly PrintedLabel[] {
  return lines.flatMap((line, row) => {
    const atoms = line.words.flatMap(({ text }, word) => listWords(text).map((atom) => ({ atom, word })));
    const found: PrintedLabel[] = [];
    for (let at = 0; at < atoms.length; ) {
      const phrase = (byFirstWord.get(atoms[at]?.atom ?? "") ?? []).find(({ words }) =>
        words.every((word, index) => atoms[at + index]?.atom === word),
      );
      const first = atoms[at];
      const last = atoms[at + (phrase?.words.length ?? 1) - 1];
      if (phrase !== undefined && first !== undefined && last !== undefined) {
        found.push({
          label: phrase.label,
          isCommonWord: COMMON.has(phrase.words.join(" ")),
          line,
          row,
          from: first.word,
          to: last.word + 1,
        });
      }
      at += phrase?.words.length ?? 1;
    }
    return found;
  });
}

function listWords(text: string): readonly string[] {
  return foldText(text.slice(0, 60)).match(/\p{L}+/gu) ?? [];
}

/** Whether a word belongs to a label rather than a value: it is a known label word, or in lower case while values are not. */
export function isLabelWord(text: string): boolean {
  const words = listWords(text);
  return words.length > 0 && words.every((word) => labelWords.has(word));
}

/** How well a value on a page fits a label, lower is better; undefined if it is elsewhere. */
export function distanceFrom(
  { line, row, to, from }: PrintedLabel,
  value: { line: PrintedLine; row: number; from: number; to: number },
): number | undefined {
  if (value.line.page !== line.page) return undefined;
  if (value.row === row) return value.from >= to ? value.from - to : undefined;
  const rows = value.row - row;
  if (rows < 1 || rows > 3) return undefined;
  const [label, first] = [line.words[from]?.box, value.line.words[value.from]?.box];
  const end = line.words[to - 1]?.box;
  const last = value.line.words[value.to - 1]?.box;
  if (label === undefined || first === undefined || end === undefined || last === undefined) return undefined;
  if (isWholePage(label) || isWholePage(first)) return rows === 1 ? 10 : undefined;
  const overlaps = first.x < end.x + end.width && last.x + last.width > label.x;
  const startsAlike = Math.abs(first.x - label.x) < 0.02;
  return overlaps || startsAlike ? 10 * rows + 20 * Math.abs(first.x - label.x) : undefined;
}
