const NAMES = `(?:wheel ?chairs?|rollst[uü]hle?|sillas? de ruedas|(?:special|airport|boarding|mobility) assistance|mobilitätshilfe|rollstuhlservice|(?:asistencia|ayuda) (?:especial|en el aeropuerto)|reduced mobility|movilidad reducida|unaccompanied minor)`;
const WHO = `(?:(?:and|und|y|but|aber|pero|also|außerdem|auch|además|does|do|will|can|she|he|they|i|we|sie|er|ich|wir|ella|él|ellos|yo|would|really) ){0,4}`;
const NEED = String.raw`(?:needs?|gets?|requires?|uses?|have|has|wants?|order|request|braucht|brauche|brauchen|benötigt|benötige|bekommt|bekomme|hat|necesita\w*|necesito|usa|requiere|tiene)`;
const WHERE = `(?: (?:at|on|in|am|im|an|en)(?: (?:the|el|dem|der))? (?:airports?|flughafen|aeropuerto|bord|board))?`;
const ARTICLE = `(?:(?:sie|er|ich|she|he|auch|a|an|the|her|his|for|einen?|den|der|ihren|una|la|su|with|mit|con|and|und|y|what about|was ist mit) ){0,3}`;
const CLAUSE = new RegExp(String.raw`(?<!\p{L})${WHO}(?:${NEED} )?${ARTICLE}${NAMES}(?!\p{L})${WHERE}`, "giu");

/** A wheelchair and other help at the airport: `rest` is without the words about it, which wish for no journey. */
export function readAssistance(text: string): { readonly isWanted: boolean; readonly rest: string } {
  const rest = text.replaceAll(CLAUSE, (clause) => " ".repeat(clause.length));
  return { isWanted: rest !== text, rest };
}

const HOLD =
  /(?<!\p{L})(?:(?:please |can you |could you )?hold (?=an? |the |this |that |it |me )|(?:and |but )?(?:do not|don't|don’t|without) pay(?:ing)?(?: yet| now| for it)?|(?:and )?pay later|unverbindlich|optionier\p{L}*|(?:und |aber )?(?:noch nicht|erst später) (?:be)?zahlen|ohne (?:gleich |sofort )?zu (?:be)?zahlen|vormerken|(?:y |pero )?sin pagar(?: todavía| aún)?|(?:y )?pag(?:ar|o) (?:más tarde|después|luego)|retener|retén(?:me)?|retenga)(?!\p{L})/giu;
const HOLD_END =
  /,? (?:until|till|bis|hasta) (?:tomorrow|tonight|morgen|übermorgen|heute abend|mañana|(?:el )?\p{L}*(?:day|tag|lunes|martes|miércoles|jueves|viernes|sábado|domingo))(?: evening| morning| abend)?(?!\p{L})/giu;

/** "Hold it until tomorrow, do not pay yet": `rest` is without these words, which name no day of a journey. */
export function readHold(text: string): { readonly isWanted: boolean; readonly rest: string } {
  const without = text.replaceAll(HOLD, (clause) => " ".repeat(clause.length));
  if (without === text) return { isWanted: false, rest: text };
  return { isWanted: true, rest: without.replaceAll(HOLD_END, (clause) => " ".repeat(clause.length)) };
}

const MONEY = String.raw`(?:\d+(?: ?(?:€|\$|euros?|dollars?|dólares|usd|eur))?|limit|budget|grenze|obergrenze|límite|presupuesto)`;
const IS = `(?:was|were|is|are|war|waren|galt|galten|gilt|gelten|ist|sind|era|eran|es|son)`;
const NOT_FLIGHT = `(?:,? (?:(?:and|und|y) )?(?:not|nicht|no)(?: (?:for|für|para))?(?: (?:the|den|der|die|el|los))? (?:flights?|flüge|flug|vuelos?))?`;
const STAY_LIMIT = new RegExp(
  String.raw`(?<!\p{L})(?:(?:the|die|der|das|los|las|el|that|this) )?(?:${MONEY})(?: (?:a|per|pro|por) (?:night|nacht|noche))? ${IS}(?: (?:only|just|meant|nur|bloß|solo))?(?: (?:for|für|fürs|para|of))?(?: (?:the|das|el))? (?:hotel|stay|room|zimmer|hotelzimmer|alojamiento)(?: gemeint| gedacht)?${NOT_FLIGHT}`,
  "iu",
);

/** "The 130 was for the hotel, not the flight." */
export function readStayLimit(text: string): { readonly isSaid: boolean; readonly rest: string } {
  const rest = text.replace(STAY_LIMIT, (clause) => " ".repeat(clause.length));
  return { isSaid: rest !== text, rest };
}
