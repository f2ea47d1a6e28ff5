/** ISO 3166-1: alpha-3 and alpha-2 code of each country, and Kosovo's user-assigned pair, which its passports have. */
const PAIRS = `
ABW:AW AFG:AF AGO:AO AIA:AI ALA:AX ALB:AL AND:AD ARE:AE ARG:AR ARM:AM ASM:AS ATA:AQ ATF:TF ATG:AG AUS:AU AUT:AT AZE:AZ
BDI:BI BEL:BE BEN:BJ BES:BQ BFA:BF BGD:BD BGR:BG BHR:BH BHS:BS BIH:BA BLM:BL BLR:BY BLZ:BZ BMU:BM BOL:BO BRA:BR BRB:BB
BRN:BN BTN:BT BVT:BV BWA:BW CAF:CF CAN:CA CCK:CC CHE:CH CHL:CL CHN:CN CIV:CI CMR:CM COD:CD COG:CG COK:CK COL:CO COM:KM
CPV:CV CRI:CR CUB:CU CUW:CW CXR:CX CYM:KY CYP:CY CZE:CZ DEU:DE DJI:DJ DMA:DM DNK:DK DOM:DO DZA:DZ ECU:EC EGY:EG ERI:ER
ESH:EH ESP:ES EST:EE ETH:ET FIN:FI FJI:FJ FLK:FK FRA:FR FRO:FO FSM:FM GAB:GA GBR:GB GEO:GE GGY:GG GHA:GH GIB:GI GIN:GN
GLP:GP GMB:GM GNB:GW GNQ:GQ GRC:GR GRD:GD GRL:GL GTM:GT GUF:GF GUM:GU GUY:GY HKG:HK HMD:HM HND:HN HRV:HR HTI:HT HUN:HU
IDN:ID IMN:IM IND:IN IOT:IO IRL:IE IRN:IR IRQ:IQ ISL:IS ISR:IL ITA:IT JAM:JM JEY:JE JOR:JO JPN:JP KAZ:KZ KEN:KE KGZ:KG
KHM:KH KIR:KI KNA:KN KOR:KR KWT:KW LAO:LA LBN:LB LBR:LR LBY:LY LCA:LC LIE:LI LKA:LK LSO:LS LTU:LT LUX:LU LVA:LV MAC:MO
MAF:MF MAR:MA MCO:MC MDA:MD MDG:MG MDV:MV MEX:MX MHL:MH MKD:MK MLI:ML MLT:MT MMR:MM MNE:ME MNG:MN MNP:MP MOZ:MZ MRT:MR
MSR:MS MTQ:MQ MUS:MU MWI:MW MYS:MY MYT:YT NAM:NA NCL:NC NER:NE NFK:NF NGA:NG NIC:NI NIU:NU NLD:NL NOR:NO NPL:NP NRU:NR
NZL:NZ OMN:OM PAK:PK PAN:PA PCN:PN PER:PE PHL:PH PLW:PW PNG:PG POL:PL PRI:PR PRK:KP PRT:PT PRY:PY PSE:PS PYF:PF QAT:QA
REU:RE ROU:RO RUS:RU RWA:RW SAU:SA SDN:SD SEN:SN SGP:SG SGS:GS SHN:SH SJM:SJ SLB:SB SLE:SL SLV:SV SMR:SM SOM:SO SPM:PM
SRB:RS SSD:SS STP:ST SUR:SR SVK:SK SVN:SI SWE:SE SWZ:SZ SXM:SX SYC:SC SYR:SY TCA:TC TCD:TD TGO:TG THA:TH TJK:TJ TKL:TK
TKM:TM TLS:TL TON:TO TTO:TT TUN:TN TUR:TR TUV:TV TWN:TW TZA:TZ UGA:UG UKR:UA UMI:UM URY:UY USA:US UZB:UZ VAT:VA VCT:VC
VEN:VE VGB:VG VIR:VI VNM:VN VUT:VU WLF:WF WSM:WS XKX:XK YEM:YE ZAF:ZA ZMB:ZM ZWE:ZW
`;

const alpha2ByAlpha3 = new Map(
  PAIRS.trim()
    .split(/\s+/)
    .map((pair) => [pair.slice(0, 3), pair.slice(4)] as const),
);

/** ICAO 9303: British nationals who are not citizens of the United Kingdom. */
const BRITISH_NATIONALS: ReadonlyMap<string, string> = new Map([
  ["GBD", "British overseas territories citizen"],
  ["GBN", "British National (Overseas)"],
  ["GBO", "British overseas citizen"],
  ["GBP", "British protected person"],
  ["GBS", "British subject"],
]);

export function isOtherBritishNational(code: string): boolean {
  return BRITISH_NATIONALS.has(code);
}

/** Whether a passport can have it as its holder's nationality. */
export function isNationality(code: string): boolean {
  return isCountryAlpha3(code) || isOtherBritishNational(code);
}

export function isCountryAlpha3(code: string): boolean {
  return alpha2ByAlpha3.has(code);
}

/** Suppliers use alpha-2 where passports have alpha-3. Undefined: no such country. */
export function toCountryAlpha2(alpha3: string): string | undefined {
  return alpha2ByAlpha3.get(isOtherBritishNational(alpha3) ? "GBR" : alpha3);
}

const alpha3ByAlpha2 = new Map([...alpha2ByAlpha3].map(([alpha3, alpha2]) => [alpha2, alpha3] as const));

/** Undefined: no such country. */
export function toCountryAlpha3(alpha2: string): string | undefined {
  return alpha3ByAlpha2.get(alpha2);
}

export const countryAlpha3Codes: readonly string[] = [...alpha2ByAlpha3.keys()];

/** ICAO 9303: codes in documents of stateless persons and refugees, and in those without a nationality. */
const WITHOUT_NATIONALITY: ReadonlySet<string> = new Set(["XXA", "XXB", "XXC", "XXX"]);

export function namesNoNationality(code: string): boolean {
  return WITHOUT_NATIONALITY.has(code);
}

const english = new Intl.DisplayNames("en", { type: "region" });

/** In English, with the kind of other British nationals; the code itself if there is no such country. */
export function nameCountry(alpha3: string): string {
  const alpha2 = toCountryAlpha2(alpha3);
  const name = alpha2 === undefined ? undefined : english.of(alpha2);
  return BRITISH_NATIONALS.get(alpha3) ?? name ?? alpha3;
}
