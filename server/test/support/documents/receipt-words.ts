import type { Language } from "./regions.ts";

export type Goods = "taxi" | "hotel" | "restaurant" | "airline" | "supermarket" | "services";

interface ReceiptWords {
  receipt: readonly string[];
  number: readonly string[];
  date: readonly string[];
  total: readonly string[];
  subtotal: string;
  net: string;
  gross: string;
  tax: string;
  tip: string;
  suggestedTip: string;
  cash: string;
  change: string;
  card: string;
  balance: string;
  paid: string;
  thanks: string;
  description: string;
  quantity: string;
  unitPrice: string;
  amount: string;
  invoice: readonly string[];
  invoiceNumber: readonly string[];
  invoiceDate: readonly string[];
  dueDate: string;
  supplyDate: string;
  billTo: string;
  bank: string;
  room: string;
  arrival: string;
  departure: string;
  passenger: string;
  ticketNumber: string;
  bookingReference: string;
  taxesAndFees: string;
  merchants: Readonly<Record<Goods, readonly string[]>>;
  goods: Readonly<Record<Goods, readonly string[]>>;
  buyers: readonly string[];
}

const eng: ReceiptWords = {
  receipt: ["Receipt", "SALES RECEIPT", "Customer copy"],
  number: ["Receipt no.", "Receipt #", "Check"],
  date: ["Date", "Date:", ""],
  total: ["TOTAL", "Total", "Amount due", "Grand total", "Total due"],
  subtotal: "Subtotal",
  net: "Net",
  gross: "Gross",
  tax: "Tax",
  tip: "Tip",
  suggestedTip: "Suggested tip",
  cash: "Cash",
  change: "Change",
  card: "Card",
  balance: "Balance",
  paid: "Payment received",
  thanks: "Thank you for your visit",
  description: "Description",
  quantity: "Qty",
  unitPrice: "Unit price",
  amount: "Amount",
  invoice: ["Invoice", "INVOICE", "Tax Invoice"],
  dueDate: "Due date",
  supplyDate: "Date of supply",
  invoiceNumber: ["Invoice number", "Invoice no.", "Invoice #"],
  invoiceDate: ["Invoice date", "Date", "Date of issue"],
  billTo: "Bill to",
  bank: "Bank details",
  room: "Room",
  arrival: "Arrival",
  departure: "Departure",
  passenger: "Passenger",
  ticketNumber: "Ticket number",
  bookingReference: "Booking reference",
  taxesAndFees: "Taxes, fees and charges",
  merchants: {
    taxi: ["Harbor Cab Company", "Blue Line Taxi", "Metro Cars"],
    hotel: ["The Larkspur Hotel", "Northgate Inn", "Hotel Meridian Park"],
    restaurant: ["The Copper Kettle", "Olive & Thyme", "Pier Nine Grill"],
    airline: ["Westward Air", "Northern Skies Airways"],
    supermarket: ["Greenfield Market", "Corner Pantry", "Daily Basket"],
    services: ["Alder & Finch Ltd", "Brightwater Events Inc.", "Summit Travel Services"],
  },
  goods: {
    taxi: ["Fare", "Airport surcharge", "Road toll"],
    hotel: ["Room charge", "City tax", "Breakfast", "Parking"],
    restaurant: ["House salad", "Grilled salmon", "Lemonade", "Espresso", "Apple pie", "Tomato soup"],
    airline: ["Base fare", "Seat selection", "Checked bag"],
    supermarket: ["Bananas", "Whole milk 1L", "Rye bread", "Dish soap", "Cheddar 200g", "Batteries AA"],
    services: [
      "Meeting room, full day",
      "Catering for 12 persons",
      "Projector rental",
      "Shuttle service",
      "Consulting hours",
    ],
  },
  buyers: ["Tern Analytics Ltd", "Oakfield Partners LLC", "Juniper Research plc"],
};

