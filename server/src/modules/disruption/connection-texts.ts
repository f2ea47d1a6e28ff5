import { defineTexts } from "../../domain/texts.ts";

/** Messages to a traveler whose delayed flight has another one of the same booking after it. */
export const connectionTexts = defineTexts({
  lost: {
    en: "{late} would reach {airport} at about {arrives}, but {onward} to {destination} leaves there at {departs}: you would miss it. Ask the airline now for another way to {destination}: on one booking it usually rebooks you free of charge",
    de: "{late} käme gegen {arrives} in {airport} an, aber {onward} nach {destination} fliegt dort um {departs} ab: Sie würden ihn verpassen. Jetzt die Fluggesellschaft nach einem anderen Weg nach {destination} fragen: in einer Buchung bucht sie meist kostenlos um",
    fr: "{late} arriverait à {airport} vers {arrives}, mais {onward} pour {destination} en part à {departs} : vous le manqueriez. Demandez dès maintenant à la compagnie un autre trajet vers {destination} : sur une même réservation, elle le fait en général sans frais",
    es: "{late} llegaría a {airport} hacia {arrives}, pero {onward} a {destination} sale de allí a {departs}: lo perdería. Pida ya a la aerolínea otro modo de llegar a {destination}: en una misma reserva suele hacerlo sin coste",
    pt: "{late} chegaria a {airport} por volta de {arrives}, mas {onward} para {destination} parte de lá a {departs}: iria perdê-lo. Peça já à companhia outra forma de chegar a {destination}: na mesma reserva costuma fazê-lo sem custos",
    "pt-BR":
      "{late} chegaria a {airport} por volta de {arrives}, mas {onward} para {destination} sai de lá em {departs}: você o perderia. Peça já à companhia aérea outra forma de chegar a {destination}: na mesma reserva ela costuma remarcar sem custo",
    ja: "{late}の{airport}到着は{arrives}頃の見込みですが、{destination}行き{onward}は{departs}に出発するため、乗り継げません。すぐに航空会社へ{destination}までの別の便をご相談ください:同一予約なら通常は無料で振り替えられます",
  },
  tight: {
    en: "{late} would reach {airport} at about {arrives}, and {onward} to {destination} leaves there at {departs}: little time to change planes. Ask the airline now whether it holds the connection or rebooks you",
    de: "{late} käme gegen {arrives} in {airport} an, und {onward} nach {destination} fliegt dort um {departs} ab: wenig Zeit zum Umsteigen. Jetzt die Fluggesellschaft fragen, ob der Anschluss wartet oder sie umbucht",
    fr: "{late} arriverait à {airport} vers {arrives}, et {onward} pour {destination} en part à {departs} : peu de temps pour la correspondance. Demandez dès maintenant à la compagnie si elle attend ou vous réachemine",
    es: "{late} llegaría a {airport} hacia {arrives}, y {onward} a {destination} sale de allí a {departs}: poco tiempo para el transbordo. Pregunte ya a la aerolínea si espera o le cambia el vuelo",
    pt: "{late} chegaria a {airport} por volta de {arrives}, e {onward} para {destination} parte de lá a {departs}: pouco tempo para a ligação. Pergunte já à companhia se espera ou se lhe muda o voo",
    "pt-BR":
      "{late} chegaria a {airport} por volta de {arrives}, e {onward} para {destination} sai de lá em {departs}: pouco tempo para a conexão. Pergunte já à companhia aérea se ela espera ou remarca seu voo",
    ja: "{late}の{airport}到着は{arrives}頃の見込みで、{destination}行き{onward}は{departs}に出発します:乗り継ぎ時間がわずかです。乗り継ぎ便が待つか、振り替えられるか、すぐに航空会社にご確認ください",
  },
  keepIfConnects: {
    en: "Keep your flight only if it still reaches {airport} in time: {onward} to {destination} leaves there at {departs}. If it does not, ask the airline for another way to {destination}",
    de: "Ihren Flug nur behalten, wenn er {airport} noch rechtzeitig erreicht: {onward} nach {destination} fliegt dort um {departs} ab. Sonst die Fluggesellschaft nach einem anderen Weg nach {destination} fragen",
    fr: "Gardez votre vol seulement s’il arrive à temps à {airport} : {onward} pour {destination} en part à {departs}. Sinon, demandez à la compagnie un autre trajet vers {destination}",
    es: "Conserve su vuelo solo si llega a tiempo a {airport}: {onward} a {destination} sale de allí a {departs}. Si no, pida a la aerolínea otro modo de llegar a {destination}",
    pt: "Mantenha o seu voo só se chegar a tempo a {airport}: {onward} para {destination} parte de lá a {departs}. Se não, peça à companhia outra forma de chegar a {destination}",
    "pt-BR":
      "Mantenha seu voo só se ele chegar a tempo a {airport}: {onward} para {destination} sai de lá em {departs}. Se não, peça à companhia aérea outra forma de chegar a {destination}",
    ja: "{airport}に間に合う場合のみ予約便のままお待ちください:{destination}行き{onward}は{departs}に出発します。間に合わない場合は、航空会社へ{destination}までの別の便をご相談ください",
  },
});
