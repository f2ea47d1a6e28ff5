type Addressed = Readonly<Record<string, readonly [formal: string, informal: string]>>;

/** Texts that address the traveler as the traveler addresses us, in the languages that have two ways. The others address nobody. */
const ADDRESSED: Readonly<Record<string, Addressed>> = {
  de: {
    greet: [
      "Hallo! Ich suche und buche Flüge und Hotels und kümmere mich um Ihre Buchungen. Wohin möchten Sie reisen?",
      "Hallo! Ich suche und buche Flüge und Hotels und kümmere mich um deine Buchungen. Wohin möchtest du reisen?",
    ],
    askOrigin: ["Von wo möchten Sie fliegen?", "Von wo möchtest du fliegen?"],
    askDestination: ["Wohin möchten Sie fliegen?", "Wohin möchtest du fliegen?"],
    askDeparture: ["An welchem Tag möchten Sie fliegen?", "An welchem Tag möchtest du fliegen?"],
    askReturn: ["Und wann möchten Sie zurückfliegen?", "Und wann möchtest du zurückfliegen?"],
    askPlace: ["In welcher Stadt suchen Sie ein Hotel?", "In welcher Stadt suchst du ein Hotel?"],
    askCheckIn: ["Ab welchem Tag brauchen Sie das Hotel?", "Ab welchem Tag brauchst du das Hotel?"],
    askChoice: ["Welches Angebot nehmen Sie? Die Nummer genügt.", "Welches Angebot nimmst du? Die Nummer genügt."],
    askOrder: ["Welche Buchung meinen Sie?", "Welche Buchung meinst du?"],
    refuse: [
      "In Ordnung, dann nicht. Was möchten Sie anders haben?",
      "In Ordnung, dann nicht. Was möchtest du anders haben?",
    ],
    thanks: ["Gern geschehen. Kann ich Ihnen sonst noch helfen?", "Gern geschehen. Kann ich dir sonst noch helfen?"],
    bye: ["Ich wünsche Ihnen eine gute Reise!", "Gute Reise dir!"],
  },
  es: {
    greet: [
      "¡Hola! Busco y reservo vuelos y hoteles y me ocupo de sus reservas. ¿Adónde quiere viajar?",
      "¡Hola! Busco y reservo vuelos y hoteles y me ocupo de tus reservas. ¿Adónde quieres viajar?",
    ],
    askOrigin: ["¿Desde dónde quiere volar?", "¿Desde dónde quieres volar?"],
    askDestination: ["¿Adónde quiere volar?", "¿Adónde quieres volar?"],
    askDeparture: ["¿Qué día quiere volar?", "¿Qué día quieres volar?"],
    askReturn: ["¿Y qué día quiere volver?", "¿Y qué día quieres volver?"],
    askPlace: ["¿En qué ciudad quiere el hotel?", "¿En qué ciudad quieres el hotel?"],
    askCheckIn: ["¿Desde qué día necesita el hotel?", "¿Desde qué día necesitas el hotel?"],
    askChoice: ["¿Cuál prefiere? Basta con el número.", "¿Cuál prefieres? Basta con el número."],
    askOrder: ["¿A qué reserva se refiere?", "¿A qué reserva te refieres?"],
    refuse: [
      "De acuerdo, entonces no. ¿Qué le gustaría cambiar?",
      "De acuerdo, entonces no. ¿Qué te gustaría cambiar?",
    ],
    thanks: ["De nada. ¿Puedo ayudarle en algo más?", "De nada. ¿Puedo ayudarte en algo más?"],
    bye: ["¡Que tenga buen viaje!", "¡Que tengas buen viaje!"],
  },
};

/** Undefined: the text is the same for everybody. */
export function addressed(
  language: string,
  name: string,
  address: "formal" | "informal" | undefined,
): string | undefined {
  if (address === undefined) return undefined;
  return ADDRESSED[language]?.[name]?.[address === "formal" ? 0 : 1];
}
