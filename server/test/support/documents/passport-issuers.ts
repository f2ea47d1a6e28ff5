/** How a country prints its passport. The numbers are made up. */
export interface Issuer {
  /** ISO 3166-1 alpha-3. */
  code: string;
  /** The zone's code, if it differs. */
  zoneCode?: string;
  title: string;
  nationality: string;
  locale: string;
  /** `A` is a letter, `9` a digit. */
  numberPattern: string;
  /** Labels in English and in the language of the country. */
  labels: readonly [
    surname: string,
    givenNames: string,
    nationality: string,
    bornOn: string,
    sex: string,
    placeOfBirth: string,
    issuedOn: string,
    expiresOn: string,
    authority: string,
    number: string,
  ];
  /** `yyyy`, `yy`, `mm`, `dd` and `MON`, `MON/LOC`. */
  datePattern: string;
  female: string;
  male: string;
  hasPersonalNumber?: boolean;
  families: readonly string[];
  women: readonly string[];
  men: readonly string[];
  cities: readonly string[];
}

type Labels = Issuer["labels"];
const ENGLISH: Labels = [
  ...(["Surname", "Given names", "Nationality", "Date of birth", "Sex"] as const),
  ...(["Place of birth", "Date of issue", "Date of expiry", "Authority", "Passport No."] as const),
];
function both(other: Labels): Labels {
  const [a, b, c, d, e, f, g, h, i, j] = other;
  const [surname, given, nationality, born, sex, place, issued, expires, authority, number] = ENGLISH;
  return [
    ...([`${surname} / ${a}`, `${given} / ${b}`, `${nationality} / ${c}`, `${born} / ${d}`, `${sex} / ${e}`] as const),
    ...([
      `${place} / ${f}`,
      `${issued} / ${g}`,
      `${expires} / ${h}`,
      `${authority} / ${i}`,
      `${number} / ${j}`,
    ] as const),
  ];
}
const FRENCH: Labels = [
  ...(["Nom", "Prénoms", "Nationalité", "Date de naissance", "Sexe"] as const),
  ...(["Lieu de naissance", "Date de délivrance", "Date d'expiration", "Autorité", "Passeport n°"] as const),
];
const GERMAN: Labels = [
  ...(["Name", "Vornamen", "Staatsangehörigkeit", "Geburtstag", "Geschlecht"] as const),
  ...(["Geburtsort", "Ausstellungsdatum", "Gültig bis", "Behörde", "Pass-Nr."] as const),
];
const SPANISH: Labels = [
  ...(["Apellidos", "Nombres", "Nacionalidad", "Fecha de nacimiento", "Sexo"] as const),
  ...(["Lugar de nacimiento", "Fecha de expedición", "Fecha de caducidad", "Autoridad", "Pasaporte n.º"] as const),
];
const PORTUGUESE: Labels = [
  ...(["Apelidos", "Nomes", "Nacionalidade", "Data de nascimento", "Sexo"] as const),
  ...(["Local de nascimento", "Data de emissão", "Válido até", "Autoridade", "Passaporte n.º"] as const),
];
const POLISH: Labels = [
  ...(["Nazwisko", "Imiona", "Obywatelstwo", "Data urodzenia", "Płeć"] as const),
  ...(["Miejsce urodzenia", "Data wydania", "Data ważności", "Organ wydający", "Nr paszportu"] as const),
];
const TURKISH: Labels = [
  ...(["Soyadı", "Adı", "Uyruğu", "Doğum tarihi", "Cinsiyeti"] as const),
  ...(["Doğum yeri", "Veriliş tarihi", "Geçerlilik tarihi", "Veren makam", "Pasaport No"] as const),
];
const SWEDISH: Labels = [
  ...(["Efternamn", "Förnamn", "Nationalitet", "Födelsedatum", "Kön"] as const),
  ...(["Födelseort", "Utfärdat", "Gäller till", "Myndighet", "Passnr"] as const),
];

const spoken = { female: "F", male: "M" } as const;

