/**
 * What a rendered document says. A field has the values that are right for it, any of them; none: the document does not have the
 * field, and an answer that has it is wrong. A field that is not named here is not judged.
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
