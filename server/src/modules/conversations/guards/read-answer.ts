/**
 * Phrases that answer a confirmation, in all languages. The whole message must consist of them, so that "yes, but in business
 * class" is no answer. No model decides what a yes is.
 */
const YES = `yes; yeah; yep; yup; sure; ok; okay; confirm; confirmed; i confirm; agreed; approved; go ahead; do it; proceed;
  book it; book that; book this; book them; pay it; absolutely; definitely; let's do it; let's do that; go for it; sounds good; sounds great
  ja; jawohl; jo; klar; gerne; passt; einverstanden; bestätigt; bestätige; ich bestätige; bestätigen; buchen; buch es; buche es;
  buchen sie; buchen wir; buche das; buch das; machen sie; in ordnung; so machen wir's; nehmen wir; nehme ich; mach das; mach es; machen wir; machen wir so; leg los; auf jeden fall; okey
  sí; si; vale; claro; adelante; confirmo; confirmado; confirmar; lo confirmo; acepto; hazlo; hágalo; dale; de acuerdo;
  por supuesto; resérvalo; resérvelo; resérvala; resérvela; reserve; reserva; me parece bien; lo reservamos; claro que sí
  oui; ouais; d'accord; je confirme; confirme; confirmé; bien sûr; allez-y; allez y; vas-y; vas y; réserve; réservez; je suis d'accord
  sim; claro que sim; confirmo; pode avançar; pode reservar; pode ser; avance; força; com certeza; está certo
  はい; ええ; うん; お願いします; おねがいします; はいお願いします; 承知しました; 了解; 了解です; 了解しました; 予約してください;
  確認しました; それでお願いします; 大丈夫です`;

const NO = `no; nope; nah; cancel; cancel it; don't; do not; don't do it; don't book it; stop; never mind; nevermind; not now; rather not;
  no way
  nein; nee; nö; abbrechen; lieber nicht; doch nicht; bitte nicht; nicht buchen; stopp; lass es; lass mal; nein danke
  no gracias; cancela; cancelar; cancélalo; mejor no; no lo hagas; ahora no; para nada
  non; annuler; annule; annulez; pas maintenant; surtout pas
  não; nao; cancela; cancele; melhor não; agora não
  いいえ; いや; やめて; やめてください; やめます; キャンセル; キャンセルしてください; 結構です; 不要です; いりません`;

/** Beside a yes or a no they change nothing of it. */
const POLITE = `please; thanks; thank you; many thanks; then; that's fine; that is fine; that's perfect; that's great; that's right; that's it; it is; it's fine; looks good; look good; fine; great; lovely; wonderful; excellent; all; now; well; perfect; good; right; correct; all good
  bitte; bitte sehr; danke; vielen dank; danke schön; gut; sehr gut; perfekt; prima; super; stimmt; genau; alles klar; so; das; es; na gut; na dann; gut so; dann; mal; also; wunderbar; sehr gern; das passt; genau so; den; diesen; ihn
  por favor; gracias; muchas gracias; perfecto; bien; está bien; correcto; así; está perfecto; muy bien; entonces; ese; esa; este; esta; bueno; genial; estupendo
  s'il vous plaît; s'il te plaît; svp; stp; merci; merci beaucoup; parfait; très bien; c'est bon
  obrigado; obrigada; muito obrigado; perfeito; muito bem; se faz favor
  ありがとう; ありがとうございます; それで; どうぞ`;

type Meaning = "yes" | "no" | "polite";

const meanings: ReadonlyMap<string, Meaning> = new Map([
  ...listPhrases(POLITE, "polite"),
  ...listPhrases(NO, "no"),
  ...listPhrases(YES, "yes"),
]);

const LONGEST_ANSWER = 60;
const MOST_WORDS_OF_PHRASE = 4;

function listPhrases(text: string, meaning: Meaning): readonly (readonly [string, Meaning])[] {
  return text.split(/[;\n]/).map((phrase) => [splitWords(phrase).join(" "), meaning] as const);
}

function splitWords(text: string): readonly string[] {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll("’", "'")
    .split(/[^\p{L}\p{M}\p{N}']+/u)
    .filter((word) => word !== "");
}

/** `other`: the message is neither a plain yes nor a plain no. */
export function readAnswer(text: string): "yes" | "no" | "other" {
  if (text.length > LONGEST_ANSWER) return "other";
  const words = splitWords(text);
  const found = new Set<Meaning>();
  for (let next = 0; next < words.length; ) {
    const length = findPhrase(words, next);
    const meaning = meanings.get(words.slice(next, next + length).join(" "));
    if (length === 0 || meaning === undefined) return "other";
    found.add(meaning);
    next += length;
  }
  if (found.has("yes") === found.has("no")) return "other";
  return found.has("yes") ? "yes" : "no";
}

/** The number of words of the longest phrase that begins here; 0: none does. */
function findPhrase(words: readonly string[], from: number): number {
  for (let length = Math.min(MOST_WORDS_OF_PHRASE, words.length - from); length > 0; length -= 1) {
    if (meanings.has(words.slice(from, from + length).join(" "))) return length;
  }
  return 0;
}
