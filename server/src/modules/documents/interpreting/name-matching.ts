/**
 * ICAO 9303's transcriptions of letters that a machine-readable zone lacks: the recommended one first, then those of
 * some issuers. Letters not listed lose their accents.
 */
const WRITTEN_AS: Readonly<Record<string, readonly string[]>> = {
  Ä: ["AE", "A"],
  Å: ["AA", "A"],
  Æ: ["AE"],
  Ð: ["D"],
  Đ: ["D"],
  Ħ: ["H"],
  Ĳ: ["IJ"],
  İ: ["I"],
  Ŀ: ["L"],
  Ł: ["L"],
  "£": ["L"],
  Ñ: ["N", "NXX"],
  Ŋ: ["N"],
  Ö: ["OE", "O"],
  Ø: ["OE", "O"],
  Œ: ["OE"],
  Þ: ["TH"],
  Ŧ: ["T"],
  Ü: ["UE", "U", "UXX"],
  ẞ: ["SS"],
  " ": ["<"],
  "-": ["<", ""],
  "‐": ["<", ""],
  "–": ["<", ""],
  "'": ["", "<"],
  "’": ["", "<"],
  ʼ: ["", "<"],
  "`": ["", "<"],
  ".": [""],
  ",": ["", "<"],
};

/** The possible originals of letters read without their dots or ring. */
const WITHOUT_DOTS: Readonly<Record<string, readonly string[]>> = { A: ["AE", "AA"], O: ["OE"], U: ["UE"] };

/**
 * Whether a printed name matches one in a machine-readable zone, which has fillers between its parts. The print may
 * have lost its dots, but not on the last letter of a word: ZO is not ZOE. `isStrict`: the zone may lack letters, so
 * ASA is not ÅSA, which would be AASA.
 */
export function isWrittenAs(printed: string, zone: string, isStrict: boolean): boolean {
  return findEnds(printed, zone, isStrict).has(zone.length);
}

/** Whether the zone has the beginning of a printed name and ends within it. */
export function isCutOff(zone: string, printed: string): boolean {
  const characters = [...printed.normalize("NFC").toUpperCase()];
  return characters.some((_, index) => isWrittenAs(characters.slice(0, index + 1).join(""), zone, false));
}

/** Whether a printed word can be the first of a name in the zone. A cheap test, as most words are not. */
export function mayBegin(printed: string, zone: string): boolean {
  const [first = ""] = printed.normalize("NFC").toUpperCase();
  return spell(first, false).some((written) => zone.startsWith(written));
}

/** The lengths of the zone's name that the printed one can match from its beginning. */
function findEnds(printed: string, zone: string, isStrict: boolean): ReadonlySet<number> {
  let ends: ReadonlySet<number> = new Set([0]);
  const characters = [...printed.normalize("NFC").toUpperCase()];
  for (const [index, character] of characters.entries()) {
    // A filler read in place of the first or last letter makes ASA of AASA and BJO of BJOE.
    const isEdge = index === characters.length - 1 || (index === 0 && character === "Å");
    const written = [
      ...spell(character, isStrict || (isEdge && /\p{L}/u.test(character))),
      ...spellWithoutDots(character, characters[index + 1] ?? ""),
    ];
    const next = new Set<number>();
    for (const end of ends) {
      for (const letters of written) {
        if (zone.startsWith(letters, end)) next.add(end + letters.length);
      }
    }
    if (next.size === 0) return next;
    ends = next;
  }
  return ends;
}

/** Only within a word, and not before the same letter: a filler read as E makes ZOEE of ZOË. A ß is read as B. */
function spellWithoutDots(character: string, next: string): readonly string[] {
  if (character === "B") return ["SS"];
  const [base = ""] = next.normalize("NFD");
  return /^[A-Z]$/.test(base) ? (WITHOUT_DOTS[character] ?? []).filter((written) => !written.endsWith(base)) : [];
}

function spell(character: string, isStrict: boolean): readonly string[] {
  const written = WRITTEN_AS[character];
  if (written !== undefined) return isStrict ? written.slice(0, 1) : written;
  const [base = ""] = character.normalize("NFD");
  return /^[A-Z]$/.test(base) ? [base] : [];
}
