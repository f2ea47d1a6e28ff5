import { fold } from "./fold.ts";

/** Other common names of cities, written as "alias > name in the table, country". Curated by hand. */
const OTHER_NAMES = `
München > Munich DE; Cologne > Köln DE; Nuremberg > Nürnberg DE; Hanover > Hannover DE; Frankfurt > Frankfurt am Main DE;
Brunswick > Braunschweig DE; Duesseldorf > Düsseldorf DE; Muenchen > Munich DE; Zuerich > Zürich CH;
Koeln > Köln DE; Nuernberg > Nürnberg DE; Wien > Vienna AT; Geneva > Genève CH; Genf > Genève CH; Basle > Basel CH; Lucerne > Luzern CH;
Berne > Bern CH; Roma > Rome IT; Milano > Milan IT; Torino > Turin IT; Firenze > Florence IT; Venezia > Venice IT;
Napoli > Naples IT; Genova > Genoa IT; Padua > Padova IT; Lisboa > Lisbon PT; Oporto > Porto PT;
Seville > Sevilla ES; Saragossa > Zaragoza ES; La Coruna > A Coruña ES; San Sebastian > Donostia / San Sebastián ES;
Palma de Mallorca > Palma ES; Mallorca > Palma ES; Majorca > Palma ES; Tenerife > Santa Cruz de Tenerife ES;
Gran Canaria > Las Palmas de Gran Canaria ES; Las Palmas > Las Palmas de Gran Canaria ES;
Brussel > Brussels BE; Bruxelles > Brussels BE; Antwerp > Antwerpen BE; Ghent > Gent BE; Bruges > Brugge BE; 
Den Haag > The Hague NL; København > Copenhagen DK; Kobenhavn > Copenhagen DK; Gothenburg > Göteborg SE; 
Helsingfors > Helsinki FI; Praha > Prague CZ; Prag > Prague CZ; Warszawa > Warsaw PL; Cracow > Kraków PL; Danzig > Gdańsk PL;
Breslau > Wrocław PL; Beograd > Belgrade RS; Bucuresti > Bucharest RO; Sofiya > Sofia BG; Athina > Athens GR;
Saloniki > Thessaloníki GR; Salonica > Thessaloníki GR; Crete > Irákleion GR; Heraklion > Irákleion GR; Rhodes > Ródos GR;
Patras > Pátra GR; Moskva > Moscow RU; Leningrad > Saint Petersburg RU; Kiev > Kyiv UA; Odessa > Odesa UA; Lvov > Lviv UA;
Kharkov > Kharkiv UA; Constantinople > Istanbul TR; Smyrna > İzmir TR; Jaffa > Tel Aviv IL; Tel Aviv-Yafo > Tel Aviv IL;
Al Quds > Jerusalem IL; Makkah > Mecca SA; Jiddah > Jeddah SA; Al Qahirah > Cairo EG;
Marrakech > Marrakesh MA; Fez > Fès MA; Tangiers > Tangier MA; Bombay > Mumbai IN; Calcutta > Kolkata IN; Madras > Chennai IN;
Bangalore > Bengaluru IN; Poona > Pune IN; Kochi > Cochin IN; Trivandrum > Thiruvananthapuram IN; Benares > Varanasi IN;
Pondicherry > Puducherry IN; Gurugram > Gurgaon IN; Goa > Panaji IN;
Rangoon > Yangon MM; Saigon > Ho Chi Minh City VN; Ha Noi > Hanoi VN; Danang > Da Nang VN; Krung Thep > Bangkok TH;
Peking > Beijing CN; Canton > Guangzhou CN; Nanking > Nanjing CN; Xian > Xi’an CN; Chungking > Chongqing CN; Tsingtao > Qingdao CN;
Macao > Macau MO; Taibei > Taipei TW; Bali > Denpasar ID; Batavia > Jakarta ID; Jogjakarta > Yogyakarta ID;
Singapura > Singapore SG; Penang > George Town MY; Cebu > Cebu City PH; Nur-Sultan > Astana KZ; Frunze > Bishkek KG;
Kabool > Kabul AF; Teheran > Tehran IR; Bagdad > Baghdad IQ; Washington DC > Washington US; Washington, D.C. > Washington US;
New York City > New York US; NYC > New York US; LA > Los Angeles US; San Fran > San Francisco US;
Oahu > Honolulu US; Waikiki > Honolulu US; Vegas > Las Vegas US; Philly > Philadelphia US; Saint Pete > Saint Petersburg US; Quebec City > Québec CA;
Rio > Rio de Janeiro BR; Ciudad de Mexico > Mexico City MX; CDMX > Mexico City MX; La Habana > Havana CU;
Panama City > Panamá PA; Guatemala City > Guatemala City GT; Victoria > Victoria CA; Cuzco > Cusco PE;
`;

