import type { ReceiptText } from "./receipt-text.ts";

export const moreReceiptTexts: Readonly<Record<string, ReceiptText>> = {
  "invoice with a deposit that was paid": {
    text: `
Blue Harbor Resorts Ltd
22 Marine Parade, Brighton BN2 1TL
VAT No GB 980 7806 84
INVOICE  No. BH-10442
Invoice date: 20 November 2026
Bill to: Acme Ltd
Description         Qty   Unit price    Amount
Room, 3 nights        3       180.00    540.00
Dinner                2        35.00     70.00
Net total                               610.00
VAT 20%                                 122.00
Total                                  £732.00
Deposit paid                          -£200.00
Amount due                             £532.00
`,
    fields: {
      totalAmount: "732.00",
      netAmount: "610.00",
      taxAmount: "122.00",
      currency: "GBP",
      issuedOn: "2026-11-20",
      merchantName: "Blue Harbor Resorts Ltd",
      buyerName: "Acme Ltd",
      invoiceNumber: "BH-10442",
      taxId: "GB980780684",
    },
  },
  "Australian invoice with a discount and included tax": {
    text: `
Office World
ABN 51 824 753 556
Sydney NSW 2000
Tax Invoice 88123
Date 05/11/2026
Paper A4            2  x  12.00     24.00
Pens                               $16.00
Discount 10%                       -$4.00
Total                              $36.00
GST included                        $3.27
EFTPOS                             $36.00
`,
    fields: {
      totalAmount: "36.00",
      taxAmount: "3.27",
      currency: "AUD",
      issuedOn: "2026-11-05",
      merchantName: "Office World",
      invoiceNumber: "88123",
      taxId: "51824753556",
    },
  },
  "US restaurant with quantities, sales tax and a tip": {
    text: `
           THE OLD MILL
       12 Main Street, Austin, TX 78701
Server: Kim       Table 12    Guests 2
11/20/2026 8:41 PM
2 Margherita     14.00      $28.00
1 Caesar Salad               $9.50
2 House Wine      8.00      $16.00
Subtotal                    $53.50
Sales Tax 8.25%              $4.41
Tip                         $10.00
Total                       $67.91
`,
    fields: {
      totalAmount: "67.91",
      netAmount: "53.50",
      taxAmount: "4.41",
      tipAmount: "10.00",
      currency: "USD",
      issuedOn: "2026-11-20",
      merchantName: "THE OLD MILL",
    },
  },
  "restaurant whose total stands before and after the tip": {
    text: `
     CAFE LISSOM
 9 Mill Lane, Bristol BS1 5TR
14 Nov 2026 13:20
Soup                   £6.50
Fish pie              £15.00
Total                 £21.50
Gratuity               £2.50
Grand total           £24.00
VISA **** 1881        £24.00
`,
    fields: {
      totalAmount: "24.00",
      tipAmount: "2.50",
      currency: "GBP",
      issuedOn: "2026-11-14",
      merchantName: "CAFE LISSOM",
      cardLastFour: "1881",
    },
  },
  "hotel folio that was settled": {
    text: `
The Larkspur Hotel
5 Bridge Street, Galway, Ireland
Folio No. 55012                 Room 244
Arrival 20/11/2026    Departure 22/11/2026
Date: 22/11/2026
20/11/2026  Room charge         110.00
21/11/2026  Room charge         110.00
21/11/2026  Dinner               43.20
Total charges                  €263.20
Payment received              -€263.20
Balance                          €0.00
`,
    fields: {
      totalAmount: "263.20",
      currency: "EUR",
      issuedOn: "2026-11-22",
      merchantName: "The Larkspur Hotel",
      invoiceNumber: "55012",
    },
  },
  "payment split over cash and a card": {
    text: `
     BRAUHAUS AM MARKT
 Markt 3, 04109 Leipzig
 Datum: 23.11.26  19:55
 2 x 4,80 Bier             9,60
 1 x Schnitzel            18,90
 Summe EUR                28,50
 Bar                      10,00
 EC-Karte                 18,50
 enth. MwSt 19%            4,55
`,
    fields: {
      totalAmount: "28.50",
      taxAmount: "4.55",
      currency: "EUR",
      issuedOn: "2026-11-23",
      merchantName: "BRAUHAUS AM MARKT",
    },
  },
  "Indian invoice with CGST and SGST": {
    text: `
Lotus Travels Pvt Ltd
MG Road, Bengaluru 560001
GSTIN: 29AABCU9603R1ZJ
Tax Invoice No. LT/2026/118
Invoice Date: 12-11-2026
Bus charter              ₹1,04,000.00
Driver allowance            ₹1,000.00
Subtotal                 ₹1,05,000.00
CGST 9%                     ₹9,450.00
SGST 9%                     ₹9,450.00
Total                    ₹1,23,900.00
`,
    fields: {
      totalAmount: "123900.00",
      netAmount: "105000.00",
      taxAmount: "18900.00",
      currency: "INR",
      issuedOn: "2026-11-12",
      invoiceNumber: "LT/2026/118",
      taxId: "29AABCU9603R1ZJ",
    },
  },
  "Swiss invoice with apostrophes": {
    text: `
Alpen Seminare GmbH
Seestrasse 7, 6003 Luzern, Schweiz
Rechnung Nr. 2026-77
Datum 02.11.2026
Seminar                   CHF 2'350.00
Unterlagen                  CHF 150.00
Zwischensumme             CHF 2'500.00
MWST 8.1%                   CHF 202.50
Rechnungsbetrag           CHF 2'702.50
`,
    fields: {
      totalAmount: "2702.50",
      netAmount: "2500.00",
      taxAmount: "202.50",
      currency: "CHF",
      issuedOn: "2026-11-02",
      invoiceNumber: "2026-77",
    },
  },
  "receipt with three decimal places": {
    text: `
Gulf Star Cafe
Salmiya, Kuwait
Date: 2026-11-10 18:05
Karak tea           KWD 0.750
Shawarma plate      KWD 2.500
Total               KWD 3.250
`,
    fields: { totalAmount: "3.250", currency: "KWD", issuedOn: "2026-11-10", merchantName: "Gulf Star Cafe" },
  },
  "service charge and rounding": {
    text: `
TAN KEE NOODLE HOUSE
8 Boat Quay, Singapore 049815
Date 17 Nov 2026 20:14
Laksa                 $12.80
Satay                  $9.00
Subtotal              $21.80
Service charge 10%     $2.18
GST 9%                 $2.16
Rounding               $0.01
Total                 $26.15
`,
    fields: {
      totalAmount: "26.15",
      taxAmount: "2.16",
      currency: "SGD",
      issuedOn: "2026-11-17",
      merchantName: "TAN KEE NOODLE HOUSE",
    },
  },
  "Swedish receipt in kronor": {
    text: `
Kaffestugan AB
Drottninggatan 5, Stockholm
2026-11-16 09:31
Kaffe                  42,00
Bulle                  38,00
Total               80,00 kr
`,
    fields: { totalAmount: "80.00", currency: "SEK", issuedOn: "2026-11-16", merchantName: "Kaffestugan AB" },
  },
};
