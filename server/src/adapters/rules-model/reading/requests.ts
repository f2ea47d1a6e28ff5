type Language = "en" | "de" | "es";

interface Known {
  readonly pattern: RegExp;
  readonly words: Readonly<Record<Language, string>>;
}

const known = (source: string, en: string, de: string, es: string): Known => ({
  pattern: new RegExp(String.raw`(?<!\p{L})(?:${source})(?!\p{L})`, "giu"),
  words: { en, de, es },
});

/** Wishes of guests that no search knows and that hotels are often asked for. Their words go to the hotel. */
const KNOWN: readonly Known[] = [
  known(
    String.raw`step[- ]free|without (?:any )?(?:steps|stairs)|no (?:steps|stairs)|wheel ?chair[- ](?:accessible|friendly|access)|(?<=(?:an?|the|one) )accessible(?= (?:room|hotel|bathroom))|barrier[- ]free|ohne (?:stufen|treppen)|stufenlos\p{L}*|barrierefrei\p{L}*|rollstuhlgerecht\p{L}*|ebenerdig\p{L}*|sin (?:escalones|escaleras|barreras)|accesible(?: para sillas? de ruedas)?|adaptad[oa]s?`,
    "step-free room",
    "barrierefreies Zimmer",
    "habitación sin escalones",
  ),
  known(
    String.raw`ground[- ]floor(?: room)?|(?:on the )?ground floor|im erdgeschoss|erdgeschoss\p{L}*|(?:en la )?planta baja`,
    "room on the ground floor",
    "Zimmer im Erdgeschoss",
    "habitación en la planta baja",
  ),
  known(
    "quiet(?:er|est)?|ruhig(?:es|e[rn]?|em)?|leise[sn]?|tranquil[oa]s?|silencios[oa]s?",
    "quiet room",
    "ruhiges Zimmer",
    "habitación tranquila",
  ),
  known(
    String.raw`(?:a |an )?(?:baby )?(?:cot|crib)s?|baby bed|babybett\p{L}*|kinderbett\p{L}*|gitterbett\p{L}*|(?:una )?cunas?`,
    "cot for a baby",
    "Babybett",
    "cuna",
  ),
  known(
    "extra bed|rollaway|zustellbett|zusatzbett|cama (?:extra|supletoria)",
    "extra bed",
    "Zustellbett",
    "cama supletoria",
  ),
  known(
    "twin beds?|(?:two|2) (?:single|separate) beds|separate beds|getrennte[n]? betten|zwei (?:einzel|getrennte )betten|einzelbetten|camas separadas|dos camas(?: individuales)?",
    "two separate beds",
    "getrennte Betten",
    "camas separadas",
  ),
  known(
    "(?:on a |a )?(?:high|higher|upper) floor|(?:in einem |im )?(?:hohe[ns]?|höhere[ns]?|obere[ns]?) (?:stockwerk|etage|stock)|(?:en un )?piso alto|planta alta",
    "room on a high floor",
    "Zimmer in einem oberen Stockwerk",
    "habitación en un piso alto",
  ),
  known(
    String.raw`non[- ]?smoking|nichtraucher\p{L}*|(?:de |para )?no fumador(?:es)?`,
    "non-smoking room",
    "Nichtraucherzimmer",
    "habitación de no fumadores",
  ),
  known(
    "late (?:arrival|check[- ]?in)|späte (?:anreise|ankunft)|llegada tardía",
    "late arrival",
    "späte Anreise",
    "llegada tardía",
  ),
  known(
    "early check[- ]?in|frühe[rn]? check[- ]?in|entrada temprana",
    "early check-in",
    "früher Check-in",
    "entrada temprana",
  ),
  known(
    "(?:with |a )?(?:sea|ocean) view|(?:mit )?meerblick|(?:con )?vistas? al mar",
    "room with a sea view",
    "Zimmer mit Meerblick",
    "habitación con vistas al mar",
  ),
];

/** "Please ask for X", "tell the hotel that X": the words after it. */
const ASKING: readonly RegExp[] = [
  /(?<!\p{L})(?:please )?(?:ask|request) (?:(?:them|the hotel|for me|if) )*(?:for |to |whether |about )?([^.!?;]{3,200})/iu,
  /(?<!\p{L})(?:please )?(?:tell|inform|let) (?:them|the hotel|the airline)(?: know)?(?: that)?,? ([^.!?;]{3,200})/iu,
  /(?<!\p{L})(?:with (?:the|a) note|note)(?: that|:)? ([^.!?;]{3,200})/iu,
  /(?<!\p{L})(?:bitte )?(?:frag\p{L}*|bitten?)(?: sie)?(?: bitte)?(?: (?:dort|das hotel|im hotel))? (?:um|nach|ob) ([^.!?;]{3,200})/iu,
  /(?<!\p{L})(?:sag\p{L}*|teil\p{L}*)(?: sie)?(?: bitte)? (?:dem hotel|ihnen|der fluggesellschaft)(?: mit)?,?(?: dass)? ([^.!?;]{3,200})/iu,
  /(?<!\p{L})bitte ([^.!?;]{3,200}?) (?:anfragen|anmerken|vermerken|mitteilen|dazuschreiben|notieren|angeben)(?!\p{L})/iu,
  /(?<!\p{L})(?:mit dem (?:wunsch|hinweis)|anmerkung|wunsch)(?: nach|:)? ([^.!?;]{3,200})/iu,
  /(?<!\p{L})(?:pide|pida|pídeles|pídales|solicita|solicite|pregunta|pregunte)(?: (?:al hotel|por favor))?(?: por| que| si)? ([^.!?;]{3,200})/iu,
  /(?<!\p{L})(?:dile|dígale|avisa|avise) al hotel(?: de)?(?: que)? ([^.!?;]{3,200})/iu,
  /(?<!\p{L})(?:con la nota|nota)(?: de)?(?: que|:)? ([^.!?;]{3,200})/iu,
];

export interface Requests {
  /** In the traveler's language. */
  readonly wishes: readonly string[];
  /** The traveler's own words after "please ask for", where none of the known wishes is in them. */
  readonly asked: string | undefined;
  /** The text with spaces instead of the known wishes: "quiet" and "ground floor" look for no place. */
  readonly rest: string;
}

/** Wishes that only the hotel can fulfil, which a booking passes on. */
export function readRequests(text: string, language: Language): Requests {
  const wishes: string[] = [];
  let rest = text;
  for (const { pattern, words } of KNOWN) {
    const without = rest.replaceAll(pattern, (said) => " ".repeat(said.length));
    if (without !== rest) wishes.push(words[language]);
    rest = without;
  }
  const asked = wishes.length > 0 ? undefined : ASKING.map((pattern) => pattern.exec(text)?.[1]?.trim()).find(isSaid);
  return { wishes, asked, rest };
}

const isSaid = (words: string | undefined): boolean => words !== undefined && words !== "";
