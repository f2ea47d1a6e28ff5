import { describe, expect, test } from "vitest";
import { layOut } from "../../../../../test/support/documents/lay-out.ts";
import { fieldValues, listReasonCodes } from "../../../../../test/support/documents/scanned.ts";
import type { Scan } from "../../scan.ts";
import { parseXml } from "./parse-xml.ts";
import { interpretInvoice } from "./read-receipt.ts";

const about = { today: Temporal.PlainDate.from("2026-11-26"), companyName: undefined };
const page =
  "\nNordlicht GmbH\nRechnung Nr. RE-77\nDatum: 20.11.2026\nBeratung      500,00\nMwSt 19%      95,00\nGesamtbetrag      595,00 EUR\n";
const read = (eInvoice: string, text = page): Scan => interpretInvoice({ ...layOut(text), eInvoice }, about);

const CII = `<?xml version="1.0" encoding="UTF-8"?>
<rsm:CrossIndustryInvoice xmlns:rsm="urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100" xmlns:ram="a" xmlns:udt="b">
  <!-- a comment -->
  <rsm:ExchangedDocument>
    <ram:ID>RE-77</ram:ID>
    <ram:IssueDateTime><udt:DateTimeString format="102">20261120</udt:DateTimeString></ram:IssueDateTime>
    <ram:IncludedNote><ram:Content>PNR: QX7R2M</ram:Content></ram:IncludedNote>
  </rsm:ExchangedDocument>
  <rsm:SupplyChainTradeTransaction>
    <ram:IncludedSupplyChainTradeLineItem>
      <ram:SpecifiedTradeProduct><ram:Name>Beratung &amp; Reise</ram:Name></ram:SpecifiedTradeProduct>
      <ram:SpecifiedLineTradeAgreement><ram:NetPriceProductTradePrice><ram:ChargeAmount>250.0000</ram:ChargeAmount></ram:NetPriceProductTradePrice></ram:SpecifiedLineTradeAgreement>
      <ram:SpecifiedLineTradeDelivery><ram:BilledQuantity unitCode="HUR">2</ram:BilledQuantity></ram:SpecifiedLineTradeDelivery>
      <ram:SpecifiedLineTradeSettlement><ram:SpecifiedTradeSettlementLineMonetarySummation><ram:LineTotalAmount>500.00</ram:LineTotalAmount></ram:SpecifiedTradeSettlementLineMonetarySummation></ram:SpecifiedLineTradeSettlement>
    </ram:IncludedSupplyChainTradeLineItem>
    <ram:ApplicableHeaderTradeAgreement>
      <ram:SellerTradeParty><ram:Name>Nordlicht GmbH</ram:Name><ram:SpecifiedTaxRegistration><ram:ID schemeID="VA">DE136695976</ram:ID></ram:SpecifiedTaxRegistration></ram:SellerTradeParty>
      <ram:BuyerTradeParty><ram:Name>Globex AG</ram:Name></ram:BuyerTradeParty>
    </ram:ApplicableHeaderTradeAgreement>
    <ram:ApplicableHeaderTradeDelivery/>
    <ram:ApplicableHeaderTradeSettlement>
      <ram:InvoiceCurrencyCode>EUR</ram:InvoiceCurrencyCode>
      <ram:ApplicableTradeTax><ram:CalculatedAmount>95.00</ram:CalculatedAmount><ram:BasisAmount>500.00</ram:BasisAmount><ram:RateApplicablePercent>19.00</ram:RateApplicablePercent></ram:ApplicableTradeTax>
      <ram:SpecifiedTradePaymentTerms><ram:DueDateDateTime><udt:DateTimeString format="102">20261220</udt:DateTimeString></ram:DueDateDateTime></ram:SpecifiedTradePaymentTerms>
      <ram:SpecifiedTradeSettlementHeaderMonetarySummation>
        <ram:LineTotalAmount>500.00</ram:LineTotalAmount>
        <ram:TaxBasisTotalAmount>500.00</ram:TaxBasisTotalAmount>
        <ram:TaxTotalAmount currencyID="EUR">95.00</ram:TaxTotalAmount>
        <ram:GrandTotalAmount>595.00</ram:GrandTotalAmount>
      </ram:SpecifiedTradeSettlementHeaderMonetarySummation>
    </ram:ApplicableHeaderTradeSettlement>
  </rsm:SupplyChainTradeTransaction>
</rsm:CrossIndustryInvoice>
`;

const UBL = `<Invoice xmlns="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2" xmlns:cac="a" xmlns:cbc="b">
  <cbc:ID>RE-77</cbc:ID><cbc:IssueDate>2026-11-20</cbc:IssueDate><cbc:DueDate>2026-12-20</cbc:DueDate>
  <cbc:DocumentCurrencyCode>EUR</cbc:DocumentCurrencyCode>
  <cac:AccountingSupplierParty><cac:Party>
    <cac:PartyTaxScheme><cbc:CompanyID>DE136695976</cbc:CompanyID></cac:PartyTaxScheme>
    <cac:PartyLegalEntity><cbc:RegistrationName>Nordlicht GmbH</cbc:RegistrationName></cac:PartyLegalEntity>
  </cac:Party></cac:AccountingSupplierParty>
  <cac:AccountingCustomerParty><cac:Party><cac:PartyName><cbc:Name><![CDATA[Globex AG]]></cbc:Name></cac:PartyName></cac:Party></cac:AccountingCustomerParty>
  <cac:TaxTotal><cbc:TaxAmount currencyID="EUR">95.00</cbc:TaxAmount>
    <cac:TaxSubtotal><cbc:TaxableAmount>500.00</cbc:TaxableAmount><cbc:TaxAmount>95.00</cbc:TaxAmount><cac:TaxCategory><cbc:Percent>19</cbc:Percent></cac:TaxCategory></cac:TaxSubtotal>
  </cac:TaxTotal>
  <cac:LegalMonetaryTotal><cbc:LineExtensionAmount>500.00</cbc:LineExtensionAmount><cbc:TaxExclusiveAmount>500.00</cbc:TaxExclusiveAmount><cbc:TaxInclusiveAmount>595.00</cbc:TaxInclusiveAmount></cac:LegalMonetaryTotal>
  <cac:InvoiceLine><cbc:InvoicedQuantity>2</cbc:InvoicedQuantity><cbc:LineExtensionAmount>500.00</cbc:LineExtensionAmount><cac:Item><cbc:Name>Beratung &amp; Reise</cbc:Name></cac:Item><cac:Price><cbc:PriceAmount>250.00</cbc:PriceAmount></cac:Price></cac:InvoiceLine>
</Invoice>`;

