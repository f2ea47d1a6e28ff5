/**
 * Phrases that answer a confirmation, in all languages. The whole message must consist of them, so that "yes, but in business
 * class" is no answer. No model decides what a yes is.
 */
const YES = `yes; yeah; yep; yup; sure; ok; okay; confirm; confirmed; i confirm; agreed; approved; go ahead; do it; proceed;
  book it; book that; book this; book them; book that one; book this one; reserve it; take it; i'll take it; we'll take it; i'd like that one; book it for us; book it for me; pay it; absolutely; by all means; that works; that works for me; that works for us; works for me; i agree; we agree; i'm happy with that; happy with that; definitely; let's do it; let's do that; go for it; sounds good; sounds great
  ja; jawohl; jo; klar; gerne; passt; einverstanden; bestätigt; bestätige; ich bestätige; bestätigen; buchen; buch es; buche es;
  buchen sie; buchen wir; buche das; buch das; buchen sie diesen; buchen sie den; ich nehme es; ich nehme ihn; ich nehme sie; wir nehmen es; wir nehmen ihn; wir nehmen sie; machen sie; in ordnung; so machen wir's; nehmen wir; nehme ich; mach das; mach es; machen wir; machen wir so; leg los; auf jeden fall; okey; genau so bitte; bitte so; machen sie das; machen sie es; machen sie das so; so machen; buchen sie das; buchen sie es; bin einverstanden; wir sind einverstanden
  sí; si; vale; claro; adelante; confirmo; confirmado; confirmar; lo confirmo; acepto; hazlo; hágalo; dale; de acuerdo;
  por supuesto; resérvalo; resérvelo; resérvala; resérvela; reserve; reserva; me parece bien; lo reservamos; me lo quedo; nos lo quedamos; claro que sí; me va bien; nos va bien; me parece perfecto; hazlo así; estoy de acuerdo; sin problema; venga
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
const POLITE = `please; and; thanks; thank you; many thanks; thanks a lot; thanks so much; thanks very much; thank you so much; thank you very much; thank you kindly; for your help; for all your help; cheers; lovely thanks; then; that's fine; that is fine; that's perfect; that's great; that's right; that is right; that's correct; that is correct; that's all correct; that's all fine; that's good; that's it; exactly; exactly right; exactly that; exactly like that; just like that; that'd be great; that would be great; that would be lovely; that would be perfect; that looks right; that looks good; looks right; all right; for us; for me; so; oh; it is; it's fine; looks good; look good; fine; great; lovely; wonderful; excellent; all; now; well; perfect; good; right; correct; all good
  bitte; bitte sehr; danke; und; vielen dank; vielen lieben dank; herzlichen dank; besten dank; tausend dank; danke dir; danke ihnen; danke sehr; für die hilfe; für ihre hilfe; für deine hilfe; danke schön; gut; sehr gut; perfekt; prima; super; stimmt; genau; alles klar; so; das; es; na gut; na dann; gut so; dann; mal; also; wunderbar; sehr gern; das passt; genau so; den; diesen; ihn; stimmt so; das stimmt; das stimmt so; ist richtig; das ist richtig; richtig; alles richtig; so ist es; so ist es richtig; freut mich; ganz genau; super danke; das ist gut; ist gut; ach
  por favor; y; gracias; muchas gracias; muchísimas gracias; mil gracias; gracias por todo; por tu ayuda; por su ayuda; por la ayuda; perfecto; bien; está bien; correcto; así; está perfecto; muy bien; entonces; ese; esa; este; esta; bueno; genial; estupendo; exacto; eso es; así es; todo correcto; todo bien; es correcto; está correcto; eso mismo; te lo agradezco; se lo agradezco
  s'il vous plaît; s'il te plaît; svp; stp; merci; merci beaucoup; parfait; très bien; c'est bon
  obrigado; obrigada; muito obrigado; perfeito; muito bem; se faz favor
  ありがとう; ありがとうございます; それで; どうぞ`;

/** The deed that is asked about, in a word: at another question the same word asks for something else. */
const DEEDS: Readonly<Record<string, string>> = {
  confirm_order_change: `change it; change that; move it; rebook it; ändern; ändere es; ändern sie es; umbuchen; buch um; buche um; buchen sie um; umbuchen bitte;
    cámbialo; cámbiala; cámbielo; cámbiela; cambia; cambiar; cámbiame el vuelo`,
  confirm_cancel_order: `cancel it; cancel; cancel that; cancel this; cancel them; cancel the booking; stornieren; storniere; storniere es; storniere das; storniere ihn; stornieren sie; stornieren sie es; stornieren sie das;
    cancélalo; cancélala; cancélelo; cancélela; cancela; cancele; cancelar; anúlalo; anúlala; anúlelo`,
  save_traveler: `save it; save that; save her; save him; save them; save the profile; speichern; speichere es; speichere das; speichern sie es; speichern sie das;
    guárdalo; guárdala; guárdelo; guárdela; guarda; guardar`,
};

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

const deeds: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries(DEEDS).map(([tool, words]) => [tool, new Set(listPhrases(words, "yes").map(([phrase]) => phrase))]),
);

type Answer = "yes" | "no" | "other";

/**
 * `other`: the message is neither a yes nor a no. `tool`: the one that was shown. A yes may have a wish for afterwards behind
 * it: it is no part of the answer.
 */
export function readAnswer(text: string, tool?: string): Answer {
  const further = readFurther(text);
  return further === undefined ? readPlain(text, tool) : "yes";
}

/** Begins what is to come after: "yes, and then the hotel", "Ja. Danach bitte ein Hotel", "sí, y luego el hotel". */
const AFTERWARDS =
  /^(.{2,60}?)(?:\s*[,;]?\s+(?:and|und|y|e)\s+|\s*[.!;,]\s*(?:(?:and|und|y|e)\s+)?)(?=(?:then|afterwards|after that|next|dann|danach|anschließend|hinterher|luego|después|a continuación)[\s,])(.+)$/isu;
/** Would change what was shown, or make it depend on something. */
const CHANGES =
  /(?<![\p{L}'])(?:but|if|unless|only|instead|not|no|never|without|rather|cancel\w*|change\w*|aber|wenn|falls|nur|statt|stattdessen|nicht|kein\p{L}*|ohne|lieber|doch|storn\p{L}*|umbuch\p{L}*|änder\p{L}*|pero|si|solo|sólo|salvo|vez|sin|mejor|nada|cambi\p{L}*|cancel\p{L}*|anul\p{L}*)(?!\p{L})|n't\b/iu;
const LONGEST_FURTHER = 300;

/** The wish for afterwards behind a yes; undefined: there is none, or it is not only for afterwards. */
export function readFurther(text: string): string | undefined {
  if (text.length > LONGEST_ANSWER + LONGEST_FURTHER || text.includes("\n")) return undefined;
  const [, answer = "", further = ""] = AFTERWARDS.exec(text.trim().replaceAll("’", "'")) ?? [];
  if (further === "" || CHANGES.test(further) || readPlain(answer) !== "yes") return undefined;
  return splitWords(further).length >= 3 ? further : undefined;
}

function readPlain(text: string, tool?: string): Answer {
  const own = tool === undefined ? undefined : deeds.get(tool);
  if (text.length > LONGEST_ANSWER) return "other";
  const words = splitWords(text);
  const found = new Set<Meaning>();
  for (let next = 0; next < words.length; ) {
    const length = findPhrase(words, next, own);
    const phrase = words.slice(next, next + length).join(" ");
    const plain = meanings.get(phrase);
    // "Cancel" alone may mean either; "yes, cancel it" does not.
    const meaning = own?.has(phrase) === true && (plain !== "no" || found.has("yes")) ? "yes" : plain;
    if (length === 0 || meaning === undefined) return "other";
    found.add(meaning);
    next += length;
  }
  if (found.has("yes") === found.has("no")) return "other";
  return found.has("yes") ? "yes" : "no";
}

/** The number of words of the longest phrase that begins here; 0: none does. */
function findPhrase(words: readonly string[], from: number, own: ReadonlySet<string> | undefined): number {
  for (let length = Math.min(MOST_WORDS_OF_PHRASE, words.length - from); length > 0; length -= 1) {
    const phrase = words.slice(from, from + length).join(" ");
    if (meanings.has(phrase) || own?.has(phrase) === true) return length;
  }
  return 0;
}
