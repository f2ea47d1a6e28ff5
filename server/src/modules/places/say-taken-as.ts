/** A name without its city or country is too vague to be presented as the place that was meant. */
export function sayTakenAs(text: string, label: string, otherPlaces: readonly string[]): string | null {
  const isBare = !/[\p{N},;]/u.test(text) && !/^[a-z]{3}$/i.test(text);
  if (!isBare && otherPlaces.length === 0) return null;
  const also = otherPlaces.length === 0 ? "" : ` It could also be: ${otherPlaces.join("; ")}.`;
  return `The location was taken as ${label}.${also} Tell the person before you book; if another place is meant, add its city and country.`;
}
