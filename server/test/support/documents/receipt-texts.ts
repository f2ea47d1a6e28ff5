import { moreReceiptTexts } from "./more-receipt-texts.ts";
import type { ReceiptText } from "./receipt-text.ts";

export const receiptTexts: Readonly<Record<string, ReceiptText>> = {
  "US taxi with a tip and a card": {
    text: `
            CITY CABS LLC
         45 Hudson St, New York, NY 10013
                RECEIPT
Date: 11/24/2026   14:32
Cab 7K42      Trip 8831
Distance            5.20 mi
Fare                         $21.50
Surcharge                     $2.50
Tolls                         $6.94
Tip                           $6.00
TOTAL                        $36.94
VISA ************4242        $36.94
`,
    fields: {
      totalAmount: "36.94",
      tipAmount: "6.00",
      currency: "USD",
      issuedOn: "2026-11-24",
      merchantName: "CITY CABS LLC",
      paymentMethod: "card",
      cardLastFour: "4242",
    },
  },
  "German hotel bill with two rates and a tourist tax": {
    text: `
Hotel Seeblick GmbH
Uferstraße 12, 78464 Konstanz
Tel. +49 7531 12345      USt-IdNr. DE136695976

Rechnung Nr. 2026-00871          Datum: 24.11.2026
Gast: A. Muster                  Zimmer 214
Anreise 22.11.2026               Abreise 24.11.2026

Datum       Leistung                         Betrag
22.11.2026  Übernachtung                     120,00
22.11.2026  Frühstück                         18,00
23.11.2026  Übernachtung                     120,00
23.11.2026  Frühstück                         18,00
23.11.2026  Kurtaxe                            5,60

Gesamtbetrag                             EUR 281,60

MwSt %      Netto      MwSt     Brutto
 7,00      224,30     15,70     240,00
19,00       30,25      5,75      36,00

Bezahlt mit Kreditkarte                      281,60
`,
    fields: {
      totalAmount: "281.60",
      taxAmount: "21.45",
      currency: "EUR",
      issuedOn: "2026-11-24",
      merchantName: "Hotel Seeblick GmbH",
      invoiceNumber: "2026-00871",
      taxId: "DE136695976",
    },
  },
  "German supermarket with two rates, a deposit and change": {
    text: `
        FRISCHMARKT
      Lange Gasse 3, 50667 Köln
 UID Nr.: DE811569869
                             EUR
Vollmilch 3,5%              1,29 B
Brot                        2,79 B
Shampoo                     3,95 A
Bananen                     1,58 B
  0,790 kg x 2,00 EUR/kg
Pfand                       0,25 A
--------------------------------
SUMME                  EUR  9,86
Geg. BAR               EUR 20,00
Rückgeld BAR           EUR 10,14

Steuer  %     Netto   Steuer   Brutto
A= 19,0%       3,53     0,67     4,20
B=  7,0%       5,29     0,37     5,66
Gesamtbetrag   8,82     1,04     9,86
25.11.2026   18:04   Bon-Nr.:4711
`,
    fields: {
      totalAmount: "9.86",
      taxAmount: "1.04",
      currency: "EUR",
      issuedOn: "2026-11-25",
      merchantName: "FRISCHMARKT",
      invoiceNumber: "4711",
      paymentMethod: "cash",
    },
  },
  "French invoice": {
    text: `
Atelier Durand SARL
8 rue des Lilas, 69003 Lyon
SIRET 552 100 554 00013     TVA FR40303265045

FACTURE N° F-2026-118
Date de facture : 03/11/2026
Échéance : 03/12/2026

Facturé à :
Globex France SAS
14 avenue Foch, 75016 Paris

Désignation             Qté    Prix HT    Montant HT
Conseil                  3     450,00       1 350,00
Déplacement              1     120,50         120,50

Total HT                                    1 470,50 €
TVA 20 %                                      294,10 €
Total TTC                                   1 764,60 €
Net à payer                                 1 764,60 €
`,
    fields: {
      totalAmount: "1764.60",
      netAmount: "1470.50",
      taxAmount: "294.10",
      currency: "EUR",
      issuedOn: "2026-11-03",
      dueOn: "2026-12-03",
      merchantName: "Atelier Durand SARL",
      buyerName: "Globex France SAS",
      invoiceNumber: "F-2026-118",
      taxId: "FR40303265045",
    },
  },
  "Spanish simplified invoice with included tax and cash": {
    text: `
RESTAURANTE EL PUERTO S.L.
C/ Mayor 4, 28013 Madrid
CIF: B58378431
FACTURA SIMPLIFICADA  T-00912
Fecha: 21/11/2026  Hora: 14:55

2 Menú del día       14,50     29,00
1 Café                          1,60
1 Agua                          2,40

TOTAL                         33,00 €
Base imponible 10%   30,00
IVA 10%               3,00
Efectivo                      50,00
Cambio                        17,00
`,
    fields: {
      totalAmount: "33.00",
      netAmount: "30.00",
      taxAmount: "3.00",
      currency: "EUR",
      issuedOn: "2026-11-21",
      invoiceNumber: "T-00912",
      taxId: "B58378431",
      paymentMethod: "cash",
    },
  },
  "Portuguese receipt with included tax": {
    text: `
Pastelaria Central, Lda
Rua Augusta 100, Lisboa
NIF 501442600
Fatura-Recibo FR 2026/1182
Data: 19-11-2026
Pastel de nata   3 x 1,30      3,90
Galão                          1,85
Subtotal                       5,75
Total                          5,75 €
IVA 13% incluído               0,66
Multibanco                     5,75
`,
    fields: {
      totalAmount: "5.75",
      taxAmount: "0.66",
      currency: "EUR",
      issuedOn: "2026-11-19",
      merchantName: "Pastelaria Central, Lda",
      invoiceNumber: "FR 2026/1182",
      taxId: "501442600",
      paymentMethod: "card",
    },
  },
  "Japanese receipt with 8 % and 10 %": {
    text: `
      カフェみどり
 東京都渋谷区神南1-2-3
 TEL 03-1234-5678
 登録番号 T1180301018771
 領収書
2026年11月23日(月) 12:34
ブレンドコーヒー            ¥550
サンドイッチ ※              ¥864
小計                       ¥1,414
10%対象                      ¥550
(内消費税等                   ¥50)
8%対象                       ¥864
(内消費税等                   ¥64)
合計                       ¥1,414
お預り                     ¥2,000
お釣り                       ¥586
`,
    fields: {
      totalAmount: "1414",
      taxAmount: "114",
      currency: "JPY",
      issuedOn: "2026-11-23",
      merchantName: "カフェみどり",
      taxId: "T1180301018771",
      paymentMethod: "cash",
    },
  },
  "Japanese hotel bill with an era year and added tax": {
    text: `
株式会社サンプル商事
領収書番号 1234567
令和8年11月24日
宿泊代        2泊  12,000   24,000
サービス料                   2,400
小計                        26,400
消費税 10%                   2,640
合計金額                 29,040円
クレジット                 29,040円
`,
    fields: {
      totalAmount: "29040",
      netAmount: "26400",
      taxAmount: "2640",
      currency: "JPY",
      issuedOn: "2026-11-24",
      invoiceNumber: "1234567",
      paymentMethod: "card",
    },
  },
  "Swiss receipt with its equivalent in euros": {
    text: `
Bahnhof Buffet AG
Bahnhofstrasse 1, 8001 Zürich
CHE-116.281.710 MWST
24.11.2026 12:10
1 Rösti                      24.50
2 Mineral         5.00       10.00
Total CHF                    34.50
Total EUR                    36.85
MWST 8.1% inkl.               2.59
Kurs 0.9362
Bar EUR                      40.00
`,
    fields: {
      totalAmount: "34.50",
      taxAmount: "2.59",
      currency: "CHF",
      issuedOn: "2026-11-24",
      merchantName: "Bahnhof Buffet AG",
    },
  },
  "Canadian refund": {
    text: `
NORTH STAR OUTFITTERS
200 King St W, Toronto, ON M5H 3T4
REFUND RECEIPT
2026-11-22 10:15
Rain Jacket               -89.99
Subtotal                  -89.99
HST 13%                   -11.70
Total                   -$101.69
`,
    fields: {
      totalAmount: "-101.69",
      netAmount: "-89.99",
      taxAmount: "-11.70",
      currency: "CAD",
      issuedOn: "2026-11-22",
      merchantName: "NORTH STAR OUTFITTERS",
    },
  },
  "airline receipt": {
    text: `
Aurora Airways
E-TICKET RECEIPT
Booking reference: QX7R2M
Date of issue: 18 Nov 2026
Passenger: DOE/JANE MS
AU 214  LHR  JFK  02 Dec 2026
Fare                      GBP 412.00
Taxes, fees and charges   GBP 187.35
Total                     GBP 599.35
Paid by card MASTERCARD XXXX XXXX XXXX 4821   GBP 599.35
`,
    fields: {
      totalAmount: "599.35",
      taxAmount: "187.35",
      currency: "GBP",
      issuedOn: "2026-11-18",
      merchantName: "Aurora Airways",
      paymentMethod: "card",
      cardLastFour: "4821",
    },
  },
  ...moreReceiptTexts,
};
