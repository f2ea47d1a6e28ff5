export const FACTUR_X = { fileName: "factur-x.xml", version: "1.0" } as const;

const NAMESPACE = "urn:factur-x:pdfa:CrossIndustryDocument:invoice:1p0#";

const properties = {
  DocumentFileName: "The name of the embedded XML document",
  DocumentType: "The type of the hybrid document in capital letters, such as INVOICE or ORDER",
  Version: "The version of the standard that the embedded XML document follows",
  ConformanceLevel: "The conformance level of the embedded XML document",
} as const;

const propertyOf = ([name, meaning]: readonly [string, string]): string =>
  `<rdf:li rdf:parseType="Resource"><pdfaProperty:name>${name}</pdfaProperty:name><pdfaProperty:valueType>Text</pdfaProperty:valueType><pdfaProperty:category>external</pdfaProperty:category><pdfaProperty:description>${meaning}</pdfaProperty:description></rdf:li>`;

/** Tells readers of the PDF that it holds an e-invoice and which; PDF/A wants the words of such a telling explained beside it. */
export const facturXMetadata = (profile: string): string => `
  <rdf:Description rdf:about="" xmlns:fx="${NAMESPACE}">
    <fx:DocumentType>INVOICE</fx:DocumentType>
    <fx:DocumentFileName>${FACTUR_X.fileName}</fx:DocumentFileName>
    <fx:Version>${FACTUR_X.version}</fx:Version>
    <fx:ConformanceLevel>${profile}</fx:ConformanceLevel>
  </rdf:Description>
  <rdf:Description rdf:about="" xmlns:pdfaExtension="http://www.aiim.org/pdfa/ns/extension/" xmlns:pdfaSchema="http://www.aiim.org/pdfa/ns/schema#" xmlns:pdfaProperty="http://www.aiim.org/pdfa/ns/property#">
    <pdfaExtension:schemas><rdf:Bag><rdf:li rdf:parseType="Resource">
      <pdfaSchema:schema>Factur-X PDFA Extension Schema</pdfaSchema:schema>
      <pdfaSchema:namespaceURI>${NAMESPACE}</pdfaSchema:namespaceURI>
      <pdfaSchema:prefix>fx</pdfaSchema:prefix>
      <pdfaSchema:property><rdf:Seq>${Object.entries(properties).map(propertyOf).join("")}</rdf:Seq></pdfaSchema:property>
    </rdf:li></rdf:Bag></pdfaExtension:schemas>
  </rdf:Description>
`;