const deu: ReceiptWords = {
  receipt: ["Quittung", "Rechnung", "Kassenbon"],
  number: ["Bon-Nr.", "Beleg-Nr.", "Rechnungs-Nr."],
  date: ["Datum", "Datum:", ""],
  total: ["SUMME", "Gesamtbetrag", "Gesamt", "Zu zahlen", "Total"],
  subtotal: "Zwischensumme",
  net: "Netto",
  gross: "Brutto",
  tax: "Steuer",
  tip: "Trinkgeld",
  suggestedTip: "Trinkgeldvorschlag",
  cash: "Bar",
  change: "Rückgeld",
  card: "Karte",
  balance: "Saldo",
  paid: "Zahlung",
  thanks: "Vielen Dank für Ihren Besuch",
  description: "Bezeichnung",
  quantity: "Menge",
  unitPrice: "Einzelpreis",
  amount: "Betrag",
  invoice: ["Rechnung", "RECHNUNG"],
  dueDate: "Zahlbar bis",
  invoiceNumber: ["Rechnungsnummer", "Rechnungs-Nr.", "Rechnung Nr."],
  invoiceDate: ["Rechnungsdatum", "Datum"],
  supplyDate: "Leistungsdatum",
  billTo: "Rechnungsempfänger",
  bank: "Bankverbindung",
  room: "Zimmer",
  arrival: "Anreise",
  departure: "Abreise",
  passenger: "Fluggast",
  ticketNumber: "Ticketnummer",
  bookingReference: "Buchungscode",
  taxesAndFees: "Steuern und Gebühren",
  merchants: {
    taxi: ["Taxi Brückner", "Funktaxi Süd GmbH"],
    hotel: ["Hotel Goldener Löwe", "Pension Waldblick", "Parkhotel Nord GmbH"],
    restaurant: ["Gasthaus zur Mühle", "Café Rosengarten", "Wirtshaus Am Bach"],
    airline: ["Nordwind Fluglinien", "Alpenair GmbH"],
    supermarket: ["Frischmarkt Kühn", "Nahkauf Lindner", "Biomarkt Grünwald"],
    services: ["Kessler & Söhne GmbH", "Tagungshaus Weide GmbH", "Bergmann Veranstaltungen"],
  },
  goods: {
    taxi: ["Fahrpreis", "Flughafenzuschlag", "Gepäck"],
    hotel: ["Übernachtung", "Kurtaxe", "Frühstück", "Parkplatz"],
    restaurant: ["Tagessuppe", "Wiener Schnitzel", "Apfelschorle", "Käsespätzle", "Espresso", "Rotwein 0,2l"],
    airline: ["Flugpreis", "Sitzplatz", "Aufgabegepäck"],
    supermarket: ["Bananen", "Vollmilch 1L", "Roggenbrot", "Spülmittel", "Gouda 200g", "Batterien AA"],
    services: ["Tagungsraum, ganztägig", "Verpflegung 12 Personen", "Beamer, Miete", "Fahrdienst", "Beratung, Stunden"],
  },
  buyers: ["Seeblick Analytik GmbH", "Ahorn Beteiligungen AG", "Falkner & Partner"],
};

const fra: ReceiptWords = {
  receipt: ["Reçu", "Ticket de caisse", "Note"],
  number: ["Ticket n°", "Reçu n°", "Facture n°"],
  date: ["Date", "Date :", "Le"],
  total: ["TOTAL TTC", "Total à payer", "Net à payer", "Montant total", "TOTAL"],
  subtotal: "Sous-total",
  net: "HT",
  gross: "TTC",
  tax: "Taxe",
  tip: "Pourboire",
  suggestedTip: "Pourboire suggéré",
  cash: "Espèces",
  change: "Rendu",
  card: "Carte bancaire",
  balance: "Solde",
  paid: "Paiement",
  thanks: "Merci de votre visite",
  description: "Désignation",
  quantity: "Qté",
  unitPrice: "Prix unitaire",
  amount: "Montant",
  invoice: ["Facture", "FACTURE"],
  dueDate: "Date d'échéance",
  supplyDate: "Date de prestation",
  invoiceNumber: ["Facture n°", "Numéro de facture"],
  invoiceDate: ["Date de facture", "Date", "Date d'émission"],
  billTo: "Facturé à",
  bank: "Coordonnées bancaires",
  room: "Chambre",
  arrival: "Arrivée",
  departure: "Départ",
  passenger: "Passager",
  ticketNumber: "Numéro de billet",
  bookingReference: "Référence de réservation",
  taxesAndFees: "Taxes et frais",
  merchants: {
    taxi: ["Taxis du Port", "Taxi Bertin"],
    hotel: ["Hôtel des Glycines", "Hôtel Beaurivage", "Auberge du Lac"],
    restaurant: ["Le Petit Marché", "Brasserie du Théâtre", "Chez Odette"],
    airline: ["Aéroligne du Sud", "Ailes de France"],
    supermarket: ["Marché Frais", "Épicerie Bonnard", "Supérette du Coin"],
    services: ["Delorme Conseil SARL", "Ateliers Réunis SAS", "Studio Vermeil"],
  },
  goods: {
    taxi: ["Course", "Supplément aéroport", "Bagages"],
    hotel: ["Nuitée", "Taxe de séjour", "Petit déjeuner", "Parking"],
    restaurant: ["Soupe du jour", "Steak frites", "Limonade", "Café", "Tarte aux pommes", "Salade niçoise"],
    airline: ["Tarif de base", "Choix du siège", "Bagage en soute"],
    supermarket: ["Bananes", "Lait entier 1L", "Pain complet", "Liquide vaisselle", "Comté 200g", "Piles AA"],
    services: [
      "Location de salle, journée",
      "Repas pour 12 personnes",
      "Vidéoprojecteur",
      "Navette",
      "Heures de conseil",
    ],
  },
  buyers: ["Lumière Analyses SAS", "Groupe Chardon SA", "Martelet et Fils"],
};

