/** Airports by the code of their city, where that is not the code of its only one. */
const CITY_AIRPORTS: Readonly<Record<string, readonly string[]>> = {
  LON: ["LHR", "LGW", "STN", "LTN", "LCY", "SEN"],
  PAR: ["CDG", "ORY", "BVA"],
  NYC: ["JFK", "EWR", "LGA"],
  ROM: ["FCO", "CIA"],
  MIL: ["MXP", "LIN", "BGY"],
  TYO: ["NRT", "HND"],
  OSA: ["KIX", "ITM"],
  CHI: ["ORD", "MDW"],
  WAS: ["IAD", "DCA"],
  STO: ["ARN", "BMA"],
  BUE: ["EZE", "AEP"],
  SAO: ["GRU", "CGH"],
  RIO: ["GIG", "SDU"],
  YTO: ["YYZ", "YTZ"],
  YMQ: ["YUL"],
  TCI: ["TFN", "TFS"],
  REK: ["KEF"],
  BUH: ["OTP"],
  SEL: ["ICN", "GMP"],
  BJS: ["PEK", "PKX"],
  SHA: ["PVG", "SHA"],
  IST: ["IST", "SAW"],
  IEV: ["KBP"],
  MOW: ["SVO", "DME", "VKO"],
  EAP: ["BSL", "MLH"],
  CAS: ["CMN"],
  ORL: ["MCO"],
  HOU: ["IAH", "HOU"],
  JKT: ["CGK"],
};

/** A code that is of no such city is taken for an airport. */
export const listAirports = (code: string): readonly string[] => CITY_AIRPORTS[code] ?? [code];

const findCity = (code: string): string =>
  Object.entries(CITY_AIRPORTS).find(([city, airports]) => city === code || airports.includes(code))?.[0] ?? code;

/** Whether both are the same city, or airports of it. */
export const isSameCity = (one: string | undefined, other: string | undefined): boolean =>
  one !== undefined && other !== undefined && findCity(one) === findCity(other);

export const isCityCode = (code: string): boolean => code in CITY_AIRPORTS;