export const issuers: readonly Issuer[] = [
  {
    code: "DEU",
    zoneCode: "D",
    title: "BUNDESREPUBLIK DEUTSCHLAND",
    nationality: "DEUTSCH",
    locale: "de",
    numberPattern: "C99AA9A99",
    labels: both(GERMAN),
    datePattern: "dd.mm.yyyy",
    ...spoken,
    families: ["Müller", "Weiß", "Schönfeld", "Krüger", "von der Heide", "Lang"],
    women: ["Käthe", "Anna Lena", "Jürgine", "Sophie"],
    men: ["Jörg", "Maximilian", "Karl-Heinz", "Günther"],
    cities: ["BERLIN", "KÖLN", "LÜBECK"],
  },
  {
    code: "USA",
    title: "UNITED STATES OF AMERICA",
    nationality: "UNITED STATES OF AMERICA",
    locale: "en",
    numberPattern: "999999999",
    labels: ENGLISH,
    datePattern: "dd MON yyyy",
    ...spoken,
    hasPersonalNumber: true,
    families: ["Whitaker", "O'Donnell", "Ramirez", "Van Buren", "Nguyen"],
    women: ["Margaret Anne", "Tiffany", "Joy"],
    men: ["Charles Edward", "Tyrone", "Lee"],
    cities: ["NEW YORK, U.S.A.", "OHIO, U.S.A."],
  },
  {
    code: "GBR",
    title: "UNITED KINGDOM OF GREAT BRITAIN AND NORTHERN IRELAND",
    nationality: "BRITISH CITIZEN",
    locale: "fr",
    numberPattern: "999999999",
    labels: both(FRENCH),
    datePattern: "dd MON/LOC yy",
    ...spoken,
    families: ["Ashworth", "McAllister", "Smythe-Jones", "Patel"],
    women: ["Imogen Rose", "Priya", "Eleanor"],
    men: ["Alistair", "George William", "Imran"],
    cities: ["CROYDON", "LEEDS", "CARDIFF"],
  },
  {
    code: "FRA",
    title: "RÉPUBLIQUE FRANÇAISE",
    nationality: "Française",
    locale: "fr",
    numberPattern: "99AA99999",
    labels: both(FRENCH),
    datePattern: "dd mm yyyy",
    ...spoken,
    families: ["Lefèvre", "Dubois", "de La Fontaine", "Benoît", "Gagné"],
    women: ["Hélène", "Chloé Marie", "Zoé"],
    men: ["François", "Jean-Luc", "Rémi"],
    cities: ["PARIS", "NÎMES", "ORLÉANS"],
  },
  {
    code: "ESP",
    title: "REINO DE ESPAÑA",
    nationality: "ESPAÑOLA",
    locale: "es",
    numberPattern: "AAA999999",
    labels: both(SPANISH),
    datePattern: "dd mm yyyy",
    ...spoken,
    hasPersonalNumber: true,
    families: ["García Núñez", "Ibáñez Peña", "Muñoz", "López Castro"],
    women: ["María José", "Begoña", "Lucía"],
    men: ["Íñigo", "José Antonio", "Raúl"],
    cities: ["MADRID", "LOGROÑO"],
  },
  {
    code: "PRT",
    title: "REPÚBLICA PORTUGUESA",
    nationality: "PORTUGUESA",
    locale: "pt",
    numberPattern: "AA999999",
    labels: both(PORTUGUESE),
    datePattern: "dd/mm/yyyy",
    ...spoken,
    families: ["Gonçalves", "Simões da Costa", "Brandão"],
    women: ["Inês", "Maria João", "Conceição"],
    men: ["João Pedro", "Sebastião", "Rui"],
    cities: ["LISBOA", "ÉVORA"],
  },
  {
    code: "JPN",
    title: "JAPAN",
    nationality: "JAPAN",
    locale: "en",
    numberPattern: "AA9999999",
    labels: ENGLISH,
    datePattern: "dd MON yyyy",
    ...spoken,
    families: ["SUZUKI", "WATANABE", "KATO"],
    women: ["HARUKA", "YUI", "MEGUMI"],
    men: ["KENJI", "DAISUKE", "SHO"],
    cities: ["TOKYO", "OSAKA"],
  },
  {
    code: "BRA",
    title: "REPÚBLICA FEDERATIVA DO BRASIL",
    nationality: "BRASILEIRO(A)",
    locale: "pt",
    numberPattern: "AA999999",
    labels: both(PORTUGUESE),
    datePattern: "dd MON/LOC yyyy",
    ...spoken,
    families: ["Araújo", "da Silva Santos", "Magalhães"],
    women: ["Ana Lúcia", "Fabíola"],
    men: ["Antônio", "Luís Otávio"],
    cities: ["SÃO PAULO", "RECIFE"],
  },
  {
    code: "CAN",
    title: "CANADA",
    nationality: "CANADIAN/CANADIENNE",
    locale: "fr",
    numberPattern: "AA999999",
    labels: both(FRENCH),
    datePattern: "dd MON/LOC yy",
    ...spoken,
    families: ["Tremblay", "Macdonald", "Singh", "Bélanger"],
    women: ["Geneviève", "Sarah"],
    men: ["Étienne", "Douglas"],
    cities: ["OTTAWA CAN", "MONTRÉAL CAN"],
  },
  {
    code: "AUS",
    title: "AUSTRALIA",
    nationality: "AUSTRALIAN",
    locale: "en",
    numberPattern: "AA9999999",
    labels: ENGLISH,
    datePattern: "dd MON yyyy",
    ...spoken,
    families: ["Fitzgerald", "Nguyen", "D'Arcy"],
    women: ["Kylie Joan", "Thi Mai"],
    men: ["Bruce", "Angus James"],
    cities: ["SYDNEY", "PERTH"],
  },
  {
    code: "IND",
    title: "REPUBLIC OF INDIA",
    nationality: "INDIAN",
    locale: "en",
    numberPattern: "A9999999",
    labels: ENGLISH,
    datePattern: "dd/mm/yyyy",
    ...spoken,
    families: ["Ramachandran", "Iyer", "Chatterjee"],
    women: ["Lakshmi", "Anjali Devi"],
    men: ["Venkatesh", "Arjun"],
    cities: ["CHENNAI, TAMIL NADU", "PUNE, MAHARASHTRA"],
  },
  {
    code: "CHE",
    title: "SCHWEIZERISCHE EIDGENOSSENSCHAFT",
    nationality: "Schweiz",
    locale: "de",
    numberPattern: "A9999999",
    labels: both(GERMAN),
    datePattern: "dd.mm.yyyy",
    ...spoken,
    families: ["Zürcher", "Bösch", "Meier"],
    women: ["Ursula", "Bénédicte"],
    men: ["Röbi", "Beat"],
    cities: ["ZÜRICH ZH", "BERN BE"],
  },
  {
    code: "POL",
    title: "RZECZPOSPOLITA POLSKA",
    nationality: "POLSKIE",
    locale: "pl",
    numberPattern: "AA9999999",
    labels: both(POLISH),
    datePattern: "dd.mm.yyyy",
    female: "K/F",
    male: "M/M",
    hasPersonalNumber: true,
    families: ["Łukasiewicz", "Wójcik", "Żółtowska"],
    women: ["Małgorzata", "Agnieszka"],
    men: ["Paweł", "Stanisław"],
    cities: ["WARSZAWA", "ŁÓDŹ"],
  },
  {
    code: "TUR",
    title: "TÜRKİYE CUMHURİYETİ",
    nationality: "T.C./TUR",
    locale: "tr",
    numberPattern: "A99999999",
    labels: both(TURKISH),
    datePattern: "dd.mm.yyyy",
    female: "K/F",
    male: "E/M",
    families: ["YILDIZ", "ŞAHİN", "ÖZTÜRK"],
    women: ["AYŞE", "GÜLŞEN"],
    men: ["İBRAHİM", "MEHMET"],
    cities: ["ANKARA", "İZMİR"],
  },
  {
    code: "SWE",
    title: "SVERIGE",
    nationality: "SVENSK/SWEDISH",
    locale: "sv",
    numberPattern: "AA9999999",
    labels: both(SWEDISH),
    datePattern: "dd MON/LOC yyyy",
    female: "K/F",
    male: "M/M",
    hasPersonalNumber: true,
    families: ["Ångström", "Lindqvist", "Björk"],
    women: ["Åsa", "Märta Elin"],
    men: ["Håkan", "Göran"],
    cities: ["STOCKHOLM", "VÄSTERÅS"],
  },
  {
    code: "MEX",
    title: "ESTADOS UNIDOS MEXICANOS",
    nationality: "MEXICANA",
    locale: "es",
    numberPattern: "A99999999",
    labels: both(SPANISH),
    datePattern: "dd mm yyyy",
    female: "F",
    male: "M",
    families: ["Hernández Ríos", "Zúñiga", "Cárdenas"],
    women: ["Guadalupe", "Ximena"],
    men: ["Ángel", "Héctor Manuel"],
    cities: ["CIUDAD DE MÉXICO", "MÉRIDA"],
  },
];

/** Longer than the zone has room for. */
export const longNames = [
  ["Wickramasinghe Arachchige", "Chandrasekara Mudiyanselage Nishantha"],
  ["Papadimitriou Konstantinopoulou", "Alexandra Evangelia Theodora"],
  ["Featherstonehaugh Cholmondeley", "Bartholomew Montgomery"],
] as const;

export const onlyNames = ["Suharto", "Govindarajan", "Meenakshi", "Wibowo"] as const;