const spa: ReceiptWords = {
  receipt: ["Recibo", "Ticket de compra", "Factura simplificada"],
  number: ["Ticket n.º", "Recibo n.º", "Folio"],
  date: ["Fecha", "Fecha:", ""],
  total: ["TOTAL", "Total", "Importe total", "Total a pagar"],
  subtotal: "Subtotal",
  net: "Base",
  gross: "Importe",
  tax: "Impuesto",
  tip: "Propina",
  suggestedTip: "Propina sugerida",
  cash: "Efectivo",
  change: "Cambio",
  card: "Tarjeta",
  balance: "Saldo",
  paid: "Pago recibido",
  thanks: "Gracias por su visita",
  description: "Descripción",
  quantity: "Cant.",
  unitPrice: "Precio unitario",
  amount: "Importe",
  invoice: ["Factura", "FACTURA"],
  dueDate: "Fecha de vencimiento",
  invoiceNumber: ["Factura n.º", "Número de factura"],
  invoiceDate: ["Fecha de factura", "Fecha", "Fecha de emisión"],
  supplyDate: "Fecha de operación",
  billTo: "Facturar a",
  bank: "Datos bancarios",
  room: "Habitación",
  arrival: "Llegada",
  departure: "Salida",
  passenger: "Pasajero",
  ticketNumber: "Número de billete",
  bookingReference: "Localizador",
  taxesAndFees: "Tasas y cargos",
  merchants: {
    taxi: ["Radio Taxi Sol", "Taxi Castellano"],
    hotel: ["Hotel La Almudena", "Hostal Jardín", "Hotel Puerto Azul"],
    restaurant: ["Casa Benítez", "El Rincón de Nuria", "La Taberna Vieja"],
    airline: ["Aerolíneas del Sur", "Ibérica Vuelos"],
    supermarket: ["Mercado Fresco", "Alimentación Peña", "La Despensa"],
    services: ["Gestiones Ríos S.L.", "Eventos Montaña S.A.", "Consultoría Duero"],
  },
  goods: {
    taxi: ["Carrera", "Suplemento aeropuerto", "Equipaje"],
    hotel: ["Alojamiento", "Tasa turística", "Desayuno", "Aparcamiento"],
    restaurant: ["Sopa del día", "Paella mixta", "Agua mineral", "Café solo", "Tarta de queso", "Ensalada mixta"],
    airline: ["Tarifa base", "Selección de asiento", "Equipaje facturado"],
    supermarket: ["Plátanos", "Leche entera 1L", "Pan integral", "Lavavajillas", "Queso 200g", "Pilas AA"],
    services: ["Alquiler de sala, jornada", "Comida para 12 personas", "Proyector", "Transporte", "Horas de asesoría"],
  },
  buyers: ["Análisis Miralta S.L.", "Grupo Encinar S.A.", "Robles y Asociados"],
};

