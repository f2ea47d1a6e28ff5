import type { Reading } from "../reading/read-message.ts";
import type { State, Wish } from "./state.ts";

/** "Is our flight actually booked?", and not "what have I booked?". */
const IS_BOOKED =
  /\b(?:is|are|was|were|has|have|did|am|i'm)\b[^.!?]*\b(?:booked|reserved|confirmed|go(?:ne)? through)(?=[\s,]*(?:[?.!]|$|now\b|yet\b|already\b|or\b|then\b|for\b|in\b|already\b))|\b(?:ist|sind|wurde|wurden|habe|haben|hast|hat)\b[^.!?]*\b(?:gebucht|reserviert|bestatigt)(?=[\s,]*(?:[?.!]|$|oder\b|worden\b|jetzt\b))|\b(?:esta|estan|quedo|ha quedado|han quedado|hemos|he|se ha|se han)\b[^.!?]*\b(?:reservad[oa]s?|confirmad[oa]s?)(?=[\s,]*(?:[?.!]|$|(?:ya|o|de verdad|realmente|entonces|el|la|mi|nuestr[oa]|todo)\b))/;
const REALLY =
  /\?|\b(?:really|actually|wirklich|tatsachlich|eigentlich|schon|de verdad|realmente|seguro que|i wonder|not sure)\b/;
const ASKS_WHICH =
  /^[^\p{L}]*(?:(?:and|und|y) )?(?:what|which|when|how|who|where|welche\w*|wann|wie|wo|wer|que|cual\w*|cuando|cuant\w*|donde)\b/u;

export function findIsBooked({ deed, language }: State, reading: Reading): readonly Wish[] | undefined {
  const { folded } = reading;
  const sentence = folded.split(/(?<=[.!?])\s+/).find((one) => IS_BOOKED.test(one));
  if (sentence === undefined || !REALLY.test(sentence) || ASKS_WHICH.test(sentence)) return undefined;
  // "Was" asks in German, and is a verb in English.
  if ((reading.language ?? language) === "de" && /^[^\p{L}]*was\b/u.test(sentence)) return undefined;
  return withDeedAgain({ deed }, { kind: "isBooked", reading });
}

/** Shows what was about to be booked again after the answer to a question. */
export function withDeedAgain({ deed }: Pick<State, "deed">, answer: Wish): readonly Wish[] {
  const isToBeBooked = deed?.name === "book_flight" || deed?.name === "book_stay";
  return isToBeBooked ? [answer, { kind: "showAgain", deed, reading: answer.reading }] : [answer];
}

const MEAL =
  /\b(?:(?:special|vegetarian|vegan|kosher|halal|gluten[- ]?free|child(?:ren)?'?s?|diabetic) (?:meals?|food|menu)|meals?|on-?board food|essen|mahlzeit(?:en)?|(?:\w*bord)?verpflegung|menu|comidas?|menus?)\b/;
const DIET =
  /\b(?:vegetarian|vegan|kosher|halal|gluten[- ]?free|vegetarisch\w*|vegan\w*|koscher\w*|glutenfrei\w*|vegetarian[oa]s?|sin gluten)\b/;
const ON_BOARD =
  /\b(?:on (?:the|my|our|this) (?:flights?|plane)|on board|for (?:the|my|our) flights?|airline|in-?flight|im flugzeug|an bord|im flieger|(?:auf|fur|zum|beim?|im) (?:dem |den |meinen |meinem )?(?:hin|ruck)?flug|fluggesellschaft|en (?:el|mi|nuestro) (?:vuelo|avion)|a bordo|para (?:el|mi|nuestro) vuelo|aerolinea)\b/;

/** "Can I get a vegetarian meal on the flight?" */
export const asksForMeal = ({ folded, kinds }: Reading): boolean =>
  (MEAL.test(folded) || DIET.test(folded)) && ON_BOARD.test(folded) && !kinds.has("stay");

const STUCK =
  /\b(?:i'm|i am|we're|we are|am|are|got|sitting|sit|been|left)\b[^.!?]*\b(?:stuck|stranded)\b|\b(?:stuck|stranded) (?:at|in)\b|\b(?:gestrandet|strande|festsitz\w*|sitz\w*\b[^.!?]*\bfest|hang\w*\b[^.!?]*\bfest)\b|\b(?:tirad|varad|atrapad|atascad)[oa]s?\b/;
const TONIGHT =
  /\b(?:tonight|this night|for the night|heute nacht|diese nacht|fur die nacht|heute abend|esta noche|para la noche|a bed|ein bett|una cama|somewhere to sleep|where to sleep|dormir)\b/;
const MISSED =
  /\b(?:missed|miss) (?:my|our|the) (?:connection|connecting flight|flight)\b|\b(?:anschluss\w*|flug|flieger)\b[^.!?]*\bverpasst\b|\bperdido (?:la|mi|nuestra|el|nuestro) (?:conexion|enlace|vuelo)\b/;

/** A flight that does not go any more today, and nowhere to sleep. */
export const isStranded = ({ folded, kinds }: Reading, isCancelled: boolean): boolean =>
  STUCK.test(folded) || ((isCancelled || MISSED.test(folded)) && (TONIGHT.test(folded) || kinds.has("stay")));

const MY_OWN =
  /\b(?:did i|have i|i have|i've|i (?:personally )?(?:spent|paid)|personally|my own|habe ich|ich (?:personlich|selbst|selber)|hab ich|he (?:gastado|pagado)|gaste|pague|personalmente|yo (?:mism[oa])?)\b/;
const OURS =
  /\b(?:we|us|our|everyone|everybody|company|team|wir|uns|unser\w*|alle|firma|hemos|nos|nuestr\w+|gastamos|pagamos|todos|empresa)\b/;

/** "What did I personally spend?", and not "what did we spend?". */
export const asksForOwn = ({ folded }: Reading): boolean => MY_OWN.test(folded) && !OURS.test(folded);

/** Nobody else is asked about. */
export const isPersonal = ({ folded }: Reading): boolean =>
  /\b(?:personally|my own|myself|personlich|selbst|selber|personalmente|yo|mism[oa])\b/.test(folded);

const SOMEBODY_ELSE =
  /\b(?:my|a|our) (?:\w+ )?(?:friend|colleague|boss|wife|husband|partner|mother|mum|mom|father|dad|sister|brother|girlfriend|boyfriend|cousin|aunt|uncle|guest|client)\b|\b(?:mein\w*|ein\w*|unser\w*) (?:\w+ )?(?:freund(?:in)?|kolleg(?:e|en|in)|chef(?:in)?|frau|mann|partner(?:in)?|mutter|vater|schwester|bruder|gast|cousine?)\b|\b(?:mi|un|una|nuestr[oa]) (?:amig[oa]|companer[oa]|colega|jef[ea]|mujer|marido|espos[oa]|pareja|madre|padre|herman[oa]|novi[oa]|prim[oa])\b/;

/** "Can my friend, who has an Indian passport, come to Spain?" */
export const isAboutAnother = ({ folded }: Reading): boolean => SOMEBODY_ELSE.test(folded);

const FARE = /\b(?:fares?|tarif\w*|tarifas?|rates?|zimmer\w*|rooms?|habitacion\w*|ticket)\b/;
const PREFERS =
  /\b(?:also|auch|tambien|is there|are there|isn't there|gibt es|gibt's|hay|rather|lieber|prefer\w*|prefier\w*|instead|could (?:we|i) (?:get|have)|can (?:we|i) (?:get|have)|mejor)\b/;

/** "Is there a fare for it that I can cancel?", of what is about to be booked. */
export const asksForOtherTerms = ({ deed }: State, { folded, kinds }: Reading): boolean =>
  (deed?.name === "book_flight" || deed?.name === "book_stay") &&
  ["refundable", "changeable", "board"].some((kind) => kinds.has(kind)) &&
  FARE.test(folded) &&
  PREFERS.test(folded);
