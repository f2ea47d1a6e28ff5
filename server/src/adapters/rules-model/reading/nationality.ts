import type { Marks } from "./cursor.ts";
import { fold, type Mark } from "./marks.ts";

/** No stem is shorter. */
const FIRST_LETTERS = 3;

/** Beginnings of the words for people and passports of a country, by ISO 3166-1 alpha-3: English, German and Spanish. */
const DEMONYMS = `
ARG argentin
AUS australi
AUT austrian osterreich austriac
BEL belgian belgisch belgier belga
BRA brazil brasili
CAN canad kanad
CHE swiss schweizer suiz
CHL chilen
CHN chines chino china
COL colombian kolumbian
CZE czech tschech chec
DEU german deutsch aleman
DNK danish dane danisch danes
EGY egypt agypt egipci
ESP spanish spaniard spanisch spanier espanol
FIN finnish finn finland
FRA french franzos frances
GBR british brit britisch inglesa ingles
GRC greek griech grieg
HRV croat kroat
HUN hungar ungar
IDN indones
IND indian indisch inder indio india hindu
IRL irish irisch irland
IRN iranian iranisch iraner irani
ISR israel
ITA italian italien
JPN japan japones
KEN kenyan kenia
KOR korean corean south-korean
MAR morocc marokk marroqui
MEX mexic mexikan
MYS malaysi malasi
NGA nigeri
NLD dutch niederland hollander holandes neerland
NOR norweg norue
NZL new-zealander neuseeland neozeland
PAK pakistan
PER peruvian peruan
PHL filipin philippin
POL polish polnisch pole polac
PRT portug
ROU romanian rumani rumano ruman
RUS russian russisch russe rus
SAU saudi
SGP singapor singapur
SRB serb
SWE swed schwed suec
THA thai tailand
TUN tunis
TUR turkish turk turc
UKR ukrain ucrani
USA american amerikan us-american estadounidense norteamerican
VEN venezol venezuel
VNM vietnam
ZAF south-african sudafrik sudafric
`;

/** By their first letters, longest first: each word of every message is looked up. */
const stems: ReadonlyMap<string, readonly (readonly [stem: string, country: string])[]> = Map.groupBy(
  DEMONYMS.trim()
    .split("\n")
    .flatMap((line) => {
      const [country = "", ...words] = line.split(" ");
      return words.map((word) => [word, country] as const);
    })
    .toSorted(([one], [other]) => other.length - one.length),
  ([stem]) => stem.slice(0, FIRST_LETTERS),
);

const HOLDER =
  /^(?:passports?|pass|passe|reisepass|citizens?|citizenship|nationals?|nationality|staatsburger\w*|staatsangehorig\w*|nationalitat|pasaportes?|ciudadan\w*|nacionalidad|traveler|traveller)$/;
/** Before a nationality that is somebody's own. */
const BEING = /(?:^|\s)(?:i'm|am|we're|are|bin|sind|soy|somos|als|as|being)(?: an?| una?| eine?)?$/;
/** Words between a passport and its country. */
const MOST_BETWEEN = 3;

/** The nationality that the text names as the traveler's own, or as its passport's; alpha-3. */
export function readNationality({ list }: Marks, text: string): string | undefined {
  const tokens = fold(text).match(/\p{L}+(?:['-]\p{L}+)*/gu) ?? [];
  const holders = tokens.flatMap((token, index) => (HOLDER.test(token) ? [index] : []));
  for (const holder of holders) {
    const near = tokens
      .map((token, index) => ({ country: toNationality(token), away: Math.abs(index - holder) }))
      .filter(({ country, away }) => country !== undefined && away <= MOST_BETWEEN + 1)
      .toSorted((one, other) => one.away - other.away);
    if (near[0] !== undefined) return near[0].country;
  }
  for (const [index, token] of tokens.entries()) {
    const country = toNationality(token);
    const before = tokens.slice(Math.max(0, index - 3), index).join(" ");
    if (country !== undefined && BEING.test(before)) return country;
  }
  return findCountry(list, holders.length > 0);
}

/** "Mine is from India", "I come from India": with a passport, or said of oneself. */
function findCountry(list: readonly Mark[], hasHolder: boolean): string | undefined {
  for (const [index, { kind, value }] of list.entries()) {
    if (kind !== "country") continue;
    const before = list.slice(Math.max(0, index - 4), index);
    if (before.at(-1)?.kind !== "from" && !(before.at(-1)?.kind === "skip" && before.at(-2)?.kind === "from")) continue;
    const words = before.map(({ folded }) => folded).join(" ");
    if (hasHolder && /pass|pasaporte|citizen|ciudadan/.test(words)) return value;
    if (/(?:i'm|i am|ich bin|komme|soy|somos|vengo|come) (?:from|aus|de)(?: la| el)?$/.test(words)) return value;
  }
  return undefined;
}

export function toNationality(word: string): string | undefined {
  const alike = stems.get(word.slice(0, FIRST_LETTERS)) ?? [];
  return alike.find(([stem]) => word.startsWith(stem) && word.length - stem.length <= 5)?.[1];
}
