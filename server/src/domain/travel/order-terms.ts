/** Words for an order that its documents share, for `defineTexts`. */
export const orderTerms = {
  reference: {
    en: "Booking reference",
    de: "Buchungsnummer",
    fr: "Référence de réservation",
    es: "Localizador",
    pt: "Código de reserva",
    "pt-BR": "Código de reserva",
    ja: "予約番号",
  },
  travelers: {
    en: "Travelers",
    de: "Reisende",
    fr: "Voyageurs",
    es: "Viajeros",
    pt: "Viajantes",
    "pt-BR": "Viajantes",
    ja: "旅行者",
  },
  tickets: {
    en: "Tickets",
    de: "Tickets",
    fr: "Billets",
    es: "Billetes",
    pt: "Bilhetes",
    "pt-BR": "Bilhetes",
    ja: "航空券",
  },
} as const;
