/** "Half past ten", "halb zehn" and "las nueve y media": minutes of the day, and how many words say so. */
export interface SpokenClock {
  readonly minute: number;
  readonly length: number;
}

const HOURS: Readonly<Record<string, readonly string[]>> = {
  en: ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"],
  de: ["eins", "zwei", "drei", "vier", "funf", "sechs", "sieben", "acht", "neun", "zehn", "elf", "zwolf"],
  es: ["una", "dos", "tres", "cuatro", "cinco", "seis", "siete", "ocho", "nueve", "diez", "once", "doce"],
};
const PARTS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  en: { half: 30, quarter: 15, twenty: 20 },
  de: { viertel: 15, zwanzig: 20 },
  es: { media: 30, cuarto: 15, veinte: 20 },
};

function hourIn(language: string, word: string | undefined): number | undefined {
  if (word === undefined) return undefined;
  if (/^\d{1,2}$/.test(word)) return Number(word) <= 24 ? Number(word) : undefined;
  const at = HOURS[language]?.indexOf(word) ?? -1;
  return at === -1 ? undefined : at + 1;
}

export function readSpokenClock(words: readonly (string | undefined)[], language: string): SpokenClock | undefined {
  const [first, second, third] = words;
  if (language === "es") {
    const hour = hourIn(language, first);
    const part = PARTS.es?.[third ?? ""];
    if (hour === undefined || part === undefined || !/^(?:y|menos)$/.test(second ?? "")) return undefined;
    return { minute: (hour * 60 + (second === "y" ? part : -part)) % (24 * 60), length: 3 };
  }
  const whole = language === "de" && second === "uhr" && !/^\d/.test(first ?? "") ? hourIn(language, first) : undefined;
  if (whole !== undefined) return { minute: whole * 60, length: 2 };
  const half = language === "de" ? "halb" : "half";
  if (first === half) {
    const isPast = language === "en" && second === "past";
    const hour = hourIn(language, isPast ? third : second);
    if (hour === undefined) return undefined;
    return { minute: language === "de" ? hour * 60 - 30 : hour * 60 + 30, length: isPast ? 3 : 2 };
  }
  const part = PARTS[language]?.[first ?? ""];
  const hour = hourIn(language, third);
  if (part === undefined || hour === undefined) return undefined;
  if (/^(?:past|nach)$/.test(second ?? "")) return { minute: hour * 60 + part, length: 3 };
  if (/^(?:to|vor)$/.test(second ?? "")) return { minute: hour * 60 - part, length: 3 };
  return undefined;
}
