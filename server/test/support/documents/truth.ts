/**
 * The contents of a rendered document. A field has its right values, any of which counts; if it has none, the document
 * lacks the field, and an answer with it is wrong. A field that is not named here is not judged.
 */
export type FieldTruths = Readonly<Record<string, readonly string[]>>;

export interface Truth {
  fields: FieldTruths;
  lines?: readonly FieldTruths[];
  taxes?: readonly FieldTruths[];
  legs?: readonly FieldTruths[];
}

export interface RenderedDocument {
  /** The slice, the layout and the seed, such as `receipt/taxi/deu/7`. */
  name: string;
  kind: "invoice" | "receipt" | "boarding_pass" | "id_document";
  bytes: Buffer;
  mediaType: string;
  truth: Truth;
  /** Whether a person has to look at it however well it is read, as at a passport that has expired. */
  alwaysReviewed?: boolean;
}