describe("an embedded e-invoice", () => {
  for (const [syntax, xml] of [
    ["CII", CII],
    ["UBL", UBL],
  ] as const) {
    test(`in ${syntax} goes before what is printed`, () => {
      const scan = read(xml);
      expect(fieldValues(scan)).toEqual({
        merchantName: "Nordlicht GmbH",
        buyerName: "Globex AG",
        invoiceNumber: "RE-77",
        taxId: "DE136695976",
        issuedOn: "2026-11-20",
        dueOn: "2026-12-20",
        currency: "EUR",
        netAmount: "500.00",
        taxAmount: "95.00",
        totalAmount: "595.00",
      });
      expect(scan.lines?.map((fields) => fieldValues({ fields }))).toEqual([
        { description: "Beratung & Reise", quantity: "2", unitAmount: "250.00", amount: "500.00" },
      ]);
      expect(scan.taxes?.map((fields) => fieldValues({ fields }))).toEqual([
        { ratePercent: "19", netAmount: "500.00", taxAmount: "95.00" },
      ]);
      expect(scan.reasons).toEqual([]);
      expect(scan.fields.totalAmount?.from).toEqual({ source: "e_invoice", page: null, box: null });
      expect(scan.pages).toBe(1);
    });
  }

  test("names the booking in its notes", () => expect(read(CII).references).toContain("QX7R2M"));

  test("that states another total than the page needs review", () => {
    const scan = read(CII, page.replace("500,00", "400,00").replace("95,00", "76,00").replace("595,00", "476,00"));
    expect(listReasonCodes(scan)).toEqual(["parts_disagree"]);
  });
  test("is compared in its date and its currency too", () => {
    expect(listReasonCodes(read(CII, page.replace("20.11.2026", "19.11.2026")))).toEqual(["parts_disagree"]);
    expect(listReasonCodes(read(CII, page.replace("EUR", "CHF")))).toEqual(["parts_disagree"]);
  });
  test("may stand on pages without text", () => expect(listReasonCodes(read(CII, ""))).toEqual([]));

  test("must add up", () => {
    expect(listReasonCodes(read(CII.replace("GrandTotalAmount>595", "GrandTotalAmount>695"), ""))).toEqual([
      "totals_disagree",
    ]);
    expect(listReasonCodes(read(CII.replace("<ram:CalculatedAmount>95", "<ram:CalculatedAmount>85"), ""))).toEqual([
      "taxes_disagree",
    ]);
    expect(
      listReasonCodes(
        read(
          UBL.replace(
            "LineExtensionAmount>500.00</cbc:LineExtensionAmount><cac:Item",
            "LineExtensionAmount>400.00</cbc:LineExtensionAmount><cac:Item",
          ),
          "",
        ),
      ),
    ).toEqual(["lines_disagree"]);
  });

  test("that cannot be read leaves the printed values", () => {
    for (const xml of ["", "no XML", "<Invoice>", "<Order/>", CII.replace("595.00", "a lot")]) {
      expect(read(xml).fields.totalAmount).toMatchObject({ value: "595.00", from: { source: "text" } });
    }
  });
});

describe("XML of other programs", () => {
  const hostile: Readonly<Record<string, string>> = {
    "a document type without entities": "<!DOCTYPE a><a/>",
    "a document type": '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>',
    "an entity that nobody defined": "<a>&b;</a>",
    "a bare ampersand": "<a>b & c</a>",
    "a processing instruction": "<a><?php echo 1 ?></a>",
    "tags that do not match": "<a><b></a></b>",
    "two roots": "<a/><b/>",
    "text outside the root": "<a/>b",
    "an open tag": "<a><b>",
    "an attribute without quotes": "<a b=c/>",
    "nesting without end": "<a>".repeat(10_000),
    "a hundred thousand elements": `<a>${"<b/>".repeat(100_001)}</a>`,
    "an endless name": `<${"a".repeat(100_000)}/>`,
    "endless white space": `<a${" ".repeat(100_000)}`,
  };
  for (const [name, xml] of Object.entries(hostile)) {
    test(`${name} is refused`, () => expect(parseXml(xml)).toBeUndefined());
  }
  test("references to characters, CDATA and comments are read", () => {
    const root = parseXml(
      '\ufeff<?xml version="1.0"?>\n<a b="&quot;1&#x41;"><!-- c --><d>&lt;&#65;</d><![CDATA[<e>]]></a>\n',
    );
    expect(root).toMatchObject({ name: "a", text: "<e>", children: [{ name: "d", text: "<A" }] });
    expect(root?.attributes.get("b")).toBe('"1A');
  });
});
