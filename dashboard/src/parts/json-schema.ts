/** The part of JSON Schema that tools and pauses use. */
export interface JsonSchema {
  type?: string | readonly string[];
  description?: string;
  properties?: Readonly<Record<string, JsonSchema>>;
  required?: readonly string[];
  enum?: readonly unknown[];
  items?: JsonSchema;
  default?: unknown;
  format?: string;
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  maxItems?: number;
  additionalProperties?: unknown;
}

export interface FieldProps {
  id: string;
  schema: JsonSchema;
  value: unknown;
  /** Undefined leaves it out. */
  change: (value: unknown) => void;
  isWrong: boolean;
  /** Names in words, and groups that fold. */
  isDeep?: boolean | undefined;
}
