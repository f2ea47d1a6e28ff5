import {
  type ColumnNode,
  DeleteQueryNode,
  InsertQueryNode,
  type KyselyPlugin,
  type OperationNode,
  PostgresDialect,
  PostgresQueryCompiler,
  type QueryResult,
  RawNode,
  ReferenceNode,
  SelectQueryNode,
  TableNode,
  type UnknownRow,
  UpdateQueryNode,
} from "kysely";

/**
 * Maps snake_case tables and columns of the database to camelCase. Statements get the column names where each identifier is
 * written anyway, without a walk through the statement; rows get the property names, from one list per result. JSON columns are
 * left unchanged.
 * The environment of a row is called `environment` here. Most tables have it in a column `network`, which dates from the first
 * release; the newer ones, listed below, have a column `environment`.
 */
const ENVIRONMENT = "environment";
const ENVIRONMENT_COLUMN = "network";
const tablesWithEnvironment: ReadonlySet<string> = new Set([
  "apiKey",
  "budget",
  "callSpend",
  "callSpendLine",
  "spendCounter",
  "spendLimit",
]);

const snakeNames = new Map<string, string>();
const camelNames = new Map<string, string>();

export function toSnakeCase(name: string): string {
  return remembered(snakeNames, name, (text) => text.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
}

export function toCamelCase(name: string): string {
  return remembered(camelNames, name, (text) =>
    text.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
  );
}

/** The column of a property; `table` in camelCase. */
export function toColumnName(table: string | undefined, property: string): string {
  const isRenamed = property === ENVIRONMENT && (table === undefined || !tablesWithEnvironment.has(table));
  return isRenamed ? ENVIRONMENT_COLUMN : toSnakeCase(property);
}

export function toPropertyName(column: string): string {
  return column === ENVIRONMENT_COLUMN ? ENVIRONMENT : toCamelCase(column);
}

/** All names come from the code and the migrations, so their number is limited. */
function remembered(names: Map<string, string>, name: string, convert: (name: string) => string): string {
  const known = names.get(name);
  if (known !== undefined) return known;
  const converted = convert(name);
  names.set(name, converted);
  return converted;
}

const NOTHING = RawNode.createWithSql("");

class SnakeCaseCompiler extends PostgresQueryCompiler {
  /** The library would keep a statement's parameters, which can be personal, until the next statement. */
  override compileQuery(...[node, queryId]: Parameters<PostgresQueryCompiler["compileQuery"]>) {
    const compiled = super.compileQuery(node, queryId);
    super.compileQuery(NOTHING, queryId);
    return compiled;
  }

  protected override sanitizeIdentifier(identifier: string): string {
    return super.sanitizeIdentifier(toSnakeCase(identifier));
  }

  protected override visitColumn(node: ColumnNode): void {
    const { name } = node.column;
    if (name !== ENVIRONMENT) super.visitColumn(node);
    else this.append(`"${toColumnName(this.#tableOfColumn(), name)}"`);
  }

  /** The column's own table, or else the first one of its statement. */
  #tableOfColumn(): string | undefined {
    for (const node of this.nodeStack.toReversed()) {
      const table = findTable(node);
      if (table !== undefined) return table;
    }
    return undefined;
  }
}

function findTable(node: OperationNode): string | undefined {
  if (ReferenceNode.is(node)) return node.table?.table.identifier.name;
  if (InsertQueryNode.is(node)) return nameOfTable(node.into);
  if (UpdateQueryNode.is(node)) return nameOfTable(node.table);
  if (SelectQueryNode.is(node) || DeleteQueryNode.is(node)) return nameOfTable(node.from?.froms[0]);
  return undefined;
}

const nameOfTable = (node: OperationNode | undefined): string | undefined =>
  node !== undefined && TableNode.is(node) ? node.table.identifier.name : undefined;

export class SnakeCaseDialect extends PostgresDialect {
  override createQueryCompiler(): PostgresQueryCompiler {
    return new SnakeCaseCompiler();
  }
}

/** Covers results of statements written as text as well. */
export const camelCaseRows: KyselyPlugin = {
  transformQuery: ({ node }) => node,
  async transformResult({ result }): Promise<QueryResult<UnknownRow>> {
    const [first] = result.rows;
    if (first === undefined) return result;
    const columns = Object.keys(first).map((column) => ({ column, name: toPropertyName(column) }));
    if (columns.every(({ column, name }) => column === name)) return result;
    const rows = result.rows.map((row) => {
      const named: Record<string, unknown> = {};
      for (const { column, name } of columns) named[name] = row[column];
      return named;
    });
    return { ...result, rows };
  },
};
