export { RegionCode } from "./codes.ts";
export {
  allNumbers,
  EMERGENCY_NUMBERS_ATTRIBUTION,
  EMERGENCY_NUMBERS_DATE,
  type EmergencyNumbers,
  findEmergencyNumbers,
  listOther,
  numbersBy,
  sayDisagreement,
  sayMobile,
  sayReliability,
  sayServices,
  sayWhatToDo,
} from "./emergency-numbers.ts";
export { readCoordinates } from "./read-coordinates.ts";
export { providerErrors, resolveStop, resolveText } from "./resolve-stop.ts";
export { sayTakenAs } from "./say-taken-as.ts";
