/** "Back to the original plan", "dann lassen wir es doch bei Oslo": these words name no way back and no place near. */
const BACK_TO_PLAN =
  /(?<!\p{L})(?:(?:let's |let us |we'll |i'd )?(?:go(?:ing)? )?back to (?:the|our|my) (?:original|first|earlier|old|initial) (?:plan|idea|flights?|trip)|(?:let's |then )?(?:leave it at|stick (?:with|to)|stay with)|zurück zum (?:ursprünglichen|ersten|alten) (?:plan|vorschlag|flug)|(?:dann )?(?:lassen|bleiben) wir (?:es |das )?(?:doch |lieber |einfach )?bei(?:m)?|(?:dann )?bleibt es (?:doch )?bei|wie (?:ursprünglich|anfangs) (?:geplant|gedacht)|(?:volvamos|volver|vuelvo|volvemos) al plan (?:original|inicial|de antes|anterior)|(?:nos quedamos|me quedo|quedémonos) (?:entonces )?con el plan (?:original|inicial|de antes)|dejémoslo en)(?!\p{L})/iu;

/** Whether an earlier plan is meant again; `rest` is without the words that say so. */
export function readPlan(text: string): { readonly isEarlier: boolean; readonly rest: string } {
  const rest = text.replace(BACK_TO_PLAN, (clause) => " ".repeat(clause.length));
  return { isEarlier: rest !== text, rest };
}
