import { type Birth, readBirths, type Span } from "./births.ts";
import type { Marks } from "./cursor.ts";
import { fold } from "./marks.ts";

/** A profile's members, as a message says them. */
export interface PersonDetails {
  readonly bornOn?: string;
  readonly email?: string;
  readonly phoneNumber?: string;
  readonly gender?: "f" | "m";
  readonly title?: "mr" | "ms" | "mrs" | "miss" | "dr";
}

export interface Personal {
  /** Full names of people for whom it is asked. */
  readonly names: readonly string[];
  readonly details: PersonDetails;
  /** Every date of birth, and every word for a sex, in the order of the text. */
  readonly births: readonly Birth[];
  readonly sexes: readonly ("f" | "m")[];
  /** The caller does not travel; undefined: the text does not say. */
  readonly isCallerOut: boolean | undefined;
  /** The text with spaces instead of what was read here, so that nothing of it becomes a day or a place. */
  readonly rest: string;
}

interface Context {
  readonly today: Temporal.PlainDate;
  /** Given names of those who have a profile, folded. */
  readonly people: readonly string[];
  /** Full names of people without one who were spoken of before. */
  readonly known: readonly string[];
  readonly language: string;
  /** Was asked for: a name that begins the text is one. */
  readonly isNameAsked: boolean;
  /** The caller travels with people who were spoken of: who they are leaves nobody out. */
  readonly isAccompanied: boolean;
}

const OWN = "(?:[Mm]y|[Oo]ur|[Mm]ein(?:e[nrm]?)?|[Uu]nser(?:e[nrm]?)?|[Mm]i|[Nn]uestr[oa])";
const WOMEN =
  "grandma|grandmother|granny|mother|mum|mom|sister|aunt|wife|daughter|girlfriend|Oma|Großmutter|Mutter|Mama|Schwester|Tante|Frau|Tochter|Freundin|Kollegin|abuela|madre|hermana|tía|esposa|mujer|hija|amiga|novia";
const MEN =
  "grandpa|grandfather|father|dad|brother|uncle|husband|son|boyfriend|Opa|Großvater|Vater|Papa|Bruder|Onkel|Mann|Sohn|Freund|Kollege[n]?|abuelo|padre|hermano|tío|marido|hijo|amigo|esposo|novio";
const RELATIVE = `${OWN} (?:${WOMEN}|${MEN}|friend|colleague|partner|boss|child|kid|baby|Kind|Partnerin)`;
const WORD = String.raw`\p{Lu}[\p{L}'’-]+`;
const FOR = "(?:[Ff]or|[Ff]ür|[Pp]ara)";
const AGE = String.raw`(?:,? ?\(\d{1,3}\)|, \d{1,3}(?=,))?`;
const NAMED =
  "(?:(?:passenger|travell?er|guest)(?:'s|’s)?(?: name)?(?: is|:)|name of the (?:passenger|travell?er) is|(?:[Rr]eisende[rn]?|[Pp]assagier(?:in)?|Fluggast)(?: ist| heißt|:)|(?:pasajer[oa]|viajer[oa])(?: es| se llama|:)|(?:[Hh]er|[Hh]is|[Ii]hr|[Ss]ein) [Nn]ame (?:is|ist)|[Ss]u nombre es|(?:[Ss]he|[Hh]e) is called|(?:[Ss]ie|[Ee]r) heißt|(?:[Ee]lla|[Éé]l) se llama)";
const TITLES = "(?:Mrs|Mr|Ms|Miss|Dr|Frau|Herrn?|[Ss]eñora|[Ss]eñor|Sra|Sr)";
const SEXES = "(?:female|male|weiblich|männlich|mujer|hombre)";
const BORN = "(?:born|geboren|geb\\.|nacid[oa]|date of birth|Geburtsdatum|fecha de nacimiento)";

/** Each has the name in its group; `isSure`: the words around it leave no doubt that it is one. */
const IS = "(?:,|:| is| is called| heißt| ist| se llama| es)?";
const NAMES: readonly { readonly pattern: RegExp; readonly isSure: boolean }[] = [
  [`(?:${FOR} )?${RELATIVE}${IS} (${WORD}(?: ${WORD}){0,2})${AGE}`, true] as const,
  [`${NAMED} (${WORD}(?: ${WORD}){0,2})`, true] as const,
  [`(?:${FOR} )?${TITLES}\\.? (${WORD}(?: ${WORD}){0,2})${AGE}`, true] as const,
  [`(?:${FOR} )?(${WORD}(?: ${WORD}){1,2})${AGE}(?=,? (?:${SEXES},? )?${BORN})`, true] as const,
  [`${FOR} (${WORD}(?: ${WORD}){1,2})${AGE}`, false] as const,
].map(([source, isSure]) => ({ pattern: new RegExp(`(?<![\\p{L}'’])${source}(?![\\p{L}])`, "gu"), isSure }));

