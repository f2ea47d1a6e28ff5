import { text } from "./text.ts";

/** Facts of a booking, and those that it does not tell. */
export const bookingTexts = {
  bagsBooked: text(
    "Included for each traveler – checked bags: {checked}, cabin bags: {cabin}. The booking does not tell the weight: the airline’s rules for the fare say it.",
    "Je Reisenden enthalten – Aufgabegepäck: {checked}, Handgepäck: {cabin}. Das Gewicht steht nicht in der Buchung; es steht in den Gepäckregeln der Fluggesellschaft.",
    "Incluido por viajero: equipaje facturado: {checked}, equipaje de mano: {cabin}. La reserva no indica el peso; figura en las normas de equipaje de la aerolínea.",
    "Inclus par voyageur – bagages en soute : {checked}, bagages cabine : {cabin}. La réservation n’indique pas le poids ; voyez les règles de la compagnie.",
    "Incluído por viajante – bagagem de porão: {checked}, bagagem de mão: {cabin}. A reserva não indica o peso; veja as regras da companhia aérea.",
    "お一人様あたり、預け荷物{checked}個、機内持込{cabin}個が含まれます。重量は予約に記載がないため、航空会社の規定をご確認ください。",
  ),
  bagsUnknown: text(
    "The booking does not tell which bags are included. The airline can say.",
    "Welches Gepäck enthalten ist, steht nicht in der Buchung. Die Fluggesellschaft kann es sagen.",
    "La reserva no indica qué equipaje incluye. La aerolínea puede decirlo.",
    "La réservation n’indique pas les bagages inclus. La compagnie peut le dire.",
    "A reserva não indica a bagagem incluída. A companhia aérea pode informar.",
    "含まれる荷物は予約に記載がありません。航空会社にお問い合わせください。",
  ),
  boardUnknown: text(
    "The booking does not tell whether breakfast is included. The hotel can say: {place}.",
    "Ob Frühstück dabei ist, steht nicht in der Buchung. Das Hotel kann es sagen: {place}.",
    "La reserva no indica si el desayuno está incluido. El hotel puede decirlo: {place}.",
    "La réservation n’indique pas si le petit-déjeuner est inclus. L’hôtel peut le dire : {place}.",
    "A reserva não indica se o pequeno-almoço está incluído. O hotel pode informar: {place}.",
    "朝食の有無は予約に記載がありません。ホテルにお問い合わせください:{place}。",
    "A reserva não indica se o café da manhã está incluído. O hotel pode informar: {place}.",
  ),
  hoursUnknown: text(
    "The booking does not tell the hours of check-in and check-out. The hotel can say: {place}.",
    "Die Uhrzeiten für Check-in und Check-out stehen nicht in der Buchung. Das Hotel kann sie nennen: {place}.",
    "La reserva no indica las horas de entrada y salida. El hotel puede decirlas: {place}.",
    "La réservation n’indique pas les heures d’arrivée et de départ. L’hôtel peut les donner : {place}.",
    "A reserva não indica as horas de entrada e saída. O hotel pode informar: {place}.",
    "チェックイン・チェックアウトの時刻は予約に記載がありません。ホテルにお問い合わせください:{place}。",
  ),
  terminalUnknown: text(
    "The terminal is not known here. The airline and the airport show it shortly before departure.",
    "Das Terminal ist hier nicht bekannt. Fluggesellschaft und Flughafen zeigen es kurz vor dem Abflug an.",
    "Aquí no se conoce la terminal. La aerolínea y el aeropuerto la indican poco antes de la salida.",
    "Le terminal n’est pas connu ici. La compagnie et l’aéroport l’affichent peu avant le départ.",
    "O terminal não é conhecido aqui. A companhia aérea e o aeroporto indicam-no pouco antes da partida.",
    "ターミナルはここでは分かりません。出発間近に航空会社と空港でご確認ください。",
  ),
  mealsOnBoard: text(
    "The booking does not tell whether there is a meal on board. The airline can say.",
    "Ob es an Bord ein Essen gibt, steht nicht in der Buchung. Die Fluggesellschaft kann es sagen.",
    "La reserva no indica si hay comida a bordo. La aerolínea puede decirlo.",
    "La réservation n’indique pas si un repas est servi à bord. La compagnie peut le dire.",
    "A reserva não indica se há refeição a bordo. A companhia aérea pode informar.",
    "機内食の有無は予約に記載がありません。航空会社にお問い合わせください。",
  ),
  nothingCancelled: text(
    "Nothing is cancelled.",
    "Es wird nichts storniert.",
    "No se cancela nada.",
    "Rien n’est annulé.",
    "Nada é cancelado.",
    "取消しは行いません。",
  ),
};
