import type { Environment } from "../../ports/identity.ts";

/** A user of a tenant. */
export interface PersonId {
  tenantId: string;
  userId: string;
  environment: Environment;
}

/** A module's records about a tenant's users, and how to erase one. All modules erase in one transaction, or none does. */
export interface PersonRecords {
  readonly tables?: PersonTables;
  /** Members of the export of a person's data, unique among modules. */
  held?(person: PersonId): Promise<Readonly<Record<string, unknown>>>;
  /** Names and ids that identify the person in records of other modules. */
  identify?(person: PersonId): Promise<PersonTraces>;
  /** Reasons that forbid erasing the person now. Nobody else books for the person until the end of the transaction. */
  objections?(person: PersonId, asked: { at: Temporal.Instant; callIds: readonly string[] }): Promise<Objections>;
  /** Before the records are searched for the person: deletes those of the person alone. */
  forgetOwn?(person: PersonId): Promise<void>;
  /** After the person's id became a mark: erases what a search of the tables does not find, such as encrypted or hashed values. */
  forgetTraces?(erased: ErasedPerson): Promise<void>;
  /** Persons whose data has been unused since then, longest unused first. */
  findOld?(before: Retention, page: PersonPage): Promise<readonly PersonId[]>;
  /** Deletes up to `limit` records with the names of people who are not users. */
  forgetOldNames?(before: Retention, limit: number): Promise<void>;
}

/**
 * Every table of a tenant's rows is searched for names of the person. Exceptions stand here. A test compares the
 * database's catalogue with them and notices a table that names users and is missing.
 */
export interface PersonTables {
  /** Indexed columns with users' ids in tables that grow with every call: a mark replaces the id. */
  readonly naming?: readonly { readonly table: string; readonly column: string }[];
  /** Tables that are not searched, with the reason. */
  readonly notSearched?: Readonly<Record<string, string>>;
  /** Tables without a tenant: `column` refers by `key` to another table that has one. */
  readonly through?: Readonly<
    Record<string, { readonly column: string; readonly table: string; readonly key: string }>
  >;
}

interface PersonTraces {
  /** As stored. */
  readonly names?: readonly { givenName: string; familyName: string }[];
  /** Ids of the person's records. */
  readonly ids?: readonly string[];
  /** Ids of calls that acted for the person, whoever made them. */
  readonly callIds?: readonly string[];
}

export interface Objections {
  /** Work for the person is in progress. */
  readonly isBusy?: boolean;
  /** Rules in force that name the person. The next user with the same id would not be bound. */
  readonly rules?: readonly string[];
  /** The person's future orders. */
  readonly ordersAhead?: readonly string[];
}

interface ErasedPerson {
  readonly person: PersonId;
  /** Replaces the user's id. A service account keeps its id, which names no person. */
  readonly mark: string;
  /** Replaces each name. */
  readonly name: string;
  /** Whether a text names this person rather than a namesake. */
  isNamedIn(text: string): boolean;
}

export interface Retention {
  readonly guests: Temporal.Instant;
  /** Undefined keeps them until they are deleted by hand. */
  readonly travelers: Temporal.Instant | undefined;
}

export interface PersonPage {
  readonly limit: number;
  readonly offset: number;
}