/** The answer to the question who travels. */
const ASKED_NAME = {
  pattern: new RegExp(
    `(?<=^(?:(?:[Ii]t's|[Ii]t is|[Tt]hat's|[Tt]hat is|[Dd]as ist|[Ee]s ist|[Ss]e llama|[Ss]u nombre es|[Ee]s|[Yy]es|[Ss]ure|[Oo][Kk]|[Jj]a|[Ss]í)[,:]? )*)(${WORD}(?: ${WORD}){1,2})${AGE}(?![\\p{L}])`,
    "gu",
  ),
  isSure: true,
};

/** Begin names of days, and of places that are not known. */
const NO_PEOPLE =
  /^(?:christmas|easter|new|thanksgiving|black|spring|summer|winter|autumn|boxing|valentine|labou?r|memorial|bank|semana|ano|navidad|weihnacht|silvester|oster|pfingst|san|santa|santo|saint|fort|port|puerto|los|las|el|isla|playa|costa|mount|lake|bad|hotel|group|team|geschaft|business)/;
const CHILD = /(?<!\p{L})(?:daughter|son|child|kid|baby|Tochter|Sohn|Kind|hija|hijo)(?!\p{L})/u;
const LEADS_PERSON = new RegExp(`^(?:${FOR} |${NAMED} )`, "u");
const LEADS_FOR = new RegExp(`^${FOR} `, "u");
const COMPANY = /(?:\b(?:with|mit|con|and|und|y|e) |\b(?:my|mein|mi) name (?:is|ist|es) )$/iu;
/** "Mia Tan, born …, and Lena Tan, born …" */
const LISTED = /(?:^|[^\p{L}])(?:and|und|y|e) $/u;
const SELF_IS = /(?<!\p{L})(?:I am|I'm|I’m|ich bin|ich heiße|(?:yo )?soy|me llamo) $/iu;
const FOLLOWED_BY_BIRTH = new RegExp(
  `^(?:,? ?(?:${SEXES},? )?${BORN}| (?:is|was|ist|wurde|nació)(?: am| on| el)? (?:born|\\d))`,
  "u",
);
const SELF_FOLLOWS = /^,? (?:and|und|y)(?: (?:for|für|para))? (?:me|myself|I|mich|mir|ich|mí|yo)(?![\p{L}])/iu;
/** "Mia, who is 6, and me" */
const SELF_FOLLOWS_AGE =
  /^,? (?:who is |aged |die |der |que tiene )?\d{1,2}(?: years old| Jahre(?: alt)?| años)?(?: ist)?,? (?:and|und|y)(?: (?:for|für|para))? (?:me|myself|I|mich|mir|ich|mí|yo)(?![\p{L}])/iu;
const SELF_TOO =
  /(?<!\p{L})(?:(?:I'll|I’ll|I will|I'm|I’m|I am) (?:also )?(?:be )?(?:also )?(?:travell?ing|flying|coming)(?: along)?(?: too| as well| with them)|ich (?:reise|fliege|komme) (?:auch|selbst|natürlich|ebenfalls) mit|yo también (?:viajo|voy|vuelo))(?!\p{L})/iu;
const NOT_SELF =
  /(?<!\p{L})(?:,? ?(?:but|and|und|y)? ?)?(?:(?:not|nicht|no) (?:for|für|para) (?:me|myself|mich|mí)|not me|nicht ich|nicht mich|no yo|no soy yo|I (?:do not|don't|am not) (?:travel\w*|fly\w*|go\w*)|ich (?:reise|fliege) nicht(?: mit)?|yo no (?:viajo|voy))(?!\p{L})(?:,? sondern| but| sino)?/giu;
const MAIL = /(?:\b(?:e-?mail|correo)\b:? )?([\p{L}\p{N}._%+-]+@[\p{L}\p{N}.-]+\.\p{L}{2,})/iu;
const PHONE = /(?:\b(?:phone|telephone|mobile|tel|telefon\w*|teléfono|móvil|handy)\b\.?:? ?)?(\+\d[\d ()/-]{6,}\d)/iu;
/** Without its country it cannot be called, and is no number of an offer either. */
const LOCAL_PHONE = /(?<!\d)0\d{2,}[ /-]?\d{3,}(?: \d+)*(?!\d)/u;
const SEX =
  /(?<!\p{L})(?:(?<f>(?:she is |es ist |es )?(?:a woman|eine frau|una mujer)|female|weiblich|mujer|femenino|(?<=^|, )(?:woman|frau)(?=[,.]|$))|(?<m>(?:he is )?(?:a man|ein mann|un hombre)|male|männlich|hombre|masculino))(?!\p{L})/iu;
const TITLE =
  /(?<!\p{L})(?<!meine |my )(Mrs|Mr|Ms|Miss|Dr|Frau|Herrn?|[Ss]eñora|[Ss]eñor|Sra|Sr)(?=\.? \p{Lu}|\.?,|\.?$)/u;
const VISIT = new RegExp(
  `(?<!\\p{L})(?:visit(?:ing)?|see|besuch\\p{L}*|visit(?:ar|a) a) (?:${RELATIVE})|${RELATIVE} besuchen`,
  "giu",
);
const WOMAN = new RegExp(`${OWN} (?:${WOMEN})(?!\\p{L})`, "u");
const MAN = new RegExp(`${OWN} (?:${MEN})(?!\\p{L})`, "u");

export function readPersonal(text: string, marks: Marks, context: Context): Personal {
  const found: Span[] = [];
  const take = (match: RegExpExecArray | null): RegExpExecArray | undefined => {
    if (match === null) return undefined;
    found.push({ start: match.index, end: match.index + match[0].length });
    return match;
  };
  let isForOthers = false;
  const names = readNames(text, marks, {
    context,
    found,
    onOthers() {
      isForOthers = true;
    },
  });
  const isKnown = names.length > 0 || context.known.length > 0;
  const email = take(MAIL.exec(text))?.[1]?.toLowerCase();
  const phone = take(PHONE.exec(text))?.[1]?.replaceAll(/[^\d+]/g, "");
  if (isKnown && phone === undefined) take(LOCAL_PHONE.exec(text));
  const births = readBirths(text, { ...context, isOfPerson: isKnown });
  found.push(...births);
  const [birth] = births;
  const isNotSelf = [...text.matchAll(NOT_SELF)].length > 0;
  for (const pattern of [NOT_SELF, VISIT]) {
    for (const { index, 0: whole } of text.matchAll(pattern)) found.push({ start: index, end: index + whole.length });
  }
  const sex = isKnown ? take(SEX.exec(text)) : undefined;
  const title = isKnown ? toTitle(TITLE.exec(text)?.[1]) : undefined;
  const gender = sex === undefined ? toGender(text, title, names) : sex.groups?.f === undefined ? "m" : "f";
  return {
    names,
    details: {
      ...(birth?.date === undefined ? {} : { bornOn: birth.date }),
      ...(email === undefined ? {} : { email }),
      ...(phone === undefined ? {} : { phoneNumber: phone }),
      ...(gender === undefined ? {} : { gender }),
      ...(title === undefined ? {} : { title }),
    },
    births,
    sexes: isKnown || births.length > 1 ? readSexes(text, found) : [],
    isCallerOut: SELF_TOO.test(text) ? false : isNotSelf || isForOthers ? true : undefined,
    rest: found.reduce(
      (rest, { start, end }) => rest.slice(0, start) + " ".repeat(end - start) + rest.slice(end),
      text,
    ),
  };
}

/** One person's own, where the text tells of several: from the name on, with the words before it. */
export function readContact(text: string, lead: string): PersonDetails {
  const email = MAIL.exec(text)?.[1]?.toLowerCase();
  const phoneNumber = PHONE.exec(text)?.[1]?.replaceAll(/[^\d+]/g, "");
  const gender = WOMAN.test(lead) ? "f" : MAN.test(lead) ? "m" : undefined;
  return {
    ...(email === undefined ? {} : { email }),
    ...(phoneNumber === undefined ? {} : { phoneNumber }),
    ...(gender === undefined ? {} : { gender }),
  };
}

/** Takes the words for a sex out of the text, too. */
function readSexes(text: string, found: Span[]): readonly ("f" | "m")[] {
  return [...text.matchAll(new RegExp(SEX, "giu"))].map((match) => {
    found.push({ start: match.index, end: match.index + match[0].length });
    return match.groups?.f === undefined ? "m" : "f";
  });
}

function readNames(
  text: string,
  marks: Marks,
  {
    context: { people, known, isNameAsked, isAccompanied },
    found,
    onOthers,
  }: { context: Context; found: Span[] /** They are named without the caller. */; onOthers(): void },
): readonly string[] {
  const names: string[] = [];
  const put = (match: Pick<RegExpExecArray, 0 | "index">, name: string, isNew: boolean): void => {
    const [start, end] = [match.index, match.index + match[0].length];
    if (found.some((one) => start < one.end && end > one.start)) return;
    const before = text.slice(0, start);
    const isListed = LISTED.test(before) && FOLLOWED_BY_BIRTH.test(text.slice(end));
    if ((COMPANY.test(before) && !isListed) || SELF_IS.test(before) || SELF_FOLLOWS.test(text.slice(end))) return;
    // "My daughter Mia": that a child comes along is read, too.
    found.push({ start: CHILD.test(match[0]) ? start + match[0].lastIndexOf(name.split(" ")[0] ?? name) : start, end });
    const isForThem = LEADS_PERSON.test(match[0])
      ? LEADS_FOR.test(match[0]) || !isAccompanied
      : isNew && !isAccompanied;
    if (isForThem && !SELF_FOLLOWS_AGE.test(text.slice(end))) onOthers();
    if (!names.includes(name)) names.push(name);
  };
  for (const name of known) {
    const [first = name] = name.split(" ");
    const pattern = new RegExp(
      `(?<![\\p{L}])(?:${FOR} )?(?:${RELATIVE} |${NAMED} )?(?:${escapePattern(name)}|${escapePattern(first)})(?![\\p{L}])`,
      "gu",
    );
    for (const match of text.matchAll(pattern)) {
      const more = name.includes(" ") ? "" : readSurname(match, { text, marks, isNameAsked });
      put({ 0: `${match[0]}${more}`, index: match.index }, `${name}${more}`, false);
    }
  }
  for (const { pattern, isSure } of isNameAsked ? [...NAMES, ASKED_NAME] : NAMES) {
    for (const match of text.matchAll(pattern)) {
      const name = cutName(match, marks, isSure);
      const first = fold(name?.split(" ")[0] ?? "");
      if (name === undefined || (!isSure && NO_PEOPLE.test(first))) continue;
      if (people.includes(first)) {
        // Who has a profile is found by it; here it counts only for whom the words ask.
        const isFor = LEADS_PERSON.test(match[0]) && !SELF_FOLLOWS.test(text.slice(match.index + match[0].length));
        if (isFor && !COMPANY.test(text.slice(0, match.index))) onOthers();
        continue;
      }
      const isKnown = known.find((one) => fold(one).split(" ")[0] === first && !name.includes(" "));
      put(match, isKnown ?? name, isKnown === undefined);
    }
  }
  return names;
}

/** "Karin" was said before, and is "Karin Brandt" now: the words behind the name that belong to it. */
function readSurname(
  match: RegExpExecArray,
  { text, marks, isNameAsked }: { text: string; marks: Marks; isNameAsked: boolean },
): string {
  const end = match.index + match[0].length;
  const [more = ""] = /^(?: \p{Lu}[\p{L}'’-]+){1,2}(?![\p{L}])/u.exec(text.slice(end)) ?? [];
  let length = 0;
  for (const word of more.split(" ").slice(1)) {
    const at = end + length + 1;
    const mark = marks.list.find((one) => one.start <= at && at < one.end);
    // Who was asked for a name may have one that is a word, too.
    if (mark?.kind !== "word" && !(isNameAsked && length === 0)) break;
    length += word.length + 1;
  }
  return more.slice(0, length);
}

const escapePattern = (name: string): string => name.replaceAll(/[^\p{L}\p{N} ]/gu, String.raw`\$&`);

/** The words of it that can be a name; undefined where the first ones have a meaning of their own. */
function cutName(match: RegExpExecArray, marks: Marks, isSure: boolean): string | undefined {
  const [whole, name = ""] = match;
  const start = match.index + whole.indexOf(name);
  const words = name.split(" ");
  let at = start;
  let length = 0;
  for (const word of words) {
    const mark = marks.list.find((one) => one.start <= at && at < one.end);
    // "Ana" is an airline, too, "Paris" is a name, and "Berger" is no misspelt burger.
    const isName = length > 0 ? /^(?:place|cuisine)$/.test(mark?.kind ?? "") : mark?.kind === "airline";
    const fits = mark?.kind === "word" || (isSure && isName);
    if (!fits) break;
    at += word.length + 1;
    length += 1;
  }
  // Words after the name that mean something else belong to it no more.
  if (length < words.length && whole.endsWith(name) && length > 0) return undefined;
  return length < (isSure ? 1 : 2) ? undefined : words.slice(0, length).join(" ");
}

function toTitle(said: string | undefined): PersonDetails["title"] {
  if (said === undefined) return undefined;
  const folded = fold(said);
  if (/^herr|^mr$|^senor$|^sr$/.test(folded)) return "mr";
  if (/^mrs$/.test(folded)) return "mrs";
  if (/^miss$/.test(folded)) return "miss";
  return folded === "dr" ? "dr" : "ms";
}

function toGender(text: string, title: PersonDetails["title"], names: readonly string[]): "f" | "m" | undefined {
  if (title !== undefined && title !== "dr") return title === "mr" ? "m" : "f";
  if (names.length !== 1) return undefined;
  if (WOMAN.test(text.replaceAll(VISIT, "")) || /(?<!\p{L})nacida(?!\p{L})/iu.test(text)) return "f";
  return MAN.test(text.replaceAll(VISIT, "")) || /(?<!\p{L})nacido(?!\p{L})/iu.test(text) ? "m" : undefined;
}
