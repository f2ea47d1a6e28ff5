import type { Reading } from "../reading/read-message.ts";
import type { FlightSlots } from "./state.ts";

/** "Just show me all flights", "zeig mir einfach alle Flüge", "muéstrame todos los vuelos" */
const ALL =
  /\b(?:show|see|list)\b[^.!?]*\b(?:all (?:the |of the )?flights|them all|all of them|everything)\b|\bany flights?(?: (?:is|are|will|would be) (?:fine|ok|okay|do))?(?= ?(?:[,.!]|$))|\b(?:zeig\w*|nenn\w*|sehen)\b[^.!?]*\b(?:alle fluge|alle verbindungen|sie alle|alles)\b|\balle fluge (?:zeigen|sehen|anzeigen)\b|\b(?:muestr\w*|ensen\w*|ver|dame|deme)\b[^.!?]*\btod[oa]s(?: los vuelos)?\b/;
/** "Forget the return time", "die Uhrzeit ist egal", "da igual la hora" */
const TIME =
  /\b(?:forget|never mind|ignore|drop|leave out)(?: about)?(?: (?:the|my|all))?(?: \w+)?(?: (?:arrival|departure|landing))? (?:times?|hours?)\b|\b(?:any|whatever|no matter (?:what|which)) time(?! of)\b|\b(?:\w+ )?times? (?:doesn't|does not|don't|do not) matter\b|\b(?:vergiss|vergessen|streich\w*|lass\w*)[^.!?,]* (?:\w*zeit\w*)\b|\b\w*zeit(?:en)? (?:\w+ )?(?:mir |uns )?(?:egal|keine rolle)\b|\b\w*zeit(?:en)?[^.!?,]*\b(?:spielt|spielen)[^.!?,]*keine rolle\b|\b(?:egal,? (?:wann|um (?:welche|wie viel) uhr)|zu jeder (?:uhr)?zeit)\b|\b(?:olvid\w*|sin|quit\w*|deja\w*)(?: \w+){0,3} (?:horas?|horarios?)\b(?: de (?:la )?(?:vuelta|ida|regreso))?|\b(?:la hora|el horario)[^.!?,]*(?:da igual|no (?:me |nos )?importa)|\b(?:da igual|no (?:me |nos )?importa) (?:la hora|el horario|a que hora)[^.!?,]*|\ba cualquier hora\b/;
const OF_RETURN = /\b(?:return|ruck\w*|zuruck|vuelta|regreso|home)/;
const OF_OUT = /\b(?:outbound|outward|hin\w*|ida)\b/;
/** "Whatever airline", "egal welche Airline", "cualquier aerolínea" */
const AIRLINE =
  /\b(?:whatever|any|whichever|no matter (?:which|what)) airline\b(?! (?:fee|charge))|\bairlines? (?:doesn't|does not|don't) matter\b|\begal,? (?:mit )?(?:welcher?|jede) (?:airline|fluggesellschaft)\b|\b(?:airline|fluggesellschaft) (?:\w+ )?(?:mir |uns )?egal\b|\bjede[rn]? (?:airline|fluggesellschaft)\b|\bcualquier (?:aerolinea|compania)\b|\b(?:aerolinea|compania)[^.!?,]* (?:da igual|no (?:me |nos )?importa)|\b(?:da igual|no (?:me |nos )?importa) (?:la|que) (?:aerolinea|compania)\b/;

/** Whether a wish of before is taken back in words. */
export const dropsWish = ({ folded }: Reading): boolean =>
  ALL.test(folded) || TIME.test(folded) || AIRLINE.test(folded);

/** Before what the message wishes instead is put in their place. */
export function dropWishes(flight: FlightSlots, { folded }: Reading): void {
  if (ALL.test(folded)) {
    Object.assign(flight, { isNonStop: false, isRefundable: false, isChangeable: false });
    Object.assign(flight, { bags: 0, airlines: [], times: {} });
    delete flight.maximum;
  }
  if (AIRLINE.test(folded)) flight.airlines = [];
  const [said] = TIME.exec(folded) ?? [];
  if (said === undefined) return;
  const { departs, arrives, returnDeparts, returnArrives } = flight.times;
  const isReturn = OF_RETURN.test(said);
  const isOut = OF_OUT.test(said);
  flight.times = {
    ...(isReturn && departs !== undefined ? { departs } : {}),
    ...(isReturn && arrives !== undefined ? { arrives } : {}),
    ...(isOut && returnDeparts !== undefined ? { returnDeparts } : {}),
    ...(isOut && returnArrives !== undefined ? { returnArrives } : {}),
  };
}
