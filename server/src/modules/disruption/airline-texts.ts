import { defineTexts } from "../../domain/texts.ts";

/** Messages to a traveler whose airline moved or cancelled a flight. */
export const airlineTexts = defineTexts({
  moved: {
    en: "The airline moved {flight} from {was} to {departs} → {arrives} (local times)",
    de: "Die Fluggesellschaft hat {flight} von {was} auf {departs} → {arrives} verlegt (Ortszeiten)",
    fr: "La compagnie a déplacé {flight} de {was} à {departs} → {arrives} (heures locales)",
    es: "La aerolínea ha movido {flight} de {was} a {departs} → {arrives} (horas locales)",
    pt: "A companhia mudou {flight} de {was} para {departs} → {arrives} (horas locais)",
    "pt-BR": "A companhia aérea mudou {flight} de {was} para {departs} → {arrives} (horários locais)",
    ja: "航空会社が{flight}を{was}から{departs} → {arrives}に変更しました(現地時間)",
  },
  cancelled: {
    en: "The airline cancelled {flight} of {was}",
    de: "Die Fluggesellschaft hat {flight} von {was} gestrichen",
    fr: "La compagnie a annulé {flight} du {was}",
    es: "La aerolínea ha cancelado {flight} de {was}",
    pt: "A companhia cancelou {flight} de {was}",
    "pt-BR": "A companhia aérea cancelou {flight} de {was}",
    ja: "航空会社が{was}の{flight}を欠航にしました",
  },
  accept: {
    en: "Accepting the new times: nothing to pay",
    de: "Die neuen Zeiten annehmen: nichts zu zahlen",
    fr: "Accepter les nouveaux horaires : rien à payer",
    es: "Aceptar los nuevos horarios: nada que pagar",
    pt: "Aceitar os novos horários: nada a pagar",
    "pt-BR": "Aceitar os novos horários: nada a pagar",
    ja: "新しい時刻を受け入れる:追加料金なし",
  },
  flightOrRefund: {
    en: "Under {rule}, the airline owes you another flight or a refund: nothing to pay, ask it first",
    de: "Nach {rule} schuldet die Fluggesellschaft einen anderen Flug oder das Geld: nichts zu zahlen, zuerst dort fragen",
    fr: "Selon {rule}, la compagnie doit un autre vol ou le remboursement : rien à payer, adressez-vous d’abord à elle",
    es: "Según {rule}, la aerolínea debe otro vuelo o el reembolso: nada que pagar, pregúntele primero",
    pt: "Segundo {rule}, a companhia deve outro voo ou o reembolso: nada a pagar, pergunte-lhe primeiro",
    "pt-BR": "Segundo {rule}, a companhia aérea deve outro voo ou o reembolso: nada a pagar, fale primeiro com ela",
    ja: "{rule}により航空会社は代替便または返金の義務を負います:追加料金なし、まず航空会社へ",
  },
  refund: {
    en: "Under {rule}, the airline owes you a refund if you do not fly: ask it before you pay for a change",
    de: "Nach {rule} schuldet die Fluggesellschaft das Geld, wenn Sie nicht fliegen: dort fragen, bevor Sie eine Umbuchung zahlen",
    fr: "Selon {rule}, la compagnie doit le remboursement si vous ne partez pas : demandez-le avant de payer une modification",
    es: "Según {rule}, la aerolínea debe el reembolso si no vuela: pregúntele antes de pagar un cambio",
    pt: "Segundo {rule}, a companhia deve o reembolso se não voar: pergunte-lhe antes de pagar uma alteração",
    "pt-BR":
      "Segundo {rule}, a companhia aérea deve o reembolso se você não voar: fale com ela antes de pagar uma alteração",
    ja: "搭乗しない場合、{rule}により航空会社は返金の義務を負います:変更料金を払う前に航空会社へ",
  },
  ask: {
    en: "Ask the airline before you pay for a change: its conditions of carriage say what it offers",
    de: "Vor dem Zahlen einer Umbuchung die Fluggesellschaft fragen: ihre Beförderungsbedingungen sagen, was sie gewährt",
    fr: "Demandez à la compagnie avant de payer une modification : ses conditions de transport disent ce qu’elle accorde",
    es: "Pregunte a la aerolínea antes de pagar un cambio: sus condiciones de transporte dicen lo que concede",
    pt: "Pergunte à companhia antes de pagar uma alteração: as suas condições de transporte dizem o que concede",
    "pt-BR":
      "Fale com a companhia aérea antes de pagar uma alteração: as condições de transporte dizem o que ela oferece",
    ja: "変更料金を払う前に航空会社へご確認ください:運送約款に定めがあります",
  },
});
