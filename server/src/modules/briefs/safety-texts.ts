import { defineTexts, type Words } from "../../domain/texts.ts";
import { EMERGENCIES, tellsOfTheft } from "./urgent-texts.ts";

const safetyTexts = defineTexts({
  general: {
    en: "Keep your travel documents, the address of your stay and these numbers with you, and also on paper.",
    de: "Papiere, die Adresse der Unterkunft und diese Nummern bei sich tragen, auch auf Papier.",
    fr: "Gardez sur vous vos papiers, l’adresse de votre logement et ces numéros, aussi sur papier.",
    es: "Lleve consigo sus documentos, la dirección del alojamiento y estos números, también en papel.",
    pt: "Leve consigo os documentos, a morada do alojamento e estes números, também em papel.",
    "pt-BR": "Leve com você os documentos, o endereço da hospedagem e estes números, também em papel.",
    ja: "身分証、滞在先の住所、これらの番号を紙でも携帯してください。",
  },
  medical: {
    en: "Carry your medicine in your hand luggage, with a prescription that names the active ingredient and a note about your condition in the local language.",
    de: "Medikamente ins Handgepäck, mit Rezept nach Wirkstoff und einer Notiz zur Krankheit in der Landessprache.",
    fr: "Médicaments en bagage à main, avec l’ordonnance par substance et une note sur votre état dans la langue locale.",
    es: "Lleve la medicación en el equipaje de mano, con la receta por principio activo y una nota sobre su dolencia en la lengua local.",
    pt: "Leve a medicação na bagagem de mão, com a receita por substância e uma nota sobre a sua condição na língua local.",
    "pt-BR":
      "Leve os remédios na bagagem de mão, com a receita pelo princípio ativo e uma nota sobre sua condição no idioma local.",
    ja: "薬は手荷物に入れ、成分名の処方箋と、病状を現地語で書いたメモを携帯してください。",
  },
  allergy: {
    en: "Carry a card that names the allergy in the local language, and your adrenaline auto-injector if you have been prescribed one.",
    de: "Eine Karte mit der Allergie in der Landessprache mitführen, und einen Adrenalin-Pen, wo er verschrieben ist.",
    fr: "Portez une carte qui nomme l’allergie dans la langue locale, et un stylo d’adrénaline s’il est prescrit.",
    es: "Lleve una tarjeta que nombre la alergia en la lengua local, y un autoinyector de adrenalina si está recetado.",
    pt: "Leve um cartão que indique a alergia na língua local, e uma caneta de adrenalina se foi receitada.",
    "pt-BR": "Leve um cartão que indique a alergia no idioma local e uma caneta de adrenalina, se foi receitada.",
    ja: "アレルギーを現地語で書いたカードと、処方されている場合はアドレナリン自己注射薬を携帯してください。",
  },
  mobility: {
    en: "Tell the airline at least 48 hours before departure if a wheelchair or other help is needed. Ask your accommodation and the hospital about step-free access in advance; it is not checked here.",
    de: "Rollstuhl oder andere Hilfe der Fluggesellschaft mindestens 48 Stunden vor Abflug melden. Unterkunft und Krankenhaus vorab nach stufenlosem Zugang fragen; hier ist er nicht geprüft.",
    fr: "Signalez à la compagnie aérienne, au moins 48 heures avant le départ, tout besoin de fauteuil roulant ou d’assistance. Demandez à l’avance un accès sans marches au logement et à l’hôpital ; il n’est pas vérifié ici.",
    es: "Avise a la aerolínea al menos 48 horas antes de la salida si necesita silla de ruedas u otra asistencia. Pregunte antes al alojamiento y al hospital por el acceso sin escalones; aquí no se comprueba.",
    pt: "Avise a companhia aérea, pelo menos 48 horas antes da partida, se precisar de cadeira de rodas ou de outra assistência. Pergunte antes ao alojamento e ao hospital pelo acesso sem degraus; aqui não é verificado.",
    "pt-BR":
      "Avise a companhia aérea, pelo menos 48 horas antes da partida, se precisar de cadeira de rodas ou de outra assistência. Pergunte antes à hospedagem e ao hospital sobre o acesso sem degraus; aqui ele não é verificado.",
    ja: "車椅子などの介助が必要な場合は、出発の48時間前までに航空会社に連絡してください。宿泊先と病院には段差のない経路を事前に確認してください(ここでは未確認です)。",
  },
  pregnancy: {
    en: "Carry your maternity notes, and ask the airline and the insurer up to which week of pregnancy they accept you.",
    de: "Mutterpass mitführen und bei Fluglinie und Versicherung erfragen, bis wann sie befördern und zahlen.",
    fr: "Emportez le dossier de grossesse et demandez à la compagnie et à l’assurance jusqu’à quel terme elles acceptent.",
    es: "Lleve el historial del embarazo y pregunte a la aerolínea y al seguro hasta qué semana la aceptan.",
    pt: "Leve o boletim de grávida e pergunte à companhia aérea e ao seguro até que semana a aceitam.",
    "pt-BR": "Leve a caderneta da gestante e pergunte à companhia aérea e ao seguro até que semana aceitam você.",
    ja: "母子手帳を携帯し、航空会社と保険会社に妊娠何週まで可能か確認してください。",
  },
  children: {
    en: "Give each child a card with your phone number. Carry the birth certificate and the certified consent of each parent who is not traveling: some countries let no child leave without it.",
    de: "Jedem Kind eine Karte mit Ihrer Telefonnummer geben. Geburtsurkunde und beglaubigte Zustimmung jedes nicht mitreisenden Elternteils mitführen: Manche Länder lassen ein Kind ohne sie nicht ausreisen.",
    fr: "Donnez à chaque enfant une carte avec votre numéro. Emportez l’acte de naissance et l’accord certifié de chaque parent qui ne voyage pas : certains pays ne laissent sortir aucun enfant sans lui.",
    es: "Dé a cada niño una tarjeta con su teléfono. Lleve la partida de nacimiento y la autorización certificada de cada progenitor que no viaja: algunos países no dejan salir a ningún menor sin ella.",
    pt: "Dê a cada criança um cartão com o seu telefone. Leve a certidão de nascimento e a autorização reconhecida de cada progenitor que não viaja: alguns países não deixam sair nenhuma criança sem ela.",
    "pt-BR":
      "Dê a cada criança um cartão com seu telefone. Leve a certidão de nascimento e a autorização com firma reconhecida de cada genitor que não viaja: alguns países não deixam nenhuma criança sair sem ela.",
    ja: "子どもにはあなたの電話番号を書いたカードを持たせ、出生証明書と、同行しない親それぞれの認証済み同意書を携帯してください。同意書がないと出国できない国があります。",
  },
  hearing: {
    en: "Ask before the trip whether the emergency services there accept text messages; that is not known here.",
    de: "Vor der Reise erfragen, ob Notrufe dort per Textnachricht möglich sind; hier ist es nicht bekannt.",
    fr: "Demandez avant le voyage si les secours y acceptent les SMS ; ce n’est pas connu ici.",
    es: "Pregunte antes del viaje si allí las emergencias aceptan mensajes de texto; aquí no se sabe.",
    pt: "Pergunte antes da viagem se lá as emergências aceitam mensagens de texto; aqui não se sabe.",
    "pt-BR":
      "Pergunte antes da viagem se os serviços de emergência de lá aceitam mensagens de texto; aqui não se sabe.",
    ja: "現地の緊急通報がテキストに対応しているか事前に確認してください(ここでは不明です)。",
  },
});

