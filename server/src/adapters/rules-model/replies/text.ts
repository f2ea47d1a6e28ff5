/** A text in every language of the replies. Brazilian Portuguese is named where it differs. */
export function text<const English extends string>(
  en: English,
  de: string,
  es: string,
  fr: string,
  pt: string,
  ja: string,
  brazilian: string = pt,
) {
  return { en, de, es, fr, pt, "pt-BR": brazilian, ja };
}
