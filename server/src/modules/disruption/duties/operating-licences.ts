/**
 * Airlines by the country that licenses them, as IATA codes. Recalled, not from a register, so airlines may be missing: an
 * airline in neither list counts as unknown. Codes that sister companies of several licences share, such as U2, are in none.
 */
const EUROPEAN_UNION = new Set([
  ..."A3 AF AY AZ BF BT CL CY DE DX DY EI EN EW FB FI FR HV I2 IB".split(" "),
  ..."KL KM LG LH LO LX NT OA OS OU QS RO RR SK SN SS TB TO TP TX".split(" "),
  ..."UU UX V7 VL VY W4 W6 WF WK X3 2L 4Y".split(" "),
]);
const UNITED_KINGDOM = new Set("BA BY CJ LM LS RK VS W9".split(" "));

export type Licence = "european_union" | "united_kingdom" | "unknown";

/** The Union counts with Iceland, Norway and Switzerland. */
export function findLicence(carrier: string): Licence {
  if (EUROPEAN_UNION.has(carrier)) return "european_union";
  return UNITED_KINGDOM.has(carrier) ? "united_kingdom" : "unknown";
}