/** Needs in the languages of our texts. */
const NEEDS = [
  { need: "allergy", words: /allerg|alerg|anaphyla|anafila|アレルギー/iu },
  {
    need: "medical",
    words:
      /diabet|insulin|asthma|asma|heart|herz|card[ií]a|cœur|coraz|epilep|épilep|medic|médic|medik|remédio|anticoag|blood[- ]thinn|tablet|\bpills?\b|持病|薬/iu,
  },
  {
    need: "mobility",
    words: /wheelchair|rollstuhl|fauteuil|silla de ruedas|cadeira de rodas|cadeirante|mobility|車椅子|車いす/iu,
  },
  { need: "pregnancy", words: /pregnan|schwanger|enceinte|embaraz|grávida|gravid|gestante|妊娠/iu },
  {
    need: "children",
    words:
      /\b(?:child|kids?\b|bab(?:y|ies)|daughter|son\b|kind(?:er)?\b|tochter|sohn\b|enfant|fille\b|fils\b|hij[oa]s?\b|filh[oa]s?\b|niñ[oa]|criança|bebé)|子ども|子供/iu,
  },
  { need: "hearing", words: /\bdeaf|hard of hearing|gehörlos|taub|sourd|sord[oa]|surd[oa]|聴覚/iu },
] as const;

export const needs = [
  ...EMERGENCIES.map(({ need }) => need),
  ...(["medical", "allergy", "mobility", "pregnancy", "children", "hearing"] as const),
] as const;
type Need = (typeof needs)[number];

/** Notes list needs with commas, full stops and the word "and" of the languages of our texts. */
const BETWEEN_NEEDS = /[,;.\n、。，]+|\s+(?:and|und|et|y|e|with|mit|avec|con|com)\s+/iu;
const MOST_PARTS = 20;

/** By keywords in the notes: a need in other words is not recognised, and is named. */
export function adviseFor(
  notes: string,
  words: Words,
): { recognizedNeeds: Need[]; notRecognized: string[]; advice: string[] } {
  const say = safetyTexts(words);
  const urgent = EMERGENCIES.filter((one) => one.words.test(notes)).map(({ need }) => need);
  const lasting = NEEDS.filter((one) => one.words.test(notes)).map(({ need }) => need);
  const notRecognized = notes
    .split(BETWEEN_NEEDS)
    .map((part) => part.trim())
    .filter((part) => /\p{L}/u.test(part) && ![...EMERGENCIES, ...NEEDS].some((one) => one.words.test(part)))
    .slice(0, MOST_PARTS);
  // Whoever was robbed no longer has them to keep.
  const general = tellsOfTheft(notes) ? [] : [say("general")];
  return {
    recognizedNeeds: [...urgent, ...lasting],
    notRecognized,
    advice: [...general, ...lasting.map((need) => say(need))],
  };
}