const por: ReceiptWords = {
  receipt: ["Recibo", "Talão", "Cupom"],
  number: ["Recibo n.º", "Talão n.º", "Documento n.º"],
  date: ["Data", "Data:", ""],
  total: ["TOTAL", "Total a pagar", "Valor total", "Total"],
  subtotal: "Subtotal",
  net: "Base",
  gross: "Total",
  tax: "Imposto",
  tip: "Gorjeta",
  suggestedTip: "Gorjeta sugerida",
  cash: "Dinheiro",
  change: "Troco",
  card: "Cartão",
  balance: "Saldo",
  paid: "Pagamento",
  thanks: "Obrigado pela sua visita",
  description: "Descrição",
  quantity: "Qtd.",
  unitPrice: "Preço unitário",
  amount: "Valor",
  invoice: ["Fatura", "FATURA"],
  dueDate: "Data de vencimento",
  supplyDate: "Data do serviço",
  invoiceNumber: ["Fatura n.º", "Número da fatura"],
  invoiceDate: ["Data da fatura", "Data", "Data de emissão"],
  billTo: "Faturar a",
  bank: "Dados bancários",
  room: "Quarto",
  arrival: "Chegada",
  departure: "Partida",
  passenger: "Passageiro",
  ticketNumber: "Número do bilhete",
  bookingReference: "Código da reserva",
  taxesAndFees: "Taxas e encargos",
  merchants: {
    taxi: ["Táxis da Baixa", "Rádio Táxi Tejo"],
    hotel: ["Hotel Miradouro", "Pousada do Rio", "Hotel Vista Mar"],
    restaurant: ["Tasca do João", "Restaurante Maré Alta", "Café Avenida"],
    airline: ["Atlântico Linhas Aéreas", "Voos do Sul"],
    supermarket: ["Mercearia Central", "Mercado Sol", "Super Bairro"],
    services: ["Soluções Ipê Ltda", "Eventos Douro Lda", "Consultoria Araçá"],
  },
  goods: {
    taxi: ["Corrida", "Suplemento aeroporto", "Bagagem"],
    hotel: ["Alojamento", "Taxa turística", "Pequeno-almoço", "Estacionamento"],
    restaurant: ["Sopa do dia", "Bacalhau à Brás", "Água mineral", "Café", "Pastel de nata", "Salada mista"],
    airline: ["Tarifa base", "Escolha de lugar", "Bagagem de porão"],
    supermarket: ["Bananas", "Leite gordo 1L", "Pão integral", "Detergente", "Queijo 200g", "Pilhas AA"],
    services: ["Aluguer de sala, dia", "Refeições para 12 pessoas", "Projetor", "Transporte", "Horas de consultoria"],
  },
  buyers: ["Análises Pinhal Lda", "Grupo Sobreiro S.A.", "Carvalho e Filhos"],
};

const jpn: ReceiptWords = {
  receipt: ["領収書", "領収証", "レシート"],
  number: ["レシートNo.", "伝票番号", "No."],
  date: ["日付", "発行日", ""],
  total: ["合計", "お会計", "合計金額"],
  subtotal: "小計",
  net: "税抜金額",
  gross: "税込金額",
  tax: "消費税",
  tip: "サービス料",
  suggestedTip: "サービス料",
  cash: "お預り",
  change: "お釣り",
  card: "クレジット",
  balance: "残高",
  paid: "お支払い",
  thanks: "ありがとうございました",
  description: "品名",
  quantity: "数量",
  unitPrice: "単価",
  amount: "金額",
  invoice: ["請求書"],
  invoiceNumber: ["請求書番号", "請求番号"],
  invoiceDate: ["請求日", "発行日"],
  dueDate: "お支払期限",
  supplyDate: "納品日",
  billTo: "請求先",
  bank: "振込先",
  room: "部屋番号",
  arrival: "ご到着",
  departure: "ご出発",
  passenger: "搭乗者",
  ticketNumber: "航空券番号",
  bookingReference: "予約番号",
  taxesAndFees: "税金・諸費用",
  merchants: {
    taxi: ["みなと交通株式会社", "東都タクシー"],
    hotel: ["ホテル青葉", "旅館松風", "駅前ホテル"],
    restaurant: ["和食処さくら", "喫茶ひまわり", "レストラン海風"],
    airline: ["北海航空", "南西エアライン"],
    supermarket: ["スーパー丸山", "食品館みどり", "まちの市場"],
    services: ["株式会社山水企画", "青空イベント株式会社", "有限会社北野商事"],
  },
  goods: {
    taxi: ["運賃", "高速料金", "迎車料金"],
    hotel: ["宿泊料", "宿泊税", "朝食", "駐車場"],
    restaurant: ["日替わり定食", "天ぷらそば", "生ビール", "コーヒー", "焼き魚", "味噌汁"],
    airline: ["運賃", "座席指定", "手荷物"],
    supermarket: ["バナナ", "牛乳", "食パン", "洗剤", "チーズ", "電池"],
    services: ["会議室使用料", "お弁当", "プロジェクター", "送迎", "コンサルティング"],
  },
  buyers: ["株式会社東洋分析", "南風物産株式会社", "有限会社梅田商店"],
};

export const receiptWords: Readonly<Record<Language, ReceiptWords>> = { eng, deu, fra, spa, por, jpn };
