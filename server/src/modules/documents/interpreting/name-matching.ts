/** How ICAO 9303 writes letters that a machine-readable zone does not have; issuers may choose. Others lose their accents. */
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

/** Whether a name as it is printed gives the one in a machine-readable zone, in which fillers stand between its parts. */
export function isWrittenAs(printed: string, zone: string): boolean {
  return endsOf(printed, zone).has(zone.length);
}

/** Whether the zone holds the beginning of a printed name and ends within it. */
export function isBeginningOf(zone: string, printed: string): boolean {
  const characters = [...printed.normalize("NFC").toUpperCase()];
  return characters.some((_, index) => isWrittenAs(characters.slice(0, index + 1).join(""), zone));
}

/** Whether a printed word can be the first one of a name in the zone. Cheap: most words of a page are not. */
export function mayBegin(printed: string, zone: string): boolean {
  return endsOf(printed.slice(0, 2), zone).size > 0;
}

/** How much of the zone's name the printed one can stand for, from its beginning. */
function endsOf(printed: string, zone: string): ReadonlySet<number> {
  let ends: ReadonlySet<number> = new Set([0]);
  for (const character of printed.normalize("NFC").toUpperCase()) {
    const next = new Set<number>();
    for (const end of ends) {
      for (const written of spell(character)) {
        if (zone.startsWith(written, end)) next.add(end + written.length);
      }
    }
    if (next.size === 0) return next;
    ends = next;
  }
  return ends;
}

function spell(character: string): readonly string[] {
  const written = WRITTEN_AS[character];
  if (written !== undefined) return written;
  const [base = ""] = character.normalize("NFD");
  return /^[A-Z]$/.test(base) ? [base] : [];
}
