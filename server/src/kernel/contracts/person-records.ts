import type { Environment } from "../../ports/identity.ts";

/** A user of a tenant. */
export interface PersonId {
  tenantId: string;
  userId: string;
  environment: Environment;
}

/** What a module holds of a tenant's users, and how it forgets one. All modules forget in one transaction, or none does. */
export interface PersonRecords {
  readonly tables?: PersonTables;
  /** Members of the export of everything that is held of a person; no two modules give one of the same name. */
  held?(person: PersonId): Promise<Readonly<Record<string, unknown>>>;
  /** By what the person is told in records of other modules. */
  identify?(person: PersonId): Promise<PersonTraces>;
  /** Why the person may not be erased now. Nobody else books for the person until the end of the transaction. */
  objections?(person: PersonId, asked: { at: Temporal.Instant; callIds: readonly string[] }): Promise<Objections>;
  /** Before the records are searched for the person: deletes what is the person's alone. */
  forgetOwn?(person: PersonId): Promise<void>;
  /** When only the mark is left of the person: what a search of the tables does not find, such as what is encrypted or hashed. */
  forgetTraces?(erased: ErasedPerson): Promise<void>;
  /** Persons whose data nobody has used since, the longest unused first. */
  findOld?(before: Retention, page: PersonPage): Promise<readonly PersonId[]>;
  /** At most so many records with the names of people who are users of nobody. */
  forgetOldNames?(before: Retention, limit: number): Promise<void>;
}

/**
 * Every table of a tenant's rows is searched for what names the person. What cannot be found that way, or must not be, stands here. A
 * table that names users and is missing here is noticed by a test that asks the database's catalogue.
 */
export interface PersonTables {
  /** Columns with users' ids that have an index, in tables that grow with every call: a mark takes the id's place. */
  readonly naming?: readonly { readonly table: string; readonly column: string }[];
  /** Tables that are not searched, each with the reason. */
  readonly notSearched?: Readonly<Record<string, string>>;
  /** Tables without a tenant: `column` names a row of another table that has one, by its `key`. */
  readonly through?: Readonly<
    Record<string, { readonly column: string; readonly table: string; readonly key: string }>
  >;
}

interface PersonTraces {
  /** As the records have them. */
  readonly names?: readonly { givenName: string; familyName: string }[];
  /** Of records that were the person's. */
  readonly ids?: readonly string[];
  /** Of calls that did something for the person, whoever made them. */
  readonly callIds?: readonly string[];
}

export interface Objections {
  /** Something of the person is under way. */
  readonly isBusy?: boolean;
  /** Rules that bind the person by name, and that are not over. Whoever comes next under the same id would not be bound. */
  readonly rules?: readonly string[];
  /** Orders of the person that are still ahead. */
  readonly ordersAhead?: readonly string[];
}

interface ErasedPerson {
  readonly person: PersonId;
  /** Stands in place of the user's id. A service account keeps its id, as it is nobody's name. */
  readonly mark: string;
  /** Stands in place of each name. */
  readonly name: string;
  /** Whether a text names this person and no namesake. */
  isNamedIn(text: string): boolean;
}

export interface Retention {
  readonly guests: Temporal.Instant;
  /** Undefined: they are kept until somebody deletes them. */
  readonly travelers: Temporal.Instant | undefined;
}

export interface PersonPage {
  readonly limit: number;
  readonly offset: number;
}