/** Folded alias → folded name and country, "muenchen" → "munich|DE". */
export const aliases: ReadonlyMap<string, string> = new Map(
  OTHER_NAMES.split(";").flatMap((entry) => {
    const [alias = "", target = ""] = entry.split(" > ");
    const name = target.trim().slice(0, -3);
    const country = target.trim().slice(-2);
    return target === "" ? [] : [[fold(alias), `${fold(name)}|${country}`]];
  }),
);

/** The main airport of a metropolitan code, where it is not the largest one. */
export const mainAirports: ReadonlyMap<string, string> = new Map(
  "LON:LHR NYC:JFK PAR:CDG TYO:HND OSA:KIX MIL:MXP ROM:FCO CHI:ORD WAS:IAD SEL:ICN MOW:SVO SAO:GRU RIO:GIG BUE:EZE STO:ARN BJS:PEK SHA:PVG YTO:YYZ YMQ:YUL SPK:CTS JKT:CGK BUH:OTP REK:KEF TCI:TFS YEA:YEG DTT:DTW"
    .split(" ")
    .map((pair): [string, string] => [pair.slice(0, 3), pair.slice(4)]),
);

const countryNames = new Intl.DisplayNames("en", { type: "region" });

export function countryName(code: string): string {
  return countryNames.of(code) ?? code;
}

const OTHER_COUNTRY_NAMES = `uk GB; great britain GB; britain GB; england GB; scotland GB; wales GB; northern ireland GB; usa US; us US; united states of america US;
america US; uae AE; emirates AE; korea KR; republic of korea KR; czech republic CZ; holland NL; turkey TR; burma MM; ivory coast CI; macao MO; macau MO;
hong kong HK; china CN; taiwan TW; russia RU; russian federation RU; vietnam VN; viet nam VN; cape verde CV; swaziland SZ; macedonia MK; deutschland DE;
espana ES; italia IT; brasil BR; schweiz CH; suisse CH; osterreich AT; nippon JP; congo CD; drc CD; bosnia BA; palestine PS; gbr GB; deu DE; fra FR; esp ES;
ita IT; jpn JP; ind IN; chn CN; can CA; aus AU; bra BR; mex MX; prt PT; nld NL; che CH; aut AT; sgp SG; tha TH; are AE; kor KR`;

/** Folded name or code → ISO 3166-1 alpha-2, for the countries in `codes`. */
export function countryIndex(codes: Iterable<string>): ReadonlyMap<string, string> {
  const index = new Map<string, string>();
  for (const code of codes) {
    index.set(code.toLowerCase(), code);
    index.set(fold(countryName(code)), code);
  }
  for (const entry of OTHER_COUNTRY_NAMES.split(";")) index.set(entry.trim().slice(0, -3), entry.trim().slice(-2));
  return index;
}

const PROVINCE_NAMES = `AL Alabama; AK Alaska; AZ Arizona; AR Arkansas; CA California; CO Colorado; CT Connecticut; DE Delaware; DC District of Columbia;
FL Florida; GA Georgia; HI Hawaii; ID Idaho; IL Illinois; IN Indiana; IA Iowa; KS Kansas; KY Kentucky; LA Louisiana; ME Maine; MD Maryland;
MA Massachusetts; MI Michigan; MN Minnesota; MS Mississippi; MO Missouri; MT Montana; NE Nebraska; NV Nevada; NH New Hampshire; NJ New Jersey;
NM New Mexico; NY New York; NC North Carolina; ND North Dakota; OH Ohio; OK Oklahoma; OR Oregon; PA Pennsylvania; RI Rhode Island; SC South Carolina;
SD South Dakota; TN Tennessee; TX Texas; UT Utah; VT Vermont; VA Virginia; WA Washington; WV West Virginia; WI Wisconsin; WY Wyoming;
AB Alberta; BC British Columbia; MB Manitoba; NB New Brunswick; NL Newfoundland and Labrador; NS Nova Scotia; ON Ontario; PE Prince Edward Island;
QC Quebec; SK Saskatchewan; ACT Australian Capital Territory; NSW New South Wales; NT Northern Territory; QLD Queensland; SA South Australia;
TAS Tasmania; VIC Victoria; WA Western Australia`;

/** Folded name or code of a state or province → its code. Western Australia shares WA with Washington; the city decides. */
export const provinces: ReadonlyMap<string, string> = new Map(
  PROVINCE_NAMES.split(";").flatMap((entry): [string, string][] => {
    const [code = ""] = entry.trim().split(" ");
    return [
      [code.toLowerCase(), code],
      [fold(entry.trim().slice(code.length)), code],
    ];
  }),
);
