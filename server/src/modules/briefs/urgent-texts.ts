import { defineTexts, type Words } from "../../domain/texts.ts";

/** General advice, and no diagnosis: who reads it may be in danger, so that each text begins with what to do. */
const urgentTexts = defineTexts({
  severe: {
    en: "If this is happening now, call an ambulance at once: {numbers}. Symptoms like these can be an emergency. This is general advice, not a diagnosis.",
    de: "Wenn das gerade geschieht, sofort den Rettungsdienst rufen: {numbers}. Solche Beschwerden können ein Notfall sein. Das ist ein allgemeiner Rat, keine Diagnose.",
    fr: "Si cela se produit maintenant, appelez tout de suite une ambulance : {numbers}. De tels symptômes peuvent être une urgence. C’est un conseil général, pas un diagnostic.",
    es: "Si está ocurriendo ahora, llame enseguida a una ambulancia: {numbers}. Estos síntomas pueden ser una emergencia. Es un consejo general, no un diagnóstico.",
    pt: "Se está a acontecer agora, chame já uma ambulância: {numbers}. Estes sintomas podem ser uma emergência. É um conselho geral, não um diagnóstico.",
    "pt-BR":
      "Se está acontecendo agora, chame já uma ambulância: {numbers}. Esses sintomas podem ser uma emergência. É uma orientação geral, não um diagnóstico.",
    ja: "今起きている場合は、すぐに救急車を呼んでください: {numbers}。このような症状は緊急事態の可能性があります。これは一般的な助言であり、診断ではありません。",
  },
  mild: {
    en: "If the symptoms are severe, came suddenly or get worse, call an ambulance: {numbers}. Otherwise, see a doctor soon. This is general advice, not a diagnosis.",
    de: "Bei starken, plötzlichen oder zunehmenden Beschwerden den Rettungsdienst rufen: {numbers}. Sonst bald zum Arzt gehen. Das ist ein allgemeiner Rat, keine Diagnose.",
    fr: "Si les symptômes sont graves, soudains ou s’aggravent, appelez une ambulance : {numbers}. Sinon, consultez bientôt un médecin. C’est un conseil général, pas un diagnostic.",
    es: "Si los síntomas son graves, repentinos o empeoran, llame a una ambulancia: {numbers}. Si no, acuda pronto a un médico. Es un consejo general, no un diagnóstico.",
    pt: "Se os sintomas forem graves, súbitos ou piorarem, chame uma ambulância: {numbers}. Caso contrário, consulte um médico em breve. É um conselho geral, não um diagnóstico.",
    "pt-BR":
      "Se os sintomas forem graves, repentinos ou piorarem, chame uma ambulância: {numbers}. Caso contrário, procure logo um médico. É uma orientação geral, não um diagnóstico.",
    ja: "症状が重い、突然始まった、または悪化している場合は救急車を呼んでください: {numbers}。それ以外の場合も早めに医師の診察を受けてください。これは一般的な助言であり、診断ではありません。",
  },
  severeAtHeight: {
    en: "At this altitude (about {meters} m), this may be severe altitude sickness, which can kill within hours: get down now, also at night, with somebody who helps, and call an ambulance at once: {numbers}. Do not wait for it to pass. This is general advice, not a diagnosis.",
    de: "In dieser Höhe (etwa {meters} m) kann das schwere Höhenkrankheit sein, die binnen Stunden tödlich sein kann: jetzt absteigen, auch nachts und in Begleitung, und sofort den Rettungsdienst rufen: {numbers}. Nicht abwarten. Das ist ein allgemeiner Rat, keine Diagnose.",
    fr: "À cette altitude (environ {meters} m), cela peut être un mal aigu des montagnes grave, mortel en quelques heures : descendez maintenant, même de nuit, avec quelqu’un, et appelez tout de suite une ambulance : {numbers}. N’attendez pas que cela passe. C’est un conseil général, pas un diagnostic.",
    es: "A esta altitud (unos {meters} m), puede ser un mal de altura grave, que puede matar en pocas horas: baje ahora, también de noche, con alguien que le ayude, y llame enseguida a una ambulancia: {numbers}. No espere a que pase. Es un consejo general, no un diagnóstico.",
    pt: "A esta altitude (cerca de {meters} m), pode ser mal de altitude grave, que pode matar em poucas horas: desça agora, mesmo de noite, com alguém que ajude, e chame já uma ambulância: {numbers}. Não espere que passe. É um conselho geral, não um diagnóstico.",
    "pt-BR":
      "A esta altitude (cerca de {meters} m), pode ser mal de altitude grave, que pode matar em poucas horas: desça agora, mesmo à noite, com alguém que ajude, e chame já uma ambulância: {numbers}. Não espere passar. É uma orientação geral, não um diagnóstico.",
    ja: "この標高(約{meters} m)では重い高山病の可能性があり、数時間で命に関わることがあります。夜でも、付き添いと一緒に今すぐ下り、すぐに救急車を呼んでください: {numbers}。治るのを待たないでください。これは一般的な助言であり、診断ではありません。",
  },
  mildAtHeight: {
    en: "At this altitude (about {meters} m), this may be altitude sickness: do not go higher, rest, and go down if it does not get better. With confusion, unsteady walking or breathlessness at rest, go down at once and call an ambulance: {numbers}. This is general advice, not a diagnosis.",
    de: "In dieser Höhe (etwa {meters} m) kann das Höhenkrankheit sein: nicht höher gehen, ausruhen und absteigen, wenn es nicht besser wird. Bei Verwirrtheit, unsicherem Gang oder Atemnot in Ruhe sofort absteigen und den Rettungsdienst rufen: {numbers}. Das ist ein allgemeiner Rat, keine Diagnose.",
    fr: "À cette altitude (environ {meters} m), cela peut être le mal des montagnes : ne montez pas plus haut, reposez-vous et descendez si cela ne s’améliore pas. En cas de confusion, de démarche instable ou d’essoufflement au repos, descendez tout de suite et appelez une ambulance : {numbers}. C’est un conseil général, pas un diagnostic.",
    es: "A esta altitud (unos {meters} m), puede ser mal de altura: no suba más, descanse y baje si no mejora. Con confusión, paso inestable o falta de aire en reposo, baje enseguida y llame a una ambulancia: {numbers}. Es un consejo general, no un diagnóstico.",
    pt: "A esta altitude (cerca de {meters} m), pode ser mal de altitude: não suba mais, descanse e desça se não melhorar. Com confusão, andar instável ou falta de ar em repouso, desça logo e chame uma ambulância: {numbers}. É um conselho geral, não um diagnóstico.",
    "pt-BR":
      "A esta altitude (cerca de {meters} m), pode ser mal de altitude: não suba mais, descanse e desça se não melhorar. Com confusão, andar instável ou falta de ar em repouso, desça imediatamente e chame uma ambulância: {numbers}. É uma orientação geral, não um diagnóstico.",
    ja: "この標高(約{meters} m)では高山病の可能性があります。それ以上登らずに休み、良くならなければ下りてください。意識の混乱、ふらつき、安静時の息切れがあれば、すぐに下りて救急車を呼んでください: {numbers}。これは一般的な助言であり、診断ではありません。",
  },
  assault: {
    en: "Go to a safe place with other people first. If anybody is hurt, call an ambulance: {numbers}. A hospital also documents injuries.",
    de: "Zuerst an einen sicheren Ort unter Menschen gehen. Ist jemand verletzt, den Rettungsdienst rufen: {numbers}. Ein Krankenhaus dokumentiert auch Verletzungen.",
    fr: "Rejoignez d’abord un lieu sûr avec du monde. Si quelqu’un est blessé, appelez une ambulance : {numbers}. Un hôpital constate aussi les blessures.",
    es: "Vaya primero a un lugar seguro con gente. Si hay heridos, llame a una ambulancia: {numbers}. Un hospital también certifica las lesiones.",
    pt: "Vá primeiro para um lugar seguro com gente. Se alguém estiver ferido, chame uma ambulância: {numbers}. Um hospital também documenta as lesões.",
    "pt-BR":
      "Vá primeiro para um lugar seguro com outras pessoas. Se alguém estiver ferido, chame uma ambulância: {numbers}. Um hospital também documenta as lesões.",
    ja: "まず人のいる安全な場所へ移動してください。けが人がいれば救急車を呼んでください: {numbers}。病院ではけがの記録も残せます。",
  },
  police: {
    en: "Report it to the police ({numbers}) and ask for a written report: the consulate, the bank and the insurer ask for it.",
    de: "Bei der Polizei anzeigen ({numbers}) und eine schriftliche Bestätigung verlangen: Konsulat, Bank und Versicherung fragen danach.",
    fr: "Déclarez-le à la police ({numbers}) et demandez un procès-verbal : le consulat, la banque et l’assurance le demandent.",
    es: "Denúncielo a la policía ({numbers}) y pida la denuncia por escrito: el consulado, el banco y el seguro la piden.",
    pt: "Participe à polícia ({numbers}) e peça a participação por escrito: o consulado, o banco e o seguro pedem-na.",
    "pt-BR":
      "Registre a ocorrência na polícia ({numbers}) e peça o boletim por escrito: o consulado, o banco e o seguro o pedem.",
    ja: "警察に届け出て({numbers})、書面の証明を受け取ってください。領事館、銀行、保険会社で必要になります。",
  },
  consulate: {
    en: "If a passport or identity card is gone: ask the nearest embassy or consulate of your own country for an emergency travel document, with the police report, a photo and any copy. Where their own country has none, EU citizens may go to that of any EU country. Before flying, ask the airline and every country on the way whether they accept the document.",
    de: "Fehlt der Pass oder Ausweis: bei der nächsten Botschaft oder dem Konsulat des eigenen Landes ein Notreisedokument beantragen, mit der polizeilichen Bestätigung, einem Foto und jeder Kopie. Wo das eigene Land keine Vertretung hat, können EU-Bürger zu der eines anderen EU-Landes gehen. Vor dem Flug Fluggesellschaft und alle Länder unterwegs fragen, ob sie das Dokument annehmen.",
    fr: "Si un passeport ou une carte d’identité a disparu : demandez un document de voyage d’urgence à l’ambassade ou au consulat de votre pays le plus proche, avec le procès-verbal, une photo et toute copie. Là où leur pays n’en a pas, les citoyens de l’UE peuvent s’adresser à celui d’un autre pays de l’UE. Avant le vol, demandez à la compagnie et à chaque pays du trajet s’ils acceptent ce document.",
    es: "Si falta el pasaporte o el documento de identidad: pida un documento de viaje de emergencia en la embajada o el consulado de su país más cercano, con la denuncia, una foto y cualquier copia. Donde su país no tenga, los ciudadanos de la UE pueden acudir al de otro país de la UE. Antes de volar, pregunte a la aerolínea y a cada país del trayecto si aceptan ese documento.",
    pt: "Se falta o passaporte ou o documento de identidade: peça um documento de viagem de emergência na embaixada ou no consulado mais próximo do seu país, com a participação, uma fotografia e qualquer cópia. Onde o seu país não tem, os cidadãos da UE podem ir ao de outro país da UE. Antes de voar, pergunte à companhia aérea e a cada país do percurso se aceitam esse documento.",
    "pt-BR":
      "Se falta o passaporte ou o documento de identidade: peça um documento de viagem de emergência na embaixada ou no consulado mais próximo do seu país, com o boletim, uma foto e qualquer cópia. Onde o próprio país não tem, cidadãos da UE podem ir ao de outro país da UE. Antes de voar, pergunte à companhia aérea e a cada país do trajeto se aceitam esse documento.",
    ja: "パスポートや身分証を失った場合は、警察の証明、写真、写しを持って、最寄りの自国の大使館または領事館で緊急の渡航書を申請してください。自国の公館がない場合、EU市民は他のEU加盟国の公館に相談できます。搭乗前に、航空会社と経由国がその渡航書を認めるか確認してください。",
  },
  cards: {
    en: "If bank cards or a phone are gone: have the bank block the cards and the operator the phone's number now. Tell the insurer.",
    de: "Fehlen Bankkarten oder ein Telefon: die Karten jetzt bei der Bank und die Nummer beim Anbieter sperren lassen. Die Versicherung benachrichtigen.",
    fr: "Si des cartes bancaires ou un téléphone ont disparu : faites bloquer maintenant les cartes par la banque et la ligne par l’opérateur. Prévenez l’assurance.",
    es: "Si faltan tarjetas bancarias o un teléfono: haga bloquear ahora las tarjetas en el banco y la línea en el operador. Avise al seguro.",
    pt: "Se faltam cartões bancários ou um telemóvel: mande já bloquear os cartões no banco e o número na operadora. Avise o seguro.",
    "pt-BR":
      "Se faltam cartões bancários ou um celular: peça já o bloqueio dos cartões ao banco e da linha à operadora. Avise o seguro.",
    ja: "銀行カードや電話を失った場合は、今すぐ銀行にカードを、通信会社に回線を止めてもらい、保険会社に連絡してください。",
  },
  noNumber: {
    en: "no number is known here, so ask the people around you",
    de: "hier ist keine Nummer bekannt, also Menschen in der Nähe fragen",
    fr: "aucun numéro n’est connu ici, demandez aux personnes autour de vous",
    es: "aquí no se conoce ningún número, pregunte a las personas cercanas",
    pt: "aqui não se conhece nenhum número, pergunte às pessoas por perto",
    "pt-BR": "aqui não se conhece nenhum número, pergunte às pessoas por perto",
    ja: "ここの番号は不明です。周りの人に尋ねてください",
  },
});

