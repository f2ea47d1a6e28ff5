import type { Words } from "../../../domain/texts.ts";
import { defineTexts } from "../../../domain/texts.ts";
import type { AirlineDuty } from "./airline-duty.ts";

/** The airline's duties, as a traveler reads them. */
const dutyTexts = defineTexts({
  care: {
    en: "While you wait, the airline owes you meals and refreshments and two calls or e-mails ({rule})",
    de: "Während Sie warten, schuldet die Fluggesellschaft Mahlzeiten, Getränke und zwei Anrufe oder E-Mails ({rule})",
    fr: "Pendant l’attente, la compagnie vous doit repas et rafraîchissements, et deux appels ou e-mails ({rule})",
    es: "Mientras espera, la aerolínea le debe comida y bebida, y dos llamadas o correos electrónicos ({rule})",
    pt: "Enquanto espera, a companhia deve-lhe refeições e bebidas, e duas chamadas ou e-mails ({rule})",
    "pt-BR": "Enquanto você espera, a companhia aérea deve refeições e bebidas, e duas ligações ou e-mails ({rule})",
    ja: "待ち時間中、航空会社には食事・飲み物と2回の電話またはメールを提供する義務があります({rule})",
  },
  hotel: {
    en: "It also owes you a hotel for the night and the transfer there ({rule}): ask it before you book one",
    de: "Sie schuldet auch ein Hotel für die Nacht und die Fahrt dorthin ({rule}): vor einer eigenen Buchung dort fragen",
    fr: "Elle vous doit aussi un hôtel pour la nuit et le transfert ({rule}) : demandez-le-lui avant d’en réserver un",
    es: "También le debe un hotel para la noche y el traslado ({rule}): pídaselo antes de reservar uno",
    pt: "Deve-lhe também um hotel para a noite e o transporte ({rule}): peça-lho antes de reservar um",
    "pt-BR": "Ela também deve um hotel para a noite e o traslado ({rule}): peça a ela antes de reservar um",
    ja: "宿泊が必要な場合、ホテルと送迎も航空会社の負担です({rule})。ご自身で予約する前に航空会社へ",
  },
  compensation: {
    en: "If you arrive three hours late or more, it may also owe you {price} ({rule}), unless the cause was extraordinary, such as dangerous weather",
    de: "Kommen Sie mindestens drei Stunden zu spät an, schuldet sie womöglich auch {price} ({rule}), außer bei außergewöhnlichen Umständen wie gefährlichem Wetter",
    fr: "Si vous arrivez avec trois heures de retard ou plus, elle peut aussi vous devoir {price} ({rule}), sauf circonstances extraordinaires, comme une météo dangereuse",
    es: "Si llega con tres horas de retraso o más, puede deberle además {price} ({rule}), salvo circunstancias extraordinarias, como mal tiempo peligroso",
    pt: "Se chegar com três horas de atraso ou mais, pode dever-lhe ainda {price} ({rule}), salvo circunstâncias extraordinárias, como mau tempo perigoso",
    "pt-BR":
      "Se você chegar com três horas de atraso ou mais, ela também pode dever {price} ({rule}), salvo circunstâncias extraordinárias, como tempo perigoso",
    ja: "到着が3時間以上遅れる場合、危険な悪天候などの異常事態を除き、{price}の補償も受けられる可能性があります({rule})",
  },
  compensationCancelled: {
    en: "It may also owe you {price} ({rule}), unless the cause was extraordinary, such as dangerous weather, or it offers another flight at nearly the same time",
    de: "Womöglich schuldet sie auch {price} ({rule}), außer bei außergewöhnlichen Umständen wie gefährlichem Wetter oder bei einem Ersatzflug zu fast gleicher Zeit",
    fr: "Elle peut aussi vous devoir {price} ({rule}), sauf circonstances extraordinaires, comme une météo dangereuse, ou autre vol à un horaire proche",
    es: "Puede deberle además {price} ({rule}), salvo circunstancias extraordinarias, como mal tiempo peligroso, u otro vuelo a una hora parecida",
    pt: "Pode dever-lhe ainda {price} ({rule}), salvo circunstâncias extraordinárias, como mau tempo perigoso, ou outro voo a uma hora próxima",
    "pt-BR":
      "Ela também pode dever {price} ({rule}), salvo circunstâncias extraordinárias, como tempo perigoso, ou outro voo em horário próximo",
    ja: "危険な悪天候などの異常事態や、ほぼ同時刻の代替便がある場合を除き、{price}の補償も受けられる可能性があります({rule})",
  },
  doNotCancel: {
    en: "Do not cancel your booking yourself before the airline has answered: you could lose what it owes you",
    de: "Stornieren Sie nicht selbst, bevor die Fluggesellschaft geantwortet hat: Sie könnten Ihre Ansprüche verlieren",
    fr: "N’annulez pas vous-même avant la réponse de la compagnie : vous pourriez perdre vos droits",
    es: "No cancele usted mismo antes de que responda la aerolínea: podría perder sus derechos",
    pt: "Não cancele a reserva por si antes de a companhia responder: pode perder os seus direitos",
    "pt-BR": "Não cancele você mesmo antes da resposta da companhia aérea: você pode perder seus direitos",
    ja: "航空会社の回答前にご自身で予約を取り消さないでください。権利を失うことがあります",
  },
});

/** The most useful first. Only of rules that surely apply; what else the airline may owe would promise too much in a message. */
export function dutySentences(
  duties: readonly AirlineDuty[],
  words: Words,
  {
    isAsked = false,
  }: { /** The airline is asked for something else, whatever the law owes. */ isAsked?: boolean } = {},
): string[] {
  const say = dutyTexts(words);
  const sure = duties.filter(({ onlyIf }) => onlyIf === null);
  const find = (owes: AirlineDuty["owes"]) => sure.find((duty) => duty.owes === owes);
  const [care, hotel, choice] = [find("care"), find("hotel"), find("flight_or_refund")];
  const due = duties.find(
    ({ owes, rule, amount }) => owes === "compensation" && amount !== null && sure.some((duty) => duty.rule === rule),
  );
  return [
    ...(choice === undefined && find("refund") === undefined && !isAsked ? [] : [say("doNotCancel")]),
    ...(hotel === undefined ? [] : [say("hotel", { rule: hotel.rule })]),
    ...(due === undefined
      ? []
      : [
          say(choice?.rule === due.rule ? "compensationCancelled" : "compensation", {
            rule: due.rule,
            price: words.money(due.amount ?? "", due.currency ?? ""),
          }),
        ]),
    ...(care === undefined ? [] : [say("care", { rule: care.rule })]),
  ];
}