/** Words in the languages of our texts. */
const SEVERE =
  /confus|disorient|d[eé]sorient|verwirr|(?:chest|heart)[- ]?(?:pain|attack)|brustschmerz|herzinfarkt|douleurs?.{0,12}(?:poitrine|thorac)|dolor.{0,8}pecho|dor.{0,8}peito|breathless|(?:short(?:ness)?|out) of breath|(?:trouble|difficulty|problems?|hard(?:ly)?|can(?:no|'|’)?t|struggl\w*).{0,8}breath|atemnot|keine luft|essouffl|respirar|respirer|falta de (?:aire|ar)\b|unconscious|bewusstlos|inconscien|passed out|\bfaint(?:ed|ing|s)?\b|ohnmacht|ohnmächtig|évanou|desmay|desmai|bleed|blutet|blutung|saign|h[eé]morrag|sangr|seizure|krampfanfall|convuls|\bstroke\b|schlaganfall|\bavc\b|slurred|意識|息が|息苦|呼吸|胸.{0,3}痛|出血|失神|けいれん|錯乱/iu;
const MILD =
  /headache|kopfschmerz|kopfweh|(?:mal|maux) (?:de|à la) tête|dolor(?:es)? de cabeza|dor(?:es)? de cabeça|vomi|throwing up|erbrech|erbricht|übergeben|nausea|übelkeit|nausée|náusea|enjoo|dizz|schwindel|vertige|vértigo|tontura|(?<!hay |yellow |dengue )\bfever|fieber|fièvre|fiebre|febre|頭痛|嘔吐|吐い|めまい|発熱|高熱/iu;
const ASSAULT =
  /assault|attacked|mugged|robbed|\braped?\b|beaten up|überfall|angegriffen|zusammengeschlagen|agress[éi]|asalt|agredi|atacad|assalt|襲わ|暴行|強盗/iu;
const LOSS =
  /stolen|\bstole\b|theft|thie(?:f|ves)|robbe|pickpocket|(?:lost|missing|gone)\b.{0,15}(?:passport|wallet|cards?|purse|documents|\bid\b)|(?:passport|wallet|cards?|purse|documents).{0,15}\b(?:lost|missing|gone)\b|gestohlen|geklaut|bestohlen|beraubt|ausgeraubt|(?:pass|ausweis|karten?|geldbörse|portemonnaie).{0,20}verloren|verlor\w*.{0,20}(?:pass|ausweis|karten?|geldbörse|portemonnaie)|volée?s?(?![a-z])|dérob|perdu.{0,20}(?:passeport|carte|portefeuille)|robad|robaron|hurt(?:ad|aron)|roubad|roubaram|furtad|perd(?:i|í|ido|ida).{0,20}(?:pasaporte|passaporte|tarjeta|cartera|cartão|carteira)|盗ま|盗難|紛失|なくし/iu;

const SYMPTOMS = new RegExp(`${SEVERE.source}|${MILD.source}`, "iu");
const THEFT = new RegExp(`${ASSAULT.source}|${LOSS.source}`, "iu");

/** These need action now; the advice keeps their order. */
export const EMERGENCIES = [
  { need: "emergency", words: SYMPTOMS },
  { need: "theft", words: THEFT },
] as const;

const HIGH_METERS = 2_500;

interface Place {
  police: readonly string[];
  ambulance: readonly string[];
  general: readonly string[];
  /** Undefined if it is not known. */
  meters: number | undefined;
}

export const tellsOfSymptoms = (notes: string): boolean => SYMPTOMS.test(notes);
export const tellsOfTheft = (notes: string): boolean => THEFT.test(notes);

/** By keywords in the notes, with the numbers of the place. Empty if nothing is urgent. */
export function adviseAtOnce(notes: string, words: Words, place: Place): string[] {
  return [...adviseOnSymptoms(notes, words, place), ...adviseOnTheft(notes, words, place)];
}

function adviseOnSymptoms(notes: string, words: Words, place: Place): string[] {
  if (!tellsOfSymptoms(notes)) return [];
  const say = urgentTexts(words);
  const numbers = listNumbers(place.ambulance, place.general, words);
  const isSevere = SEVERE.test(notes);
  const { meters } = place;
  if (meters === undefined || meters < HIGH_METERS) return [say(isSevere ? "severe" : "mild", { numbers })];
  const height = words.number(Math.round(meters / 100) * 100);
  return [say(isSevere ? "severeAtHeight" : "mildAtHeight", { numbers, meters: height })];
}

function adviseOnTheft(notes: string, words: Words, place: Place): string[] {
  if (!tellsOfTheft(notes)) return [];
  const say = urgentTexts(words);
  const safety = say("assault", { numbers: listNumbers(place.ambulance, place.general, words) });
  const police = say("police", { numbers: listNumbers(place.police, place.general, words) });
  return [...(ASSAULT.test(notes) ? [safety] : []), police, say("consulate"), say("cards")];
}

function listNumbers(own: readonly string[], general: readonly string[], words: Words): string {
  const numbers = [...new Set([...own, ...general])];
  return numbers.length === 0 ? urgentTexts(words)("noNumber") : numbers.join(" / ");
}
